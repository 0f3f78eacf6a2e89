// Covered by tests/topology/describe.cc.
#include "sim/topology/describe.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "sim/base/units.h"

namespace brigade {
namespace {

constexpr const char* kKindNames[] = {"gpu", "host", "nvswitch", "pcie", "nic", "switch"};

const char* kind_of(const Topology& t, VertexId v) {
  return kKindNames[static_cast<size_t>(t.vertices()[v].kind)];
}

std::string plural(size_t n, const std::string& word) {
  const bool es = !word.empty() && (word.back() == 'h' || word.back() == 's');
  return absl::StrCat(n, " ", word, n == 1 ? "" : es ? "es" : "s");
}

std::string counts(const Topology& t) {
  constexpr const char* kWords[] = {"GPU", "host", "NVLink switch", "PCIe switch", "NIC", "fabric switch"};
  std::map<VertexKind, size_t> count;
  for (const Vertex& v : t.vertices()) ++count[v.kind];
  std::string text = absl::StrCat(t.name().empty() ? "cluster" : t.name(), ": ", plural(t.nodes(), "node"));
  for (const auto& [kind, n] : count)
    absl::StrAppend(&text, ", ", plural(n, kWords[static_cast<size_t>(kind)]));
  return absl::StrCat(text, ", ", plural(t.links().size() / 2, "cable"), "\n");
}

std::string devices(const Topology& t) {
  std::vector<size_t> count(t.models().size());
  for (const Vertex& v : t.vertices()) {
    if (v.model != kNone) ++count[v.model];
  }
  std::string text;
  for (size_t m = 0; m < count.size(); ++m) {
    const DeviceModel& model = t.models()[m];
    absl::StrAppend(&text, "  ", count[m], " x ", model.name);
    for (const auto& [dtype, rate] : model.peak_flop_per_s) {
      absl::StrAppendFormat(&text, ", %s %g TFLOP/s", dtype, rate * 1e-12);
    }
    if (model.memory) absl::StrAppend(&text, ", memory ", to_string(*model.memory));
    if (model.memory_bandwidth) absl::StrAppend(&text, " at ", to_string(*model.memory_bandwidth));
    absl::StrAppend(&text, "\n");
  }
  return text.empty() ? text : "devices\n" + text;
}

std::string cables(const Topology& t) {
  using Class = std::tuple<VertexKind, VertexKind, int64_t, int64_t, bool>;
  std::map<Class, std::pair<size_t, LinkId>> classes;
  for (LinkId l = 0; l < t.links().size(); l += 2) {
    const Link& x = t.links()[l];
    const auto [low, high] = std::minmax(t.vertices()[x.from].kind, t.vertices()[x.to].kind);
    auto& entry = classes[{low, high, x.bandwidth.bytes_per_s().count, x.latency.ps, x.up}];
    if (entry.first++ == 0) entry.second = l;
  }
  std::string text = "cables, per direction\n";
  for (const auto& [unused, entry] : classes) {
    const Link& x = t.links()[entry.second];
    absl::StrAppendFormat(&text, "  %6d x %-20s %10s  %10s%s   e.g. %s\n", entry.first,
                          absl::StrCat(kind_of(t, x.from), " - ", kind_of(t, x.to)), to_string(x.bandwidth),
                          to_string(x.latency), x.up ? "" : "  down", t.link_name(entry.second));
  }
  return text;
}

// What a message from the first device meets, by class of destination.
std::string routes(const Topology& t) {
  struct Class {
    size_t count = 0;
    VertexId example = kNone;
  };
  std::vector<VertexId> endpoints;
  for (VertexId v = 0; v < t.vertices().size(); ++v) {
    if (t.is_endpoint(v)) endpoints.push_back(v);
  }
  std::map<std::tuple<bool, int, int64_t, int64_t>, Class> classes;
  std::vector<LinkId> route(static_cast<size_t>(t.router().hops_max()));
  const VertexId from = endpoints.front();
  for (const VertexId to : endpoints) {
    if (to == from) continue;
    const int hops = t.router().route(from, to, 0, route.data());
    int64_t latency_ps = 0, slowest = hops > 0 ? INT64_MAX : 0;
    for (int i = 0; i < hops; ++i) {
      const Link& l = t.links()[route[static_cast<size_t>(i)]];
      latency_ps += l.latency.ps;
      slowest = std::min(slowest, l.bandwidth.bytes_per_s().count);
    }
    const bool far = t.vertices()[to].node != t.vertices()[from].node;
    Class& c = classes[{far, hops, latency_ps, slowest}];
    if (c.count++ == 0) c.example = to;
  }
  if (classes.empty()) return "";
  std::string text = absl::StrCat("routes from ", t.vertex_name(from), "\n");
  for (const auto& [key, c] : classes) {
    const auto [far, hops, latency_ps, slowest] = key;
    absl::StrAppendFormat(&text, "  %6d to %s, e.g. %s: ", c.count, far ? "other nodes" : "its own node",
                          t.vertex_name(c.example));
    if (hops < 0) {
      absl::StrAppend(&text, "no route\n");
    } else {
      absl::StrAppend(&text, plural(static_cast<size_t>(hops), "link"), ", ", to_string(Duration{latency_ps}),
                      ", ", to_string(Bandwidth::per_second({slowest})), "\n");
    }
  }
  return text;
}

std::string injection(const Topology& t) {
  struct Node {
    int64_t bytes_per_s = 0, gpus = 0;
    auto operator<=>(const Node&) const = default;
  };
  std::vector<Node> nodes(t.nodes());
  for (const Vertex& v : t.vertices()) {
    if (v.node != kNone && v.kind == VertexKind::kGpu) ++nodes[v.node].gpus;
  }
  for (const Link& l : t.links()) {
    const Vertex& from = t.vertices()[l.from];
    if (from.node != kNone && from.node != t.vertices()[l.to].node && l.up) {
      nodes[from.node].bytes_per_s += l.bandwidth.bytes_per_s().count;
    }
  }
  std::map<Node, size_t> classes;
  for (const Node& n : nodes) ++classes[n];
  std::string text;
  for (const auto& [node, count] : classes) {
    if (node.bytes_per_s == 0) continue;
    absl::StrAppend(&text, "  ", plural(count, "node"), ": ",
                    to_string(Bandwidth::per_second({node.bytes_per_s})));
    if (node.gpus > 0) {
      const Bytes share{std::max<int64_t>(1, node.bytes_per_s / node.gpus)};
      absl::StrAppend(&text, ", ", to_string(Bandwidth::per_second(share)), " a GPU");
    }
    absl::StrAppend(&text, "\n");
  }
  return text.empty() ? text : "injection into the fabric\n" + text;
}

}  // namespace

std::string describe(const Topology& t) {
  return absl::StrCat(counts(t), devices(t), cables(t), routes(t), injection(t));
}

std::string graphviz(const Topology& t) {
  const auto quoted = [](const std::string& name) {
    return absl::StrCat("\"", absl::StrReplaceAll(name, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
  };
  std::string text = absl::StrCat("graph ", quoted(t.name()), " {\n  node [shape=box];\n");
  const auto line = [&](VertexId v, const char* indent) {
    absl::StrAppend(&text, indent, "v", v, " [label=", quoted(t.vertex_name(v)), "];\n");
  };
  std::vector<std::vector<VertexId>> nodes(t.nodes());
  for (VertexId v = 0; v < t.vertices().size(); ++v) {
    if (t.vertices()[v].node == kNone) {
      line(v, "  ");
    } else {
      nodes[t.vertices()[v].node].push_back(v);
    }
  }
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (nodes[n].empty()) continue;
    absl::StrAppend(&text, "  subgraph cluster_", n, " {\n    label=\"node[", n, "]\";\n");
    for (const VertexId v : nodes[n]) line(v, "    ");
    absl::StrAppend(&text, "  }\n");
  }
  for (LinkId l = 0; l < t.links().size(); l += 2) {
    const Link& x = t.links()[l];
    const char* style = x.up && t.links()[t.reverse(l)].up ? "" : ", style=dashed";
    absl::StrAppend(&text, "  v", x.from, " -- v", x.to, " [label=\"", to_string(x.bandwidth), "\"", style,
                    "];\n");
  }
  return text + "}\n";
}

}  // namespace brigade
