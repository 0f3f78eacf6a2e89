// Covered by tests/scenario/written_clusters_load_again.cc.
#include "sim/scenario/cluster_writer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/scenario/import.h"
#include "sim/topology/export.h"

namespace brigade {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return out + "\"";
}

void add_models(const std::map<std::string, DeviceModel>& models, std::string& yaml) {
  if (models.empty()) return;
  absl::StrAppend(&yaml, "models:\n");
  for (const auto& [key, model] : models) {
    absl::StrAppend(&yaml, "  ", quoted(key), ": {name: ", quoted(model.name.empty() ? key : model.name));
    std::string peaks;
    for (const auto& [dtype, rate] : model.peak_flop_per_s) {
      absl::StrAppendFormat(&peaks, "%s%s: %.15g FLOP/s", peaks.empty() ? "" : ", ", dtype, rate);
    }
    if (!peaks.empty()) absl::StrAppend(&yaml, ", peak: {", peaks, "}");
    if (model.memory) absl::StrAppend(&yaml, ", memory: ", model.memory->count, " B");
    if (model.memory_bandwidth)
      absl::StrAppend(&yaml, ", memory_bandwidth: ", exact_text(*model.memory_bandwidth));
    absl::StrAppend(&yaml, "}\n");
  }
}

}  // namespace

std::string cluster_yaml(const Imported& cluster, const std::string& name,
                         const std::vector<std::string>& comments) {
  std::string yaml;
  for (const std::string& comment : comments) {
    absl::StrAppend(&yaml, "#", comment.empty() ? "" : " ", plain_text(comment, 1000), "\n");
  }
  absl::StrAppend(&yaml, "brigade: 1\nname: ", quoted(name), "\n");
  if (!cluster.parameters.empty()) absl::StrAppend(&yaml, "parameters:\n");
  for (const ImportParameter& p : cluster.parameters) {
    absl::StrAppendFormat(&yaml, "  %-30s # %s\n", absl::StrCat(p.name, ": ", p.value),
                          plain_text(p.why, 1000));
  }
  add_models(cluster.models, yaml);
  absl::StrAppend(&yaml, "vertices:\n");
  for (const VertexSpec& v : cluster.vertices) {
    absl::StrAppend(&yaml, "  - {name: ", quoted(v.name), ", kind: ", v.kind,
                    v.model ? absl::StrCat(", model: ", quoted(*v.model)) : "",
                    v.forward ? ", forward: true" : "", "}\n");
  }
  if (!cluster.cables.empty()) absl::StrAppend(&yaml, "cables:\n");
  for (const ImportedCable& c : cluster.cables) {
    const auto value = [](const std::string& parameter, const std::string& text) {
      return parameter.empty() ? text : "$" + parameter;
    };
    absl::StrAppend(&yaml, "  - {between: [", quoted(c.a), ", ", quoted(c.b),
                    "], bandwidth: ", value(c.bandwidth_parameter, exact_text(c.cable.bandwidth)),
                    ", latency: ", value(c.latency_parameter, exact_text(c.cable.latency)),
                    c.cable.cables == 1 ? "" : absl::StrCat(", cables: ", c.cable.cables),
                    c.cable.cost ? absl::StrCat(", cost: ", *c.cable.cost) : "", "}\n");
  }
  return yaml;
}

std::string cluster_yaml(const Topology& t, Diagnostics& errors) {
  if (!has_equal_directions(t, errors)) return "";
  Imported cluster;
  static constexpr const char* kKinds[] = {"gpu", "host", "nvswitch", "pcie", "nic", "switch"};
  const auto model_key = [](uint32_t m) { return absl::StrCat("model", m); };
  for (uint32_t m = 0; m < t.models().size(); ++m) cluster.models[model_key(m)] = t.models()[m];
  for (VertexId v = 0; v < t.vertices().size(); ++v) {
    const Vertex& x = t.vertices()[v];
    cluster.vertices.push_back({t.vertex_name(v),
                                kKinds[static_cast<size_t>(x.kind)],
                                x.model == kNone ? std::nullopt : std::optional(model_key(x.model)),
                                x.forward,
                                {}});
  }
  for (LinkId l = 0; l < t.links().size(); l += 2) {
    const Link& x = t.links()[l];
    ImportedCable cable;
    cable.a = t.vertex_name(x.from);
    cable.b = t.vertex_name(x.to);
    cable.cable.bandwidth = x.bandwidth;
    cable.cable.latency = x.latency;
    if (x.cost != 1) cable.cable.cost = static_cast<int>(x.cost);
    cluster.cables.push_back(std::move(cable));
  }
  if (!fits_a_file(static_cast<double>(cluster.vertices.size()),
                   static_cast<double>(cluster.cables.size()))) {
    errors.error({}, absl::StrCat(cluster.vertices.size(), " vertices and ", cluster.cables.size(),
                                  " cables are too many for one file"));
    return "";
  }
  return cluster_yaml(cluster, t.name(), {"Written out by brigade topology --yaml."});
}

}  // namespace brigade
