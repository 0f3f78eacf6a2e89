// On a symmetric network it does not matter which device is which rank: on one switch, for every algorithm
// whose ranks send one message a round (so that no tie at a port decides).
#include "sim/base/random.h"
#include "sim/workload/run.h"
#include "tests/catch.h"
#include "tests/oracle/machines.h"
#include "tests/property/options.h"

namespace brigade {

TEST_CASE("relabelled ranks") {
  const Rank n = 11;
  const auto topology = oracle::nvswitch(static_cast<int>(n), Bandwidth::gb_per_s(450), nanoseconds(2500));
  Random random(property::options().seed);
  for (const char* name : {"ring", "tree", "butterfly", "halving_doubling", "double_binary_tree"}) {
    std::vector<Rank> order(n);
    for (Rank r = 0; r < n; ++r) order[r] = r;
    Duration first{};
    for (int i = 0; i < 8; ++i) {
      JobSpec job;
      job.name = "c";
      for (const Rank r : order) job.ranks.push_back("node[0].gpu[" + std::to_string(r) + "]");
      CollectiveJobSpec spec;
      spec.algorithms = {{}};
      spec.algorithms[0].algorithm = name;
      spec.sizes = {{1'000'003}};
      job.kind = spec;
      Diagnostics errors;
      const auto run = Run::prepare(
          {.topology = *topology, .network = {}, .seed = 1, .jobs = {job}, .changes = {}}, errors);
      INFO(errors.text() << name << ", seed " << property::options().seed);
      REQUIRE(run);
      const Duration end = run->go({}).end;
      if (i == 0) first = end;
      CHECK(end.ps == first.ps);
      for (size_t j = n; j > 1; --j) std::swap(order[j - 1], order[random.below(j)]);
    }
  }
}

}  // namespace brigade
