// Covered by tests/topology/describe.cc and drawings-fold-what-is-equal.cc.
#include "sim/topology/drawing.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "sim/base/units.h"
#include "sim/topology/fold.h"
#include "sim/topology/levels.h"

namespace brigade {
namespace {

enum class LinkClass { kNvlink, kPcie, kNetwork };

struct KindStyle {
  const char* word;
  const char* fill;
  int layer;  // from top to bottom: routes into a node enter by its NICs
};

const KindStyle& style_of(VertexKind kind) {
  static const KindStyle styles[] = {{"gpu", "#d3ecc0", 50},      {"host", "#dddddd", 20},
                                     {"nvswitch", "#a5d56b", 60}, {"pcie", "#cfe2f3", 40},
                                     {"nic", "#fde3c4", 30},      {"switch", "#f9c38c", 10}};
  return styles[static_cast<size_t>(kind)];
}

constexpr int kHostLayer = 20;

const char* colour_of(LinkClass c) {
  return c == LinkClass::kNvlink ? "#4d9221" : c == LinkClass::kPcie ? "#4a7fb5" : "#d9730d";
}

std::string dot_text(const std::string& name) {
  return absl::StrCat("\"", absl::StrReplaceAll(name, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

std::string html(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

// "node[0].gpu[1]" and "node[7].gpu[1]" -> "node[0..7].gpu[1]".
std::string range_name(const std::string& first, const std::string& last) {
  if (first == last) return first;
  const size_t shorter = std::min(first.size(), last.size());
  size_t same = 0;
  while (same < shorter && first[same] == last[same]) ++same;
  const size_t open = first.rfind('[', same), close = first.find(']', same), other = last.find(']', same);
  const bool one_number = open != std::string::npos && close != std::string::npos &&
                          other != std::string::npos && first.substr(close) == last.substr(other);
  if (!one_number) return absl::StrCat(first, " .. ", last);
  return absl::StrCat(first.substr(0, close), "..", last.substr(open + 1));
}

// Grey where nothing went, then from pale yellow to dark red (ColorBrewer's YlOrRd).
std::string heat(double utilization) {
  constexpr int kStops[][3] = {{255, 237, 160}, {254, 200, 90}, {253, 141, 60}, {227, 60, 40}, {150, 0, 38}};
  if (utilization <= 0) return "#c8c8c8";
  const double at = std::min(1.0, utilization) * 4;
  const int low = std::min(3, static_cast<int>(at));
  int rgb[3];
  for (int i = 0; i < 3; ++i)
    rgb[i] =
        static_cast<int>(std::lround(kStops[low][i] + (kStops[low + 1][i] - kStops[low][i]) * (at - low)));
  return absl::StrFormat("#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

double width_of(Bandwidth b) {
  const double gb_per_s = static_cast<double>(b.bytes_per_s().count) * 1e-9;
  return std::clamp(0.24 * std::sqrt(gb_per_s), 0.7, 7.0);
}

class Drawer {
 public:
  Drawer(const Topology& t, const DrawingOptions& options)
      : t_(t),
        options_(options),
        folded_(options.fold ? fold(t) : fold_nothing(t)),
        levels_(switch_levels(t)) {}

  std::string dot() {
    if (options_.fold && folded_.vertices.size() > kDrawnVerticesMax) return "";
    for (const FoldedVertex& v : folded_.vertices) ++kinds_[t_.vertices()[v.example].kind];
    flat_ = is_flat();
    has_hosts_above_ = kinds_.count(VertexKind::kHost) > 0 && kinds_.count(VertexKind::kPcie) > 0;
    add_head();
    for (const uint32_t v : folded_.alone) add_vertex(v, "  ", true);
    if (!flat_) add_rows(folded_.alone, "  ");
    for (size_t n = 0; n < folded_.nodes.size(); ++n) add_node(n);
    for (const FoldedCable& c : folded_.cables) add_cable(c);
    return text_ + "}\n";
  }

 private:
  // Nothing is above anything else: GPUs cabled to each other, or switches of one level, as on a map.
  bool is_flat() const {
    if (kinds_.size() == 1) return kinds_.begin()->first == VertexKind::kGpu;
    if (kinds_.size() != 2 || kinds_.count(VertexKind::kSwitch) == 0 || kinds_.at(VertexKind::kSwitch) < 3)
      return false;
    return *std::max_element(levels_.begin(), levels_.end()) == 1;
  }

  // remincross: the second pass of Graphviz 2 against crossings forgets the order within rows.
  void add_head() {
    absl::StrAppend(&text_, "digraph ", dot_text(t_.name()), " {\n");
    const bool flat = is_flat();
    if (flat)
      absl::StrAppend(&text_, "  layout=", folded_.vertices.size() <= 16 ? "circo" : "neato",
                      ";\n  overlap=false;\n");
    absl::StrAppend(
        &text_,
        "  graph [fontname=\"DejaVu Sans\", fontsize=11, ranksep=0.6, nodesep=0.18, remincross=false, "
        "labelloc=b, "
        "labeljust=l];\n"
        "  node [shape=box, style=\"filled,rounded\", color=\"#888888\", fontname=\"DejaVu Sans\", "
        "fontsize=10, margin=\"0.08,0.04\", height=0.28, width=0.3];\n"
        "  edge [dir=none, fontname=\"DejaVu Sans\", fontsize=9, fontcolor=\"#444444\"];\n");
    absl::StrAppend(&text_, "  label=<", legend(), ">;\n");
  }

  // One row a kind of link.
  std::string legend() const {
    struct Row {
      uint64_t cables = 0;
      LinkClass link_class = LinkClass::kNetwork;
      LinkId example = kNone;
      Duration latency_max{};
    };
    std::map<std::tuple<int, std::string, int64_t>, Row> rows;
    for (LinkId l = 0; l < t_.links().size(); l += 2) {
      const Link& x = t_.links()[l];
      const auto [a, b] = std::minmax(t_.vertices()[x.from].kind, t_.vertices()[x.to].kind);
      Row& row = rows[{static_cast<int>(class_of(x)), absl::StrCat(style_of(a).word, " - ", style_of(b).word),
                       -x.bandwidth.bytes_per_s().count}];
      row.link_class = class_of(x);
      row.latency_max = std::max(row.latency_max, x.latency);
      if (row.cables++ == 0 || x.latency < t_.links()[row.example].latency) row.example = l;
    }
    constexpr const char* kTable = "<table border=\"0\" cellspacing=\"1\" cellpadding=\"1\">";
    const auto line = [](const std::string& of) {
      return absl::StrCat("<tr><td align=\"left\">", of, "</td></tr>");
    };
    std::string text = absl::StrCat(kTable, line(absl::StrCat("<b>", html(t_.name()), "</b>")));
    if (folded_.is_folded) absl::StrAppend(&text, line("equal parts are drawn once"));
    if (!options_.utilization.empty())
      absl::StrAppend(&text, line("how busy links were (the busier direction, the busiest of equal ones):"),
                      line(scale()));
    absl::StrAppend(&text, "<tr><td align=\"left\">", kTable);
    constexpr size_t kRowsMax = 9;
    size_t shown = 0;
    for (const auto& [key, row] : rows) {
      if (shown++ == kRowsMax) {
        absl::StrAppend(&text, "<tr><td></td><td align=\"left\">and ", rows.size() - kRowsMax,
                        " kinds more</td></tr>");
        break;
      }
      const Link& x = t_.links()[row.example];
      absl::StrAppendFormat(&text,
                            "<tr><td><font color=\"%s\"><b>&#9472;&#9472;</b></font></td><td "
                            "align=\"left\">%d x %s  %s  %s</td></tr>",
                            options_.utilization.empty() ? colour_of(row.link_class) : "#888888", row.cables,
                            std::get<1>(key), to_string(x.bandwidth),
                            x.latency == row.latency_max
                                ? to_string(x.latency)
                                : absl::StrCat(to_string(x.latency), " to ", to_string(row.latency_max)));
    }
    return text + "</table></td></tr></table>";
  }

  static std::string scale() {
    std::string text;
    for (const int percent : {0, 10, 25, 50, 75, 100})
      absl::StrAppend(&text, "<font color=\"", heat(percent / 100.0), "\"><b>&#9632;</b></font> ", percent,
                      " %  ");
    return text;
  }

  LinkClass class_of(const Link& l) const {
    const Vertex &a = t_.vertices()[l.from], &b = t_.vertices()[l.to];
    const auto is = [&](VertexKind k) { return a.kind == k || b.kind == k; };
    if (is(VertexKind::kNvswitch)) return LinkClass::kNvlink;
    if (is(VertexKind::kSwitch)) return LinkClass::kNetwork;
    if (a.node != b.node) return LinkClass::kNetwork;
    return a.kind == VertexKind::kGpu && b.kind == VertexKind::kGpu ? LinkClass::kNvlink : LinkClass::kPcie;
  }

  void add_vertex(uint32_t d, const char* indent, bool full_name) {
    const FoldedVertex& v = folded_.vertices[d];
    const Vertex& x = t_.vertices()[v.example];
    std::string label = absl::StrCat(style_of(x.kind).word, " ", x.index);
    if (full_name) label = range_name(t_.vertex_name(v.example), t_.vertex_name(v.last));
    if (full_name && v.count > 1) absl::StrAppend(&label, "  x ", v.count);
    absl::StrAppend(&text_, indent, "v", d, " [label=", dot_text(label), ", fillcolor=\"",
                    style_of(x.kind).fill, "\"", v.count > 1 && full_name ? ", peripheries=2" : "",
                    x.kind == VertexKind::kNvswitch ? ", width=1.6" : "", "];\n");
  }

  void add_node(size_t n) {
    const FoldedNode& node = folded_.nodes[n];
    if (flat_) {
      for (const uint32_t v : node.vertices) add_vertex(v, "  ", t_.nodes() > 1);
      return;
    }
    std::string label = absl::StrCat("node[", node.example, "]");
    if (node.count > 1) label = absl::StrCat("node[", node.example, "..", node.last, "]   x ", node.count);
    absl::StrAppend(
        &text_, "  subgraph cluster_", n, " {\n    label=", dot_text(label),
        ";\n    style=\"rounded,filled\";\n    fillcolor=\"#f7f7f7\";\n    color=\"#999999\";\n    penwidth=",
        node.count > 1 ? 3 : 1, ";\n    labelloc=b;\n    fontsize=", node.count > 1 ? 13 : 11, ";\n");
    for (const uint32_t v : node.vertices) add_vertex(v, "    ", false);
    add_rows(node.vertices, "    ");
    absl::StrAppend(&text_, "  }\n");
  }

  // Vertices of one layer beside each other, in order.
  void add_rows(const std::vector<uint32_t>& vertices, const char* indent) {
    std::map<int, std::string> rows;
    for (const uint32_t v : vertices) {
      std::string& row = rows[layer_of(v)];
      absl::StrAppend(&row, row.empty() ? "v" : " -> v", v);
    }
    for (const auto& [unused, row] : rows) {
      if (absl::StrContains(row, "->"))
        absl::StrAppend(&text_, indent, "{rank=same; edge [style=invis]; ", row, "}\n");
    }
  }

  int layer_of(uint32_t d) const {
    const Vertex& v = t_.vertices()[folded_.vertices[d].example];
    return style_of(v.kind).layer - levels_[folded_.vertices[d].example];
  }

  void add_cable(const FoldedCable& c) {
    const Link& x = t_.links()[c.example];
    const int a = layer_of(c.a), b = layer_of(c.b);
    const auto [upper, lower] = a <= b ? std::pair(c.a, c.b) : std::pair(c.b, c.a);
    std::string attributes = absl::StrFormat("penwidth=%.1f", width_of(x.bandwidth));
    double busy = 0;
    if (options_.utilization.empty()) {
      absl::StrAppend(&attributes, ", color=\"", colour_of(class_of(x)), "\"");
    } else {
      for (const LinkId l : c.links)
        busy = std::max({busy, options_.utilization[l], options_.utilization[t_.reverse(l)]});
      absl::StrAppend(&attributes, ", color=\"", heat(busy), "\"");
    }
    // Links beside each other do not push one below the other.
    if (a == b && c.a != c.b) absl::StrAppend(&attributes, ", constraint=false");
    // Hosts stand above the NICs and below the fabric.
    const bool past_nics = has_hosts_above_ && std::min(a, b) < 20 && std::max(a, b) == 30;
    if (past_nics || (std::min(a, b) == kHostLayer && std::max(a, b) == kHostLayer + 20))
      absl::StrAppend(&attributes, ", minlen=2");
    const bool up = x.up && t_.links()[t_.reverse(c.example)].up;
    if (!up) absl::StrAppend(&attributes, ", style=dashed");
    const std::string label = label_of(c, busy, up);
    if (!label.empty()) absl::StrAppend(&attributes, ", label=", dot_text(label));
    absl::StrAppend(&text_, "  v", upper, " -> v", lower, " [", attributes, "];\n");
  }

  // What the drawing does not show by itself: how many cables, how busy, that it is dead.
  std::string label_of(const FoldedCable& c, double busy, bool up) const {
    std::string label;
    const uint32_t expected = std::max(folded_.vertices[c.a].count, folded_.vertices[c.b].count);
    if (c.links.size() > 1 && c.links.size() != expected) absl::StrAppend(&label, "x ", c.links.size());
    if (!up) absl::StrAppend(&label, label.empty() ? "" : " ", "down");
    if (busy > 0) absl::StrAppendFormat(&label, "%s%.0f %%", label.empty() ? "" : " ", busy * 100);
    return label;
  }

  const Topology& t_;
  const DrawingOptions& options_;
  Folded folded_;
  std::vector<int> levels_;  // of switches
  std::map<VertexKind, size_t> kinds_;
  bool flat_ = false, has_hosts_above_ = false;
  std::string text_;
};

}  // namespace

std::string drawing(const Topology& topology, const DrawingOptions& options) {
  return Drawer(topology, options).dot();
}

}  // namespace brigade
