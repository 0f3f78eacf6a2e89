// Covered by tests/topology/describe.cc.
#include "sim/topology/describe.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/base/units.h"
#include "sim/topology/bisection.h"
#include "sim/topology/levels.h"
#include "sim/topology/pairs.h"

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

std::string range_of(const std::string& low, const std::string& high) {
  return low == high ? low : absl::StrCat(low, " to ", high);
}

std::string cables(const Topology& t) {
  struct Entry {
    size_t count = 0;
    LinkId example = kNone;
    Duration latency_min{INT64_MAX}, latency_max{};
  };
  std::map<std::tuple<VertexKind, VertexKind, int64_t, bool>, Entry> classes;
  for (LinkId l = 0; l < t.links().size(); l += 2) {
    const Link& x = t.links()[l];
    const auto [low, high] = std::minmax(t.vertices()[x.from].kind, t.vertices()[x.to].kind);
    Entry& entry = classes[{low, high, x.bandwidth.bytes_per_s().count, x.up}];
    if (entry.count++ == 0) entry.example = l;
    entry.latency_min = std::min(entry.latency_min, x.latency);
    entry.latency_max = std::max(entry.latency_max, x.latency);
  }
  std::string text = "cables, per direction\n";
  for (const auto& [unused, entry] : classes) {
    const Link& x = t.links()[entry.example];
    absl::StrAppendFormat(&text, "  %6d x %-20s %10s  %10s%s   e.g. %s\n", entry.count,
                          absl::StrCat(kind_of(t, x.from), " - ", kind_of(t, x.to)), to_string(x.bandwidth),
                          range_of(to_string(entry.latency_min), to_string(entry.latency_max)),
                          x.up ? "" : "  down", t.link_name(entry.example));
  }
  return text;
}

std::string pairs_text(const Topology& t, const Pairs& pairs) {
  if (pairs.looked_at == 0) return "";
  const bool gpus = t.vertices()[pairs.classes.front().from].kind == VertexKind::kGpu;
  std::string text = absl::StrCat("pairs of ", gpus ? "GPUs" : "hosts", ", by the way between them");
  if (!pairs.all())
    absl::StrAppend(&text, " (from all ", pairs.devices, " to ", pairs.destinations, " of them)");
  absl::StrAppend(&text, "\n");
  constexpr size_t kClassesMax = 12;
  for (size_t i = 0; i < std::min(pairs.classes.size(), kClassesMax); ++i) {
    const PairClass& c = pairs.classes[i];
    const double share = 100.0 * static_cast<double>(c.pairs) / static_cast<double>(pairs.looked_at);
    const std::string percent = share < 0.05 ? "<0.1" : absl::StrFormat("%.1f", share);
    absl::StrAppendFormat(&text, "  %5s %%  %-36s", percent, c.way);
    if (c.hops_max > 0) {
      const auto slowest = [](int64_t bytes) { return to_string(Bandwidth::per_second({bytes})); };
      absl::StrAppend(&text, "  ", range_of(absl::StrCat(c.hops_min), absl::StrCat(c.hops_max)),
                      c.hops_max == 1 ? " link, " : " links, ",
                      range_of(to_string(c.latency_min), to_string(c.latency_max)), ", ",
                      range_of(slowest(c.slowest_min), slowest(c.slowest_max)));
    }
    absl::StrAppend(&text, "   e.g. ", t.vertex_name(c.from), " -> ", t.vertex_name(c.to), "\n");
  }
  if (pairs.classes.size() > kClassesMax)
    absl::StrAppend(&text, "  and ", pairs.classes.size() - kClassesMax, " other ways\n");
  if (pairs.diameter > 0)
    absl::StrAppend(&text, "diameter: the longest of these routes has ",
                    plural(static_cast<size_t>(pairs.diameter), "link"), "\n");
  return text;
}

