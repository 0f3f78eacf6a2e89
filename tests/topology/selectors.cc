// What selectors name, and what they say when they name nothing.
#include "absl/strings/str_join.h"
#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

std::string names(const Topology& t, const std::string& selector) {
  Diagnostics errors;
  std::vector<std::string> found;
  for (const VertexId v : t.select(selector, {"a.yaml", 3, 5}, errors)) found.push_back(t.vertex_name(v));
  CHECK(errors.ok());
  return absl::StrJoin(found, " ");
}

std::string complaint(const Topology& t, const std::string& selector) {
  Diagnostics errors;
  t.select(selector, {"a.yaml", 3, 5}, errors);
  REQUIRE(errors.list().size() == 1);
  CHECK(errors.list()[0].place.line == 3);
  return errors.list()[0].message;
}

}  // namespace

TEST_CASE("selectors of families") {
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 4, 2), 3}}, leaf_spine(2, 2)));
  struct Row {
    std::string selector, names;
  };
  for (const Row& row : std::vector<Row>{
           {"node[2].nic[1]", "node[2].nic[1]"},
           {"node[*].gpu[0]", "node[0].gpu[0] node[1].gpu[0] node[2].gpu[0]"},
           {"node[0-1].gpu[2-3]", "node[0].gpu[2] node[0].gpu[3] node[1].gpu[2] node[1].gpu[3]"},
           {"node[0].gpu[1,3]", "node[0].gpu[1] node[0].gpu[3]"},
           {"node[0,2].gpu[3,0-1]",
            "node[0].gpu[0] node[0].gpu[1] node[0].gpu[3] node[2].gpu[0] node[2].gpu[1] node[2].gpu[3]"},
           {"node[1]",
            "node[1].gpu[0] node[1].gpu[1] node[1].gpu[2] node[1].gpu[3] node[1].nvswitch[0] node[1].nic[0] "
            "node[1].nic[1]"},
           {"leaf[0]", "leaf[0]"},
           {"spine[*]", "spine[0] spine[1]"}}) {
    CHECK(names(*t, row.selector) == row.names);
  }
}

TEST_CASE("the one switch is called switch") {
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 2, 2), 2}}, one_switch()));
  CHECK(names(*t, "switch[0]") == "switch[0]");
  CHECK(names(*t, "switch[*]") == "switch[0]");
}

TEST_CASE("errors of selectors say what exists") {
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 8, 8), 16}}, one_switch()));
  const std::string exists =
      "there are node[0-15].gpu[0-7], node[0-15].nvswitch[0], node[0-15].nic[0-7], switch[0]";
  struct Row {
    std::string selector, message;
  };
  for (const Row& row : std::vector<Row>{
           {"node[0-16].gpu[*]", "selector \"node[0-16].gpu[*]\": 16 is out of range; " + exists},
           {"node[3].gpu[6-9]", "selector \"node[3].gpu[6-9]\": 9 is out of range; " + exists},
           {"node[3].gpu[1,8]", "selector \"node[3].gpu[1,8]\": 8 is out of range; " + exists},
           {"node[99]", "selector \"node[99]\" matches nothing; " + exists},
           {"leaf[0]", "selector \"leaf[0]\" matches nothing; " + exists},
           {"gpu[0]", "selector \"gpu[0]\" matches nothing; " + exists},
           {"nod", "selector \"nod\" matches nothing; " + exists},
           {"node[0].gpu", "selector \"node[0].gpu\" matches nothing; " + exists},
           {"", "selector \"\": the selector is empty"},
           {"*", "selector \"*\": \"*\" is no name; numbers go into brackets: [5], [0-3], [1,4], [*]"},
           {"node[0", "selector \"node[0\": a bracket is not closed"},
           {"node[3-1]", "selector \"node[3-1]\": the range 3-1 runs backwards"},
           {"node[-1]",
            "selector \"node[-1]\": \"[-1]\" is no set of numbers; allowed: [5], [0-3], [1,4], [*]"},
           {"node[]", "selector \"node[]\": \"[]\" is no set of numbers; allowed: [5], [0-3], [1,4], [*]"},
           {"node[99999999999]",
            "selector \"node[99999999999]\": \"[99999999999]\" is no set of numbers; allowed: [5], [0-3], "
            "[1,4], [*]"}}) {
    CHECK(complaint(*t, row.selector) == row.message);
  }
}

TEST_CASE("selectors of links") {
  const auto t = build(cluster({{node_type(NodeFamily::kSwitched, 2, 2), 2}}, one_switch()));
  const auto links = [&](const std::string& selector) {
    Diagnostics errors;
    std::vector<std::string> found;
    for (const LinkId l : t->select_links(selector, {}, errors)) found.push_back(t->link_name(l));
    return errors.ok() ? absl::StrJoin(found, ", ") : errors.list()[0].message;
  };
  CHECK(links("node[0].nic[1]") ==
        "node[0].gpu[1] -> node[0].nic[1], node[0].nic[1] -> node[0].gpu[1], node[0].nic[1] -> switch[0], "
        "switch[0] -> node[0].nic[1]");
  CHECK(links("node[0].nic[1] -> switch[0]") == "node[0].nic[1] -> switch[0]");
  CHECK(links("switch[0] - node[*].nic[0]") ==
        "node[0].nic[0] -> switch[0], switch[0] -> node[0].nic[0], node[1].nic[0] -> switch[0], switch[0] -> "
        "node[1].nic[0]");
  CHECK(links("node[0].gpu[0] -> switch[0]") == "no cable joins \"node[0].gpu[0] -> switch[0]\"");
  // The name of a link selects it.
  for (LinkId l = 0; l < t->links().size(); ++l) {
    Diagnostics errors;
    CHECK(t->select_links(t->link_name(l), {}, errors) == std::vector<LinkId>{l});
  }
}
