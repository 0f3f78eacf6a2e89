// The oracle is worth what it finds: each broken copy of an algorithm must be called by its fault.
#include "tests/catch.h"
#include "tests/oracle/contributions.h"

namespace brigade {
namespace {

std::string fault(const Algorithm& broken, Rank ranks) {
  PlanRequest request;
  request.algorithm = &broken;
  request.ranks = ranks;
  request.elements = 12;
  return oracle::fault_of(request, 1);
}

bool says(const std::string& fault, const char* words) { return fault.find(words) != std::string::npos; }

Algorithm copy_of(const char* name) { return *find_algorithm(Collective::kAllReduce, name); }
const Algorithm& ring() { return *find_algorithm(Collective::kAllReduce, "ring"); }

TEST_CASE("a left neighbour that only fits N = 4 is found at N = 3") {
  Algorithm broken = copy_of("ring");
  broken.from = [](const Plan&, Rank self, Round, uint32_t) -> Rank { return (self - 1) % 4; };
  CHECK(fault(broken, 4) == "");
  CHECK(says(fault(broken, 3), "from others than come"));
}

TEST_CASE("a segment that is added twice is found") {
  Algorithm broken = copy_of("ring");
  broken.step = [](const Plan& plan, Rank self, Round k) {
    Step step = ring().step(plan, self, k);
    step.reduce = true;
    return step;
  };
  CHECK(says(fault(broken, 4), "twice"));
}

TEST_CASE("a round too few is found") {
  Algorithm broken = copy_of("ring");
  broken.rounds = [](const Plan& plan) -> Round { return 2 * (plan.ranks - 1) - 1; };
  CHECK(says(fault(broken, 4), "ends with contributors"));
}

TEST_CASE("a rank that waits for one message too many is found") {
  Algorithm broken = copy_of("naive");
  broken.step = [](const Plan& plan, Rank self, Round) {
    return Step{plan.ranks - 1, plan.ranks - 1 + (self == 2), true};
  };
  CHECK(fault(broken, 4) == "deadlock: rank 2 in round 0");
}

TEST_CASE("a message that nobody expects is found") {
  Algorithm broken = copy_of("naive");
  broken.step = [](const Plan& plan, Rank self, Round) {
    return self == 2 ? Step{plan.ranks - 1, 0, true} : Step{plan.ranks - 1, plan.ranks - 1, true};
  };
  CHECK(fault(broken, 4) == "round 0: rank 2 expects 0 messages, from others than come");
}

TEST_CASE("a range outside the buffer is found") {
  Algorithm broken = copy_of("naive");
  broken.send = [](const Plan& plan, Rank self, Round, uint32_t i) {
    return Send{(self + 1 + i) % plan.ranks, {1, plan.elements}};
  };
  CHECK(says(fault(broken, 4), "sends elements 1 + 12"));
}

}  // namespace
}  // namespace brigade
