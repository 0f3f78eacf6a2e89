// On an idle flat network the simulated time is the closed form, to the picosecond: in lockstep for every N,
// free for ring, naive and direct at every N and for the others at powers of two; whatever the segment.
#include "tests/catch.h"
#include "tests/effort.h"
#include "tests/engine/run_calls.h"
#include "tests/oracle/collective_cases.h"

using namespace brigade;

namespace {

const Duration kLatency = nanoseconds(2500);  // a link; a message crosses two
const Cost kFlat{nanoseconds(5000), Bandwidth::gb_per_s(450)};

void check(const Topology& topology, const PlanRequest& request, bool lockstep, const NetworkSpec& network) {
  oracle::PlainJob job = job_of(oracle::gpus_of(topology), request);
  job.lockstep = lockstep;
  const auto form = job.plans[0]->closed_form(kFlat, kFlat);
  if (!form || (!lockstep && !job.plans[0]->in_step())) return;
  FastEngine engine(topology, network, {});
  const Ends ends = run_fast(engine, {job});
  INFO(name_of(request.algorithm->collective)
       << " " << request.algorithm->name << " n=" << request.ranks << " elements=" << request.elements
       << " root=" << request.root << " group=" << request.group << " inner=" << request.inner
       << " outer=" << request.outer << " lockstep=" << lockstep << " segment=" << network.segment.count);
  REQUIRE(last_of(ends.end[0]).ps == form->ps);
}

}  // namespace

TEST_CASE("the simulated time is the closed form, N from 1 to 64") {
  NetworkSpec whole, cut;
  whole.segment_rule = SegmentRule::kWhole;
  cut.segment = kibibytes(64);
  for (Rank n = 1; n <= 64; n = next_ranks(n)) {
    const auto topology = oracle::nvswitch(static_cast<int>(n), Bandwidth::gb_per_s(450), kLatency);
    for (const int64_t elements : {int64_t{0}, int64_t{1}, int64_t{n} - 1, int64_t{1'000'003}}) {
      for (const auto& row : oracle::kCollectiveCases) {
        auto requests = oracle::requests(row, n, elements);
        // Every root and every division into nodes at small N; the last ones at large N.
        if (n > 12 && requests.size() > 2) requests.erase(requests.begin(), requests.end() - 2);
        for (const PlanRequest& request : requests)
          for (const bool lockstep : {false, true}) {
            check(*topology, request, lockstep, whole);
            if (elements > 1000 && n <= 24) check(*topology, request, lockstep, cut);
          }
      }
    }
  }
}
