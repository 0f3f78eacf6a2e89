// GraphML to a cluster. Covered by tests/scenario/imports_others.cc.
//
// Nodes with a `kind` (gpu, switch, ...) are taken as they are: our own export, or a graph that its author
// typed. Without kinds every node is a switch with one GPU behind it: a map of a wide area network, such as
// those of the Internet Topology Zoo (topology-zoo.org), whose LinkSpeedRaw, labels and coordinates become
// bandwidth and latency.
//
// Read with pugixml and not with Boost's read_graphml, which reports no places and recurses on nested input.
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/topology/imported.h"
#include "sim/topology/link_speed.h"

namespace brigade {
namespace {

constexpr size_t kNodesMax = 100'000;
constexpr double kEarthRadiusKm = 6371;
constexpr double kFibreKmPerUs = 0.2;  // light in glass: c / 1.5
constexpr double kRadians = 3.14159265358979323846 / 180;

// Attributes by lower-case name, from <data> and the keys that they refer to.
using Attributes = std::map<std::string, std::string>;

struct GraphNode {
  std::string name;  // of its vertex
  Attributes attributes;
  std::optional<double> latitude, longitude;
  Place at;
  bool has_device = false;
};

std::string lower(std::string text) {
  absl::AsciiStrToLower(&text);
  return text;
}

// The first attribute of these that is there and not empty.
const std::string* find(const Attributes& attributes, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = attributes.find(name);
    if (found != attributes.end() && !found->second.empty()) return &found->second;
  }
  return nullptr;
}

std::optional<double> number_of(const std::string* text) {
  double number = 0;
  if (text == nullptr || !absl::SimpleAtod(*text, &number) || !std::isfinite(number)) return std::nullopt;
  return number;
}

// Along the great circle, in whole microseconds: no more is known of where the fibre lies.
Duration fibre_latency(const GraphNode& a, const GraphNode& b) {
  const double la = *a.latitude * kRadians, lb = *b.latitude * kRadians;
  const double half_lat = std::sin((la - lb) / 2);
  const double half_lon = std::sin((*a.longitude - *b.longitude) * kRadians / 2);
  const double h = half_lat * half_lat + std::cos(la) * std::cos(lb) * half_lon * half_lon;
  const double km = 2 * kEarthRadiusKm * std::asin(std::sqrt(std::min(1.0, h)));
  return microseconds(std::max<int64_t>(1, std::llround(km / kFibreKmPerUs)));
}

class Reader {
 public:
  Reader(const ImportSource& source, Imported& out, Diagnostics& errors)
      : source_(source), out_(out), errors_(errors) {}

  void read(const pugi::xml_node& root) {
    const pugi::xml_node graph = root.child("graph");
    if (!graph) return errors_.error(at(root), "holds no <graph>");
    for (const pugi::xml_node& key : root.children("key")) {
      keys_[key.attribute("id").value()] = lower(key.attribute("attr.name").value());
    }
    read_nodes(graph);
    if (nodes_.empty()) errors_.error(at(graph), "the graph has no nodes");
    if (!errors_.ok()) return;
    add_vertices();
    read_edges(graph);
    if (!typed_) add_devices();
    say_what_was_left_out(graph);
  }

 private:
  Place at(const pugi::xml_node& xml) const {
    return source_.at(static_cast<size_t>(std::max<ptrdiff_t>(0, xml.offset_debug())));
  }

  Attributes attributes_of(const pugi::xml_node& xml) const {
    Attributes attributes;
    for (const pugi::xml_node& data : xml.children("data")) {
      const auto key = keys_.find(data.attribute("key").value());
      if (key != keys_.end()) attributes[key->second] = data.text().get();
    }
    return attributes;
  }

  void read_nodes(const pugi::xml_node& graph) {
    for (const pugi::xml_node& xml : graph.children("node")) {
      if (nodes_.size() == kNodesMax)
        return errors_.error(at(xml), absl::StrCat("more than ", kNodesMax, " nodes"));
      GraphNode node;
      node.at = at(xml);
      node.attributes = attributes_of(xml);
      node.latitude = number_of(find(node.attributes, {"latitude", "lat"}));
      node.longitude = number_of(find(node.attributes, {"longitude", "lon", "lng"}));
      typed_ |= find(node.attributes, {"kind"}) != nullptr;
      const std::string id = xml.attribute("id").value();
      if (id.empty()) errors_.error(node.at, "a node needs an id");
      if (!by_id_.emplace(id, nodes_.size()).second)
        errors_.error(node.at, absl::StrCat("the id ", plain_text(id), " is given twice"));
      if (xml.child("graph")) errors_.error(node.at, "graphs inside nodes cannot be imported");
      ids_.push_back(id);
      nodes_.push_back(std::move(node));
    }
  }

