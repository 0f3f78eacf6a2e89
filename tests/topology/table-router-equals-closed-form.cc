// The generic router on a family's graph finds routes of the same cost as the closed form, and as Boost.
#include "sim/base/random.h"
#include "sim/topology/table_router.h"
#include "tests/catch.h"
#include "tests/topology/families.h"

using namespace brigade;
using namespace brigade::testing;

TEST_CASE("tables cost what the closed form costs") {
  for (const NamedCluster& c : all_families()) {
    const auto t = build(c.spec);
    const TableRouter table(t->vertices(), t->links());
    const std::vector<VertexId> devices = endpoints(*t);
    Random random(42);  // the seed
    std::string fault;
    for (int i = 0; i < 40 && fault.empty(); ++i) {
      const VertexId from = devices[random.below(devices.size())], to = devices[random.below(devices.size())];
      fault = fault_of_route(*t, table, from, to, random.next());
    }
    INFO(c.name);
    CHECK(fault == "");
  }
}
