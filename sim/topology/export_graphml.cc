// Covered by tests/topology/exports-are-read-by-others.cc and tests/scenario/exports_import_again.cc.
#include <pugixml.hpp>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "sim/topology/export.h"
#include "sim/topology/imported.h"

namespace brigade {
namespace {

constexpr const char* kKinds[] = {"gpu", "host", "nvswitch", "pcie", "nic", "switch"};

void add_key(pugi::xml_node root, const char* id, const char* of, const char* type) {
  pugi::xml_node key = root.append_child("key");
  key.append_attribute("id") = id;
  key.append_attribute("for") = of;
  key.append_attribute("attr.name") = id;
  key.append_attribute("attr.type") = type;
}

void add_data(pugi::xml_node element, const char* key, const std::string& value) {
  pugi::xml_node data = element.append_child("data");
  data.append_attribute("key") = key;
  data.text() = value.c_str();
}

}  // namespace

bool has_equal_directions(const Topology& t, Diagnostics& errors) {
  for (LinkId l = 0; l < t.links().size(); l += 2) {
    const Link &x = t.links()[l], &back = t.links()[t.reverse(l)];
    if (x.up && back.up && x.bandwidth == back.bandwidth && x.latency == back.latency && x.cost == back.cost)
      continue;
    errors.error({}, absl::StrCat(t.link_name(l),
                                  " is dead, or its two directions differ: a file of cables cannot say "
                                  "that; leave out the changes"));
    return false;
  }
  return true;
}

Exported graphml_of(const Topology& t, Diagnostics& errors) {
  if (!has_equal_directions(t, errors)) return {};
  pugi::xml_document document;
  pugi::xml_node root = document.append_child("graphml");
  root.append_attribute("xmlns") = "http://graphml.graphdrawing.org/xmlns";
  for (const char* id : {"name", "kind"}) add_key(root, id, "node", "string");
  add_key(root, "forward", "node", "boolean");
  for (const char* id : {"bandwidth", "latency"}) add_key(root, id, "edge", "string");
  add_key(root, "cost", "edge", "int");
  pugi::xml_node graph = root.append_child("graph");
  graph.append_attribute("id") = "G";
  graph.append_attribute("edgedefault") = "undirected";
  for (VertexId v = 0; v < t.vertices().size(); ++v) {
    pugi::xml_node node = graph.append_child("node");
    node.append_attribute("id") = absl::StrCat("n", v).c_str();
    add_data(node, "name", t.vertex_name(v));
    add_data(node, "kind", kKinds[static_cast<size_t>(t.vertices()[v].kind)]);
    add_data(node, "forward", t.vertices()[v].forward ? "1" : "0");
  }
  for (LinkId l = 0; l < t.links().size(); l += 2) {
    const Link& x = t.links()[l];
    pugi::xml_node edge = graph.append_child("edge");
    edge.append_attribute("id") = absl::StrCat("e", l / 2).c_str();
    edge.append_attribute("source") = absl::StrCat("n", x.from).c_str();
    edge.append_attribute("target") = absl::StrCat("n", x.to).c_str();
    add_data(edge, "bandwidth", exact_text(x.bandwidth));
    add_data(edge, "latency", exact_text(x.latency));
    add_data(edge, "cost", absl::StrCat(x.cost));
  }
  std::ostringstream text;
  document.save(text, " ");
  Exported out{text.str(), {}};
  if (!t.models().empty()) out.losses.push_back("device models (peaks, memory) are left out");
  return out;
}

}  // namespace brigade
