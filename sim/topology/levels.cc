// Covered by tests/topology/describe.cc.
#include "sim/topology/levels.h"

#include <map>
#include <tuple>

namespace brigade {
namespace {

bool is_switch(const Vertex& v) { return v.kind == VertexKind::kSwitch; }

}  // namespace

std::vector<int> switch_levels(const Topology& t) {
  std::vector<int> level(t.vertices().size());
  std::vector<VertexId> frontier, next;
  for (const Link& l : t.links()) {
    if (is_switch(t.vertices()[l.from]) || !is_switch(t.vertices()[l.to]) || level[l.to] != 0) continue;
    level[l.to] = 1;
    frontier.push_back(l.to);
  }
  std::vector<std::vector<VertexId>> neighbours(t.vertices().size());
  for (const Link& l : t.links()) {
    if (is_switch(t.vertices()[l.from]) && is_switch(t.vertices()[l.to])) neighbours[l.from].push_back(l.to);
  }
  for (int at = 2; !frontier.empty(); ++at) {
    next.clear();
    for (const VertexId v : frontier) {
      for (const VertexId w : neighbours[v]) {
        if (level[w] != 0) continue;
        level[w] = at;
        next.push_back(w);
      }
    }
    frontier.swap(next);
  }
  return level;
}

std::vector<SwitchClass> switch_classes(const Topology& t) {
  const std::vector<int> level = switch_levels(t);
  std::vector<SwitchClass> by_vertex(t.vertices().size());
  for (const Link& l : t.links()) {
    if (level[l.from] == 0 || !l.up) continue;
    SwitchClass& c = by_vertex[l.from];
    const int64_t bytes_per_s = l.bandwidth.bytes_per_s().count;
    if (level[l.to] < level[l.from]) c.down_bytes_per_s += bytes_per_s;
    if (level[l.to] == level[l.from]) c.across_bytes_per_s += bytes_per_s;
    if (level[l.to] > level[l.from]) c.up_bytes_per_s += bytes_per_s;
  }
  std::map<std::tuple<int, int64_t, int64_t, int64_t>, SwitchClass> classes;
  for (VertexId v = 0; v < level.size(); ++v) {
    if (level[v] == 0) continue;
    const SwitchClass& own = by_vertex[v];
    SwitchClass& c = classes[{level[v], own.down_bytes_per_s, own.up_bytes_per_s, own.across_bytes_per_s}];
    if (c.switches++ > 0) continue;
    c = own;
    c.level = level[v];
    c.switches = 1;
    c.example = v;
  }
  std::vector<SwitchClass> found;
  for (const auto& [unused, c] : classes) found.push_back(c);
  return found;
}

}  // namespace brigade
