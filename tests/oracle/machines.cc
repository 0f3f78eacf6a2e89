#include "tests/oracle/machines.h"

#include <string>

#include "sim/base/check.h"

namespace brigade::oracle {
namespace {

std::unique_ptr<const Topology> build(const ClusterSpec& spec) {
  Diagnostics errors;
  auto topology = build_topology(spec, {}, errors);
  BRIGADE_CHECK(topology != nullptr, errors.text());
  return topology;
}

CableSpec cable(Bandwidth bandwidth, Duration latency) {
  CableSpec c;
  c.bandwidth = bandwidth;
  c.latency = latency;
  return c;
}

VertexSpec vertex(std::string name, std::string kind) {
  VertexSpec v;
  v.name = std::move(name);
  v.kind = std::move(kind);
  return v;
}

}  // namespace

std::unique_ptr<const Topology> star(int n, const std::vector<Bandwidth>& bandwidths, Duration latency) {
  ClusterSpec spec;
  spec.name = "star";
  spec.vertices.push_back(vertex("switch[0]", "switch"));
  for (int i = 0; i < n; ++i) {
    const std::string name = "gpu[" + std::to_string(i) + "]";
    spec.vertices.push_back(vertex(name, "gpu"));
    spec.cables.push_back({name, "switch[0]", cable(bandwidths[size_t(i) % bandwidths.size()], latency)});
  }
  return build(spec);
}

std::unique_ptr<const Topology> nvswitch(int n, Bandwidth bandwidth, Duration latency) {
  NodeType node;
  node.name = "big";
  node.gpus = n;
  node.family = NodeFamily::kSwitched;
  node.nvlink = cable(bandwidth, latency);
  ClusterSpec spec;
  spec.name = "nvswitch";
  spec.types.push_back(node);
  NodeGroup group;
  group.type = node.name;
  spec.nodes.push_back(group);
  return build(spec);
}

std::unique_ptr<const Topology> chain(const std::vector<Bandwidth>& bandwidths, Duration latency) {
  ClusterSpec spec;
  spec.name = "chain";
  std::string before = "gpu[0]";
  spec.vertices.push_back(vertex(before, "gpu"));
  for (size_t i = 0; i < bandwidths.size(); ++i) {
    const bool last = i + 1 == bandwidths.size();
    const std::string name = last ? "gpu[1]" : "switch[" + std::to_string(i) + "]";
    spec.vertices.push_back(vertex(name, last ? "gpu" : "switch"));
    spec.cables.push_back({before, name, cable(bandwidths[i], latency)});
    before = name;
  }
  return build(spec);
}

std::unique_ptr<const Topology> lecture(int nodes, int gpus, double bf16_peak_flop_per_s) {
  NodeType node;
  node.name = "h100";
  if (bf16_peak_flop_per_s > 0) node.gpu.peak_flop_per_s["bf16"] = bf16_peak_flop_per_s;
  node.gpus = gpus;
  node.family = NodeFamily::kSwitched;
  node.nvlink = cable(Bandwidth::gb_per_s(450), nanoseconds(2500));
  node.nics = gpus;
  node.nic_host = cable(Bandwidth::gb_per_s(50), microseconds(1));
  node.nic_port = cable(Bandwidth::gb_per_s(50), microseconds(4));
  ClusterSpec spec;
  spec.name = "lecture";
  spec.types.push_back(node);
  NodeGroup group;
  group.type = node.name;
  group.count = nodes;
  spec.nodes.push_back(group);
  spec.fabric.family = FabricFamily::kSwitch;
  return build(spec);
}

std::vector<VertexId> gpus_of(const Topology& topology) {
  std::vector<VertexId> gpus;
  for (VertexId v = 0; v < topology.vertices().size(); ++v)
    if (topology.vertices()[v].kind == VertexKind::kGpu) gpus.push_back(v);
  return gpus;
}

}  // namespace brigade::oracle