  void add_vertices() {
    std::map<std::string, int> taken;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      GraphNode& node = nodes_[i];
      const std::string* label = find(node.attributes, {"name", "label"});
      const std::string given = label != nullptr ? *label : typed_ ? ids_[i] : "place_" + ids_[i];
      // Brackets around numbers are part of names of ours: node[0].gpu[1].
      const std::string plain = typed_ ? bracketed_name(given) : plain_name(given);
      const int n = ++taken[plain];
      node.name = n == 1 ? plain : absl::StrCat(plain, "_", n);
      if (n > 1) ++taken[node.name];
      const std::string* kind = find(node.attributes, {"kind"});
      out_.vertex(node.name, kind != nullptr ? plain_text(*kind, 20) : "switch", node.at);
      VertexSpec& vertex = out_.vertices.back();
      const std::string* forward = find(node.attributes, {"forward"});
      if (typed_) vertex.forward = forward != nullptr && (*forward == "true" || *forward == "1");
      const std::string* hyperedge = find(node.attributes, {"hyperedge"});
      node.has_device = hyperedge == nullptr || *hyperedge == "0";
    }
  }

  static std::string bracketed_name(const std::string& given) {
    std::string name;
    for (const char c : given) name += c == '[' || c == ']' ? std::string(1, c) : plain_name({&c, 1});
    return name;
  }

  void read_edges(const pugi::xml_node& graph) {
    const bool directed = std::string_view(graph.attribute("edgedefault").value()) == "directed";
    std::map<std::pair<size_t, size_t>, int> unmatched;
    for (const pugi::xml_node& xml : graph.children("edge")) {
      const auto a = by_id_.find(xml.attribute("source").value());
      const auto b = by_id_.find(xml.attribute("target").value());
      if (a == by_id_.end() || b == by_id_.end()) {
        errors_.error(
            at(xml),
            absl::StrCat("an edge to a node that is not there: ",
                         plain_text(xml.attribute(a == by_id_.end() ? "source" : "target").value())));
        continue;
      }
      if (a->second == b->second) {
        out_.assume("edges from a node to itself are left out");
        continue;
      }
      const pugi::xml_attribute own = xml.attribute("directed");
      if (own ? own.as_bool() : directed) {
        // The way back is the other direction of the same cable.
        int& back = unmatched[{b->second, a->second}];
        if (back > 0) {
          --back;
          continue;
        }
        ++unmatched[{a->second, b->second}];
      }
      add_edge(xml, nodes_[a->second], nodes_[b->second]);
    }
    for (const auto& [ends, count] : unmatched) {
      if (count > 0) out_.assume("directed edges without one back carry traffic both ways");
    }
  }

  void add_edge(const pugi::xml_node& xml, const GraphNode& a, const GraphNode& b) {
    ImportedCable cable;
    cable.a = a.name;
    cable.b = b.name;
    cable.cable.at = at(xml);
    const Attributes attributes = attributes_of(xml);
    if (const std::optional<Bandwidth> speed = bandwidth_of(attributes)) {
      cable.cable.bandwidth = *speed;
    } else {
      assume_bandwidth("link_bandwidth", *bits_per_second(10e9), "links whose speed the file does not give",
                       cable, out_);
    }
    set_latency(attributes, a, b, cable);
    if (const std::optional<double> cost = number_of(find(attributes, {"cost"}))) {
      if (*cost >= 1 && *cost <= 1024) cable.cable.cost = static_cast<int>(*cost);
    }
    out_.cables.push_back(std::move(cable));
  }

  std::optional<Bandwidth> bandwidth_of(const Attributes& attributes) {
    if (const std::string* text = find(attributes, {"bandwidth", "capacity", "speed", "rate"})) {
      if (const Parsed<Bandwidth> exact = parse_bandwidth(*text); exact.value) return exact.value;
      if (const std::optional<double> bare = number_of(text)) {
        out_.assume("bandwidths without a unit are Gb/s");
        return bits_per_second(*bare * 1e9);
      }
      return labelled_speed(*text);
    }
    if (const std::optional<double> raw = number_of(find(attributes, {"linkspeedraw"})))
      return bits_per_second(*raw);
    const std::string* speed = find(attributes, {"linkspeed"});
    if (speed != nullptr) {
      const std::string* units = find(attributes, {"linkspeedunits"});
      if (const std::optional<Bandwidth> b = labelled_speed(*speed + (units != nullptr ? *units : "")))
        return b;
    }
    for (const char* name : {"linklabel", "linktype", "linknote"}) {
      const std::string* text = find(attributes, {name});
      if (const std::optional<Bandwidth> b = text != nullptr ? labelled_speed(*text) : std::nullopt) return b;
    }
    return std::nullopt;
  }