std::string bisection_text(const Topology& t) {
  const Bisection b = bisection_of(t);
  if (b.devices < 2) return "";
  const std::string half =
      b.period == b.devices
          ? absl::StrCat("the first ", b.smaller, " devices and the other ", b.devices - b.smaller)
          : absl::StrCat("devices whose number modulo ", b.period, " is below ", b.period / 2,
                         ", and the others");
  std::string text = "bisection\n";
  if (b.bytes_per_s < 1) return absl::StrCat(text, "  nothing crosses between ", half, "\n");
  const double share = b.bytes_per_s / static_cast<double>(b.smaller);
  const auto rate = [](double bytes_per_s) {
    return to_string(
        Bandwidth::per_second({static_cast<int64_t>(std::max(1.0, std::min(bytes_per_s, 0x1p60)))}));
  };
  return absl::StrCat(text, "  ", rate(b.bytes_per_s), " each way at most, ", rate(share),
                      " a device of the half, between ", half, "\n", "  the narrowest of ", b.splits,
                      b.splits == 1 ? " pair" : " pairs", " of halves that the numbering suggests",
                      b.all_splits ? "" : "; finer ones are not looked at in a cluster of this size",
                      "; by max-flow\n");
}

std::string ratio_text(int64_t down, int64_t up) {
  return absl::StrFormat("%.3g:1", static_cast<double>(down) / static_cast<double>(up));
}

std::string oversubscription(const Topology& t) {
  const std::vector<SwitchClass> classes = switch_classes(t);
  if (classes.empty()) return "";
  constexpr size_t kClassesMax = 8;
  std::string text = "fabric switches by level, bandwidth of one of them each way\n";
  for (size_t i = 0; i < std::min(classes.size(), kClassesMax); ++i) {
    const SwitchClass& c = classes[i];
    const auto rate = [](int64_t bytes) { return to_string(Bandwidth::per_second({bytes})); };
    absl::StrAppendFormat(&text, "  level %d: %6d x  down %s", c.level, c.switches,
                          c.down_bytes_per_s > 0 ? rate(c.down_bytes_per_s) : "nothing");
    if (c.up_bytes_per_s > 0) absl::StrAppend(&text, ", up ", rate(c.up_bytes_per_s));
    if (c.across_bytes_per_s > 0) absl::StrAppend(&text, ", across ", rate(c.across_bytes_per_s));
    if (c.up_bytes_per_s > 0 && c.down_bytes_per_s > 0)
      absl::StrAppend(&text, ", oversubscription ", ratio_text(c.down_bytes_per_s, c.up_bytes_per_s));
    absl::StrAppend(&text, "   e.g. ", t.vertex_name(c.example), "\n");
  }
  if (classes.size() > kClassesMax)
    absl::StrAppend(&text, "  and ", classes.size() - kClassesMax, " other kinds\n");
  return text;
}

std::string injection(const Topology& t) {
  struct Node {
    int64_t bytes_per_s = 0, gpus = 0, nvlink_bytes_per_s = 0;  // the last one out of its GPUs
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
    const VertexKind to = t.vertices()[l.to].kind;
    const bool nvlink =
        from.kind == VertexKind::kGpu && (to == VertexKind::kGpu || to == VertexKind::kNvswitch);
    if (nvlink && l.up && from.node != kNone)
      nodes[from.node].nvlink_bytes_per_s += l.bandwidth.bytes_per_s().count;
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
      const int64_t inside = node.nvlink_bytes_per_s / node.gpus;
      if (inside > 0) {
        absl::StrAppend(&text, "; NVLink inside ", to_string(Bandwidth::per_second({inside})), " a GPU, ",
                        ratio_text(inside, share.count));
      }
    }
    absl::StrAppend(&text, "\n");
  }
  return text.empty() ? text : "injection into the fabric\n" + text;
}

}  // namespace

std::string describe(const Topology& t) {
  return absl::StrCat(counts(t), devices(t), cables(t), pairs_text(t, pairs_of(t)), injection(t),
                      oversubscription(t), bisection_text(t));
}

}  // namespace brigade
