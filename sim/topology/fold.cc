// Covered by tests/topology/drawings-fold-what-is-equal.cc.
#include "sim/topology/fold.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace brigade {
namespace {

// What is readable at a glance.
constexpr size_t kVerticesMax = 56, kCablesMax = 130;
constexpr int kRoundsMax = 24;

using Colours = std::vector<uint32_t>;
using Signature = std::vector<int64_t>;

class Numbering {
 public:
  uint32_t number(const Signature& s) {
    return known_.emplace(s, static_cast<uint32_t>(known_.size())).first->second;
  }
  size_t size() const { return known_.size(); }

 private:
  std::map<Signature, uint32_t> known_;
};

struct Adjacency {
  explicit Adjacency(const Topology& t) : first(t.vertices().size() + 1), links(t.links().size()) {
    for (const Link& l : t.links()) ++first[l.from + 1];
    for (size_t v = 0; v + 1 < first.size(); ++v) first[v + 1] += first[v];
    std::vector<uint32_t> at(first.begin(), first.end() - 1);
    for (LinkId l = 0; l < t.links().size(); ++l) links[at[t.links()[l].from]++] = l;
  }
  std::span<const LinkId> of(VertexId v) const {
    return {links.data() + first[v], links.data() + first[v + 1]};
  }

  std::vector<uint32_t> first;
  std::vector<LinkId> links;
};

// What a cable looks like, apart from its ends.
uint32_t class_of(const Topology& t, LinkId l,
                  std::map<std::tuple<int64_t, int64_t, bool>, uint32_t>& known) {
  const Link &x = t.links()[l], &back = t.links()[t.reverse(l)];
  return known
      .emplace(std::tuple(x.bandwidth.bytes_per_s().count, x.latency.ps, x.up && back.up),
               static_cast<uint32_t>(known.size()))
      .first->second;
}

Signature neighbours_of(const Topology& t, const Adjacency& adjacent, const Colours& cable_class, VertexId v,
                        const Colours& colour) {
  std::vector<std::pair<int64_t, int64_t>> around;
  for (const LinkId l : adjacent.of(v)) around.emplace_back(cable_class[l], colour[t.links()[l].to]);
  std::sort(around.begin(), around.end());
  Signature s{colour[v]};
  for (const auto& [c, n] : around) {
    s.push_back(c);
    s.push_back(n);
  }
  return s;
}

// Vertices of one colour look alike from wherever in the graph.
Colours refine(const Topology& t, const Adjacency& adjacent, const Colours& cable_class) {
  Colours colour(t.vertices().size());
  size_t colours = 0;
  {
    Numbering numbering;
    for (VertexId v = 0; v < colour.size(); ++v) {
      const Vertex& x = t.vertices()[v];
      colour[v] =
          numbering.number({static_cast<int64_t>(x.kind), x.level, x.node == kNone, int64_t{x.model}});
    }
    colours = numbering.size();
  }
  for (int round = 0; round < kRoundsMax; ++round) {
    Numbering numbering;
    Colours next(colour.size());
    for (VertexId v = 0; v < colour.size(); ++v)
      next[v] = numbering.number(neighbours_of(t, adjacent, cable_class, v, colour));
    colour.swap(next);
    if (numbering.size() == colours) break;
    colours = numbering.size();
  }
  return colour;
}

class Folder {
 public:
  explicit Folder(const Topology& t) : t_(t), adjacent_(t), members_(t.nodes()) {
    std::map<std::tuple<int64_t, int64_t, bool>, uint32_t> known;
    cable_class_.resize(t.links().size());
    for (LinkId l = 0; l < t.links().size(); ++l) cable_class_[l] = class_of(t, l & ~1u, known);
    for (VertexId v = 0; v < t.vertices().size(); ++v) {
      if (t.vertices()[v].node == kNone) continue;
      std::vector<VertexId>& members = members_[t.vertices()[v].node];
      local_.resize(t.vertices().size());
      local_[v] = static_cast<uint32_t>(members.size());
      members.push_back(v);
    }
  }

  // Each vertex by its own number.
  Folded nothing() const { return folded(each(members_.size()), each(t_.vertices().size())); }

  // Nodes and then switches with the same neighbours.
  Folded twins() const {
    const Colours colour = each(t_.vertices().size());
    const Colours nodes = node_groups(colour);
    Numbering numbering;
    Colours switches(colour.size());
    for (VertexId v = 0; v < colour.size(); ++v) {
      if (t_.vertices()[v].node != kNone) {
        switches[v] = v;
        continue;
      }
      Signature s = neighbours_of(t_, adjacent_, cable_class_, v, colour);
      s[0] = static_cast<int64_t>(t_.vertices()[v].kind) - 8;
      switches[v] = static_cast<uint32_t>(colour.size()) + numbering.number(s);
    }
    return folded(nodes, switches);
  }