  void set_latency(const Attributes& attributes, const GraphNode& a, const GraphNode& b,
                   ImportedCable& cable) {
    if (const std::string* text = find(attributes, {"latency", "delay"})) {
      if (const Parsed<Duration> exact = parse_duration(*text); exact.value) {
        cable.cable.latency = *exact.value;
        return;
      }
      const std::optional<double> bare = number_of(text);
      if (bare && *bare >= 0 && *bare < 1e6) {
        out_.assume("latencies without a unit are milliseconds");
        cable.cable.latency = Duration{std::llround(*bare * 1e9)};
        return;
      }
    }
    if (a.latitude && a.longitude && b.latitude && b.longitude) {
      out_.assume("latencies are light in glass along the great circle, 200 km a millisecond");
      cable.cable.latency = fibre_latency(a, b);
      return;
    }
    cable.cable.latency = milliseconds(1);
    cable.latency_parameter =
        out_.parameter("link_latency", "1 ms", "links of places without coordinates; about 200 km of fibre");
  }

  // One GPU behind each switch, that is no bottleneck.
  void add_devices() {
    std::map<std::string, int64_t> sum;
    int64_t most = 0;
    for (const ImportedCable& c : out_.cables) {
      for (const std::string& end : {c.a, c.b}) {
        int64_t& s = sum[end];
        s = std::min(s + c.cable.bandwidth.bytes_per_s().count, int64_t{1} << 58);
        most = std::max(most, s);
      }
    }
    int devices = 0;
    for (const GraphNode& node : nodes_) {
      if (!node.has_device) continue;
      ImportedCable cable;
      cable.a = absl::StrCat("node[", devices++, "].gpu[0]");
      cable.b = node.name;
      cable.cable.at = node.at;
      out_.vertex(cable.a, "gpu", node.at);
      assume_bandwidth("device_bandwidth", Bandwidth::per_second({std::max<int64_t>(1, most)}),
                       "GPU to its switch: as all links of the busiest switch together", cable, out_);
      cable.cable.latency = microseconds(1);
      cable.latency_parameter = out_.parameter("device_latency", "1 us", "GPU to its switch; not verified");
      out_.cables.push_back(std::move(cable));
    }
    out_.assume("each place is a switch with one GPU behind it, in the order of the file");
  }

  void say_what_was_left_out(const pugi::xml_node& graph) {
    if (graph.next_sibling("graph")) out_.assume("only the first graph of the file is taken");
    if (graph.child("hyperedge")) out_.assume("hyperedges are left out");
    if (!typed_) keep_largest_piece();
  }

  // Maps have islands; a collective needs one piece.
  void keep_largest_piece() {
    std::map<std::string, size_t> index;
    for (const VertexSpec& v : out_.vertices) index.emplace(v.name, index.size());
    std::vector<size_t> parent(index.size());
    for (size_t i = 0; i < parent.size(); ++i) parent[i] = i;
    const auto root = [&](size_t i) {
      while (parent[i] != i) i = parent[i] = parent[parent[i]];
      return i;
    };
    for (const ImportedCable& c : out_.cables) {
      const size_t a = root(index.at(c.a)), b = root(index.at(c.b));
      parent[std::max(a, b)] = std::min(a, b);
    }
    std::map<size_t, size_t> size;
    for (const auto& [name, i] : index) ++size[root(i)];
    size_t largest = size.begin()->first;
    for (const auto& [piece, n] : size) {
      if (n > size[largest]) largest = piece;
    }
    if (size.size() == 1) return;
    const auto outside = [&](const std::string& name) { return root(index.at(name)) != largest; };
    const size_t places = out_.vertices.size();
    std::erase_if(out_.vertices, [&](const VertexSpec& v) { return outside(v.name); });
    std::erase_if(out_.cables, [&](const ImportedCable& c) { return outside(c.a); });
    out_.assume(absl::StrCat("the graph falls into ", size.size(), " pieces: the largest is taken, ",
                             out_.vertices.size(), " of ", places, " switches and GPUs"));
    renumber();
  }

  void renumber() {
    std::map<std::string, std::string> renamed;
    int devices = 0;
    for (VertexSpec& v : out_.vertices) {
      if (v.kind != "gpu") continue;
      const std::string name = absl::StrCat("node[", devices++, "].gpu[0]");
      renamed.emplace(v.name, name);
      v.name = name;
    }
    for (ImportedCable& c : out_.cables) {
      if (const auto to = renamed.find(c.a); to != renamed.end()) c.a = to->second;
    }
  }

  const ImportSource& source_;
  Imported& out_;
  Diagnostics& errors_;
  std::map<std::string, std::string> keys_;  // id of a <key> to the lower-case name of its attribute
  std::vector<GraphNode> nodes_;
  std::vector<std::string> ids_;
  std::map<std::string, size_t> by_id_;
  bool typed_ = false;
};

void read_graphml(const ImportSource& source, Imported& out, Diagnostics& errors) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(source.text().data(), source.text().size(),
                                                             pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    return errors.error(source.at(static_cast<size_t>(std::max<ptrdiff_t>(0, parsed.offset))),
                        absl::StrCat("not valid XML: ", parsed.description()));
  }
  Reader(source, out, errors).read(document.child("graphml"));
}

}  // namespace

const Importer kGraphmlImporter{
    "GraphML", [](std::string_view text) { return first_element(text) == "graphml"; }, read_graphml};

}  // namespace brigade
