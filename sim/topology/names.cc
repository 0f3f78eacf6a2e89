// Names of vertices and links, and what selectors find among them. Covered by tests/topology/selectors.cc.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sim/topology/selector.h"
#include "sim/topology/topology.h"

namespace brigade {
namespace {

const char* word_of(VertexKind kind) {
  switch (kind) {
    case VertexKind::kGpu:
      return "gpu";
    case VertexKind::kHost:
      return "host";
    case VertexKind::kNvswitch:
      return "nvswitch";
    case VertexKind::kPcie:
      return "pcie";
    case VertexKind::kNic:
      return "nic";
    case VertexKind::kSwitch:
      break;
  }
  return "switch";
}

// "node[3].gpu[5]" -> "node[#].gpu[#]" and {3, 5}.
std::pair<std::string, std::vector<uint32_t>> shape_of(const std::string& name) {
  std::pair<std::string, std::vector<uint32_t>> shape;
  for (size_t i = 0; i < name.size(); ++i) {
    shape.first += name[i];
    if (name[i] != '[') continue;
    uint32_t n = 0;
    for (++i; i < name.size() && name[i] != ']'; ++i) n = n * 10 + static_cast<uint32_t>(name[i] - '0');
    shape.first += "#]";
    shape.second.push_back(n);
  }
  return shape;
}

std::string with_ranges(const std::string& shape, const std::vector<std::pair<uint32_t, uint32_t>>& ranges) {
  std::string text;
  size_t next = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != '#' || i == 0 || shape[i - 1] != '[') {
      text += shape[i];
      continue;
    }
    const auto [low, high] = ranges[next++];
    absl::StrAppend(&text, low);
    if (high != low) absl::StrAppend(&text, "-", high);
  }
  return text;
}

}  // namespace

std::string Topology::vertex_name(VertexId v) const {
  if (!names_.empty()) return names_[v];
  const Vertex& x = vertices_[v];
  if (x.node != kNone) return absl::StrCat("node[", x.node, "].", word_of(x.kind), "[", x.index, "]");
  return absl::StrCat(tier_words_[x.level], "[", x.index, "]");
}

std::string Topology::link_name(LinkId l) const {
  return absl::StrCat(vertex_name(links_[l].from), " -> ", vertex_name(links_[l].to));
}

std::string Topology::selectable() const {
  constexpr size_t kShapesMax = 12;
  std::map<std::string, size_t> known;
  std::vector<std::pair<std::string, std::vector<std::pair<uint32_t, uint32_t>>>> shapes;
  for (VertexId v = 0; v < vertices_.size(); ++v) {
    const auto [shape, numbers] = shape_of(vertex_name(v));
    const auto [at, is_new] = known.emplace(shape, shapes.size());
    if (is_new)
      shapes.push_back({shape, std::vector<std::pair<uint32_t, uint32_t>>(numbers.size(), {UINT32_MAX, 0})});
    auto& ranges = shapes[at->second].second;
    for (size_t i = 0; i < numbers.size(); ++i) {
      ranges[i] = {std::min(ranges[i].first, numbers[i]), std::max(ranges[i].second, numbers[i])};
    }
  }
  std::vector<std::string> texts;
  for (const auto& [shape, ranges] : shapes) {
    if (texts.size() == kShapesMax) {
      texts.push_back("...");
      break;
    }
    texts.push_back(with_ranges(shape, ranges));
  }
  return absl::StrJoin(texts, ", ");
}

std::vector<VertexId> Topology::select(std::string_view text, const Place& at, Diagnostics& errors) const {
  std::string wrong;
  std::optional<Selector> selector = Selector::parse(text, &wrong);
  std::vector<VertexId> found;
  for (VertexId v = 0; selector && v < vertices_.size(); ++v) {
    if (selector->matches(vertex_name(v))) found.push_back(v);
  }
  if (!selector) {
    errors.error(at, absl::StrCat("selector \"", std::string(text), "\": ", wrong));
  } else if (found.empty()) {
    errors.error(
        at, absl::StrCat("selector \"", std::string(text), "\" matches nothing; there are ", selectable()));
  } else if (const std::optional<uint32_t> missing = selector->missing()) {
    errors.error(at, absl::StrCat("selector \"", std::string(text), "\": ", *missing,
                                  " is out of range; there are ", selectable()));
  }
  return found;
}

std::vector<LinkId> Topology::select_links(std::string_view text, const Place& at,
                                           Diagnostics& errors) const {
  const auto flags = [&](std::string_view part) {
    std::vector<bool> is_in(vertices_.size());
    for (const VertexId v : select(part, at, errors)) is_in[v] = true;
    return is_in;
  };
  const int errors_before = errors.errors();
  const size_t one_way = text.find(" -> "), both_ways = text.find(" - ");
  std::vector<LinkId> found;
  if (one_way == std::string_view::npos && both_ways == std::string_view::npos) {
    const std::vector<bool> is_in = flags(text);
    for (LinkId l = 0; l < links_.size(); ++l) {
      if (is_in[links_[l].from] || is_in[links_[l].to]) found.push_back(l);
    }
  } else {
    const bool both = one_way == std::string_view::npos;
    const std::vector<bool> a = flags(text.substr(0, both ? both_ways : one_way));
    const std::vector<bool> b = flags(text.substr(both ? both_ways + 3 : one_way + 4));
    for (LinkId l = 0; l < links_.size(); ++l) {
      const auto [from, to] = std::pair(links_[l].from, links_[l].to);
      if ((a[from] && b[to]) || (both && b[from] && a[to])) found.push_back(l);
    }
  }
  if (found.empty() && errors.errors() == errors_before) {
    errors.error(at, absl::StrCat("no cable joins \"", std::string(text), "\""));
  }
  return found;
}

}  // namespace brigade
