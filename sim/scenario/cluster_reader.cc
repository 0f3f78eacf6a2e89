#include "sim/scenario/cluster_reader.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sim/scenario/fabric_reader.h"
#include "sim/scenario/input_files.h"
#include "sim/topology/check_spec.h"

namespace brigade {
namespace {

// Beyond these a cluster is a slip of the pen: its arrays alone would fill the memory.
constexpr int64_t kVerticesMax = int64_t{1} << 22;

using Models = std::map<std::string, DeviceModel>;

void read_device(const std::string& name, Fields& in, DeviceModel& out) {
  out.name = name;
  out.at = in.place();
  in.defaulted("name", text(), out.name, "what the device is called in results");
  in.map("peak", Need::kOptional, "dense peak by dtype; jobs that compute need that of their dtype",
         [&](Fields& peak) {
           const std::vector<std::string> dtypes = compute_dtype().allowed;
           for (const std::string& name : dtypes) {
             std::optional<double> rate;
             if (peak.optional(name.c_str(), flop_per_s(), rate, "peak in this dtype"))
               out.peak_flop_per_s[name] = *rate;
           }
         });
  in.optional("memory", size(), out.memory, "size of the device's memory");
  in.optional("memory_bandwidth", bandwidth(), out.memory_bandwidth, "bandwidth of the device's memory");
}

void read_nvlink(Fields& in, NodeType& out) {
  in.required("family",
              choice<NodeFamily>({{"switched", NodeFamily::kSwitched},
                                  {"full_mesh", NodeFamily::kFullMesh},
                                  {"ring", NodeFamily::kRing},
                                  {"hybrid_cube_mesh", NodeFamily::kHybridCubeMesh}}),
              out.family, "how NVLink joins the GPUs of a node");
  read_cable(in, out.nvlink);
  in.defaulted("switches", whole<int>(1, kPerNodeMax), out.nvswitches,
               "NVLink switches, with family: switched");
}

void read_pcie(Fields& in, NodeType& out) {
  in.defaulted("switches", whole<int>(0, kPerNodeMax), out.pcie_switches,
               "PCIe switches, with GPUs and NICs in equal shares below them; 0: no PCIe tree");
  read_cable(in, out.pcie);
  in.defaulted("sockets", whole<int>(1, kPerNodeMax), out.sockets,
               "hosts, with the PCIe switches in equal shares");
  const bool joined = in.map("socket_link", Need::kOptional, "cable between the hosts of a node",
                             [&](Fields& link) { read_cable(link, out.socket_link); });
  if (!joined && out.sockets > 1 && !in.has("socket_link")) {
    in.error(in.place_of("sockets"),
             "several sockets need the cable between them: missing key \"socket_link\"");
  }
}

void read_nics(Fields& in, NodeType& out) {
  in.required("count", whole<int>(1, kPerNodeMax), out.nics, "NICs of the node");
  const bool direct =
      in.map("host", Need::kOptional, "cable from GPU (or host) to NIC, without PCIe switches",
             [&](Fields& cable) { read_cable(cable, out.nic_host); });
  if (!direct && out.pcie_switches == 0 && !in.describing() && !in.has("host")) {
    in.error(in.place(),
             "NICs without PCIe switches need the cable to their GPU or host: missing key \"host\"");
  }
  std::optional<bool> own;
  if (in.optional(
          "affinity", choice<bool>({{"nearest", false}, {"own", true}}), own,
          "of equally near NICs a GPU uses any (nearest, so without), or those that fall to it in equal "
          "shares (own)"))
    out.own_nics = *own;
  in.map("port", Need::kRequired, "cable from NIC to fabric switch",
         [&](Fields& cable) { read_cable(cable, out.nic_port); });
}

// The device model that `key` names, if it is one.
void read_model_name(Fields& in, const char* key, const Models& models, DeviceModel& out,
                     const char* meaning) {
  std::vector<std::string> names;
  for (const auto& [name, model] : models) names.push_back(name);
  std::optional<std::string> name;
  if (in.optional(key, name_in(in, "models", names), name, meaning)) out = models.at(*name);
}

void read_node_type(const std::string& name, Fields& in, const Models& models, NodeType& out) {
  out.name = name;
  out.at = in.place();
  in.defaulted("gpus", whole<int>(0, kGpusPerNodeMax), out.gpus, "GPUs of the node");
  read_model_name(in, "gpu", models, out.gpu, "model of the GPUs");
  in.map("nvlink", Need::kOptional, "NVLink among the GPUs",
         [&](Fields& nvlink) { read_nvlink(nvlink, out); });
  const bool pcie =
      in.map("pcie", Need::kOptional, "PCIe below the hosts", [&](Fields& tree) { read_pcie(tree, out); });
  in.map("nics", Need::kOptional, "network cards", [&](Fields& nics) { read_nics(nics, out); });
  in.defaulted("host", flag(), out.host, "a host that sends and receives, even without PCIe switches");
  if (out.host && out.gpus > 0 && out.nics == 0 && !pcie && !in.describing() && !in.has("pcie")) {
    in.error(in.place_of("host"), "a host without NICs is cabled to the GPUs by PCIe: missing key \"pcie\"");
  }
  read_model_name(in, "host_model", models, out.host_model, "model of the hosts");
  in.defaulted("forward", flag(), out.forward, "GPUs may relay for others");
}

void read_nodes(Fields& in, ClusterSpec& out) {
  std::vector<std::string> names;
  for (const NodeType& type : out.types) names.push_back(type.name);
  const Kind<std::string> kind = name_in(in, "node_types", names);
  in.maps("nodes", Need::kOptional, "nodes of the cluster, in order", [&](Fields& group) {
    NodeGroup nodes;
    nodes.at = group.place();
    group.required("type", kind, nodes.type, "what kind of node");
    group.defaulted("count", whole<int>(1, kCountMax), nodes.count, "how many of them");
    out.nodes.push_back(std::move(nodes));
  });
}

void read_vertices(Fields& in, ClusterSpec& out) {
  std::vector<std::string> models;
  for (const auto& [name, model] : out.models) models.push_back(name);
  const Kind<std::string> model_kind = name_in(in, "models", models);
  in.maps("vertices", Need::kOptional, "a cluster written out: its vertices", [&](Fields& vertex) {
    VertexSpec spec;
    spec.at = vertex.place();
    vertex.required("name", text(), spec.name, "any name; node[2].gpu[0] puts it into node 2");
    vertex.required("kind", name_among({"gpu", "host", "nvswitch", "pcie", "nic", "switch"}), spec.kind,
                    "what it is");
    vertex.optional("model", model_kind, spec.model, "of a gpu or host");
    vertex.defaulted("forward", flag(), spec.forward, "relays although it is an endpoint");
    out.vertices.push_back(std::move(spec));
  });
  in.maps("cables", Need::kOptional, "a cluster written out: its cables", [&](Fields& cable) {
    WrittenCable spec;
    std::vector<std::string> ends;
    cable.list("between", Need::kRequired, text(), ends, "the two vertices that it joins");
    read_cable(cable, spec.cable);
    if (!ends.empty() && ends.size() != 2) {
      cable.error(cable.place_of("between"), absl::StrCat("a cable has two ends; given: ", ends.size()));
    }
    if (ends.size() != 2) return;
    spec.a = ends[0];
    spec.b = ends[1];
    out.cables.push_back(std::move(spec));
  });
}

void read_routes(Fields& in, ClusterSpec& out) {
  in.maps("routes", Need::kOptional, "ways that are given, not searched", [&](Fields& route) {
    WrittenRoute spec;
    spec.at = route.place();
    bool ok = route.required("from", text(), spec.from, "the device that sends");
    ok &=
        route.required("to", text(), spec.to, "the device that receives; the way back is a route of its own");
    ok &= route.list("via", Need::kRequired, text(), spec.via,
                     "every vertex between them, in order; neighbours are joined by a cable");
    if (ok) out.routes.push_back(std::move(spec));
  });
}

void check_size(Fields& in, const ClusterSpec& spec) {
  int64_t vertices = 0;
  for (const NodeGroup& group : spec.nodes) {
    const auto type = std::find_if(spec.types.begin(), spec.types.end(),
                                   [&](const NodeType& candidate) { return candidate.name == group.type; });
    if (type == spec.types.end()) continue;
    vertices += int64_t{group.count} *
                (type->gpus + type->nics + type->nvswitches + type->pcie_switches + type->sockets);
    if (vertices <= kVerticesMax) continue;
    in.error(group.at,
             absl::StrCat("the cluster grows beyond the limit of ", kVerticesMax, " devices and switches"));
    return;
  }
}

}  // namespace

void read_file_header(Fields& in, std::string& name) {
  // InputFiles has checked the version of every file; here the key is only made known.
  in.find("brigade", in.describing() ? Need::kRequired : Need::kOptional, "", "choice", {kFormatVersion},
          "format version");
  in.defaulted("name", text(), name, "the file's name without its ending, if not given");
}

void read_cluster(Fields& in, bool in_file, ClusterSpec& out) {
  out.at = in.place();
  if (in_file) {
    read_file_header(in, out.name);
  } else {
    in.defaulted("name", text(), out.name, "of the cluster, in results");
  }
  if (in.describing()) {
    in.find("file", Need::kOptional, "", "path", {},
            "a cluster file, beside this file; all other keys are then its parameters");
    in.find("parameters", Need::kOptional, "", "map of names and defaults", {},
            "$name as the whole of a value stands for the parameter");
  }
  in.named("models", Need::kOptional, "kinds of devices",
           [&](const std::string& name, Fields& model) { read_device(name, model, out.models[name]); });
  in.named("node_types", Need::kOptional, "kinds of nodes", [&](const std::string& name, Fields& type) {
    read_node_type(name, type, out.models, out.types.emplace_back());
  });
  read_nodes(in, out);
  in.map("fabric", Need::kOptional, "switches that join the nodes",
         [&](Fields& fabric) { read_fabric(fabric, out.fabric); });
  read_vertices(in, out);
  read_routes(in, out);
  if (in.describing()) return;
  if (!in.has("nodes") && !in.has("vertices")) {
    in.error(in.place(),
             "the cluster has no devices: missing key \"nodes\" (with node_types), or \"vertices\"");
  } else if (in.has("nodes") && in.has("vertices")) {
    in.error(in.place_of("vertices"), "a cluster is made of nodes or written out by vertices, not both");
  }
  check_size(in, out);
}

}  // namespace brigade