  Folded kinds() const {
    const Colours colour = refine(t_, adjacent_, cable_class_);
    return folded(node_groups(colour), colour);
  }

 private:
  static Colours each(size_t n) {
    Colours own(n);
    std::iota(own.begin(), own.end(), 0u);
    return own;
  }

  // By node: nodes of one number have the same inside and, outside, neighbours of the same colours. The
  // numbers are those of Folded's groups, not colours.
  Colours node_groups(const Colours& colour) const {
    Numbering numbering;
    Colours group(members_.size());
    for (uint32_t n = 0; n < members_.size(); ++n) {
      Signature s;
      for (const VertexId v : members_[n]) {
        const Vertex& x = t_.vertices()[v];
        s.insert(s.end(), {-1, static_cast<int64_t>(x.kind), int64_t{x.index}, int64_t{x.model}});
        std::vector<std::array<int64_t, 3>> around;
        for (const LinkId l : adjacent_.of(v)) {
          const VertexId w = t_.links()[l].to;
          const bool inside = t_.vertices()[w].node == n;
          around.push_back({cable_class_[l], inside, inside ? local_[w] : colour[w]});
        }
        std::sort(around.begin(), around.end());
        for (const auto& a : around) s.insert(s.end(), a.begin(), a.end());
      }
      group[n] = numbering.number(s);
    }
    return group;
  }

  // Nodes of one group are one; of the vertices without a node those of one colour.
  Folded folded(const Colours& node_group, const Colours& colour) const {
    Folded f;
    std::vector<uint32_t> drawn(t_.vertices().size(), kNone);
    std::map<uint32_t, size_t> group_of;  // to an index of groups
    std::vector<FoldedNode> groups;
    for (uint32_t n = 0; n < members_.size(); ++n) {
      if (members_[n].empty()) continue;
      const auto [at, is_new] = group_of.emplace(node_group[n], groups.size());
      if (is_new) {
        FoldedNode node{.example = n, .last = n, .count = 0, .vertices = {}};
        for (const VertexId v : members_[n]) {
          node.vertices.push_back(static_cast<uint32_t>(f.vertices.size()));
          f.vertices.push_back({v, v, 0});
        }
        groups.push_back(std::move(node));
      }
      FoldedNode& group = groups[at->second];
      group.last = n;
      ++group.count;
      for (size_t i = 0; i < members_[n].size(); ++i) {
        const uint32_t d = group.vertices[i];
        drawn[members_[n][i]] = d;
        f.vertices[d].last = members_[n][i];
        ++f.vertices[d].count;
      }
    }
    std::map<uint32_t, uint32_t> switch_of;
    for (VertexId v = 0; v < t_.vertices().size(); ++v) {
      if (t_.vertices()[v].node != kNone) continue;
      const auto [at, is_new] = switch_of.emplace(colour[v], static_cast<uint32_t>(f.vertices.size()));
      if (is_new) {
        f.alone.push_back(at->second);
        f.vertices.push_back({v, v, 0});
      }
      drawn[v] = at->second;
      f.vertices[at->second].last = v;
      ++f.vertices[at->second].count;
    }
    for (FoldedNode& group : groups) {
      if (group.vertices.size() > 1) {
        f.nodes.push_back(std::move(group));
      } else {
        f.alone.push_back(group.vertices.front());
      }
    }
    add_cables(drawn, f);
    f.is_folded = f.vertices.size() < t_.vertices().size();
    return f;
  }

  void add_cables(const std::vector<uint32_t>& drawn, Folded& f) const {
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, size_t> known;
    for (LinkId l = 0; l < t_.links().size(); l += 2) {
      const uint32_t a = drawn[t_.links()[l].from], b = drawn[t_.links()[l].to];
      const auto [at, is_new] =
          known.emplace(std::tuple(std::min(a, b), std::max(a, b), cable_class_[l]), f.cables.size());
      if (is_new) f.cables.push_back({a, b, l, {}});
      f.cables[at->second].links.push_back(l);
    }
  }

  const Topology& t_;
  Adjacency adjacent_;
  std::vector<std::vector<VertexId>> members_;  // of each node
  std::vector<uint32_t> local_;                 // number of a vertex in its node
  Colours cable_class_;                         // by link
};

bool is_readable(const Folded& f) {
  return f.vertices.size() <= kVerticesMax && f.cables.size() <= kCablesMax;
}

}  // namespace

Folded fold_nothing(const Topology& topology) { return Folder(topology).nothing(); }

Folded fold(const Topology& topology) {
  const Folder folder(topology);
  if (topology.vertices().size() <= kVerticesMax && topology.links().size() / 2 <= kCablesMax)
    return folder.nothing();
  Folded twins = folder.twins();
  if (is_readable(twins)) return twins;
  Folded kinds = folder.kinds();
  // Where folding finds nothing equal, the whole is as readable.
  return kinds.vertices.size() < twins.vertices.size() ? kinds : twins;
}

}  // namespace brigade
