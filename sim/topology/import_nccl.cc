// NCCL's topology XML to a cluster: GPUs, NVLink or xGMI, PCIe switches, CPUs, NICs, and one switch for the
// network that the NICs lead to. Covered by tests/scenario/imports_nccl.cc.
//
// Left out: GPUDirect (gdr), affinity, collective offload (coll), ranks.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/topology/nccl_tree.h"

namespace brigade {
namespace {

constexpr const char* kNvlinkWhy =
    "one NVLink, each direction; NVIDIA data sheets: P100 20, V100 A100 H100 25, B200 50 GB/s";
constexpr const char* kXgmiWhy =
    "one Infinity Fabric link, each direction; AMD data sheets: MI50 MI100 46, MI250X 50, MI300X 64, MI355X "
    "76.8 GB/s";

// Between two CPUs: what NCCL counts on, src/graph/topo.h.
Bandwidth socket_of(const NcclCpu& cpu) {
  if (cpu.arch == "arm64") return Bandwidth::gb_per_s(6);
  if (cpu.arch == "ppc64") return Bandwidth::gb_per_s(32);
  if (cpu.vendor == "AuthenticAMD") return Bandwidth::gb_per_s(16);
  const int model = cpu.family == 6 ? cpu.model : 0;
  return Bandwidth::gb_per_s(model >= 0xcf ? 40 : model >= 0x8f ? 22 : model >= 0x55 ? 10 : 6);
}

struct Gpu {
  const NcclPart* part = nullptr;
  uint32_t node = 0;
  std::string name, parent, host;  // of vertices
};

class Builder {
 public:
  Builder(const std::vector<NcclCpu>& cpus, Imported& out, Diagnostics& errors)
      : cpus_(cpus), out_(out), errors_(errors) {}

  void build() {
    for (const NcclCpu& cpu : cpus_) nodes_.emplace(cpu.host, static_cast<uint32_t>(nodes_.size()));
    for (const NcclCpu& cpu : cpus_) collect(cpu.children, nodes_.at(cpu.host));
    name_gpus();
    if (gpus_.empty()) return errors_.error(cpus_.front().at, "holds no GPU");
    for (const NcclCpu& cpu : cpus_) add_cpu(cpu);
    join_cpus();
    for (Gpu& gpu : gpus_) add_gpu(gpu);
    join_gpus();
    if (nics_ > 0) add_network();
  }

 private:
  std::string numbered(uint32_t node, const char* kind) {
    return absl::StrCat("node[", node, "].", kind, "[", numbers_[{node, kind}]++, "]");
  }

  void collect(const std::vector<NcclPart>& parts, uint32_t node) {
    for (const NcclPart& part : parts) {
      if (part.kind == NcclPart::Kind::kGpu) gpus_.push_back({&part, node, "", "", ""});
      collect(part.children, node);
    }
  }

  // In the order of `dev` where the file gives it, without gaps.
  void name_gpus() {
    std::stable_sort(gpus_.begin(), gpus_.end(), [](const Gpu& a, const Gpu& b) {
      const auto key = [](const Gpu& g) { return std::pair(g.node, g.part->dev.value_or(INT32_MAX)); };
      return key(a) < key(b);
    });
    for (Gpu& gpu : gpus_) {
      gpu.name = numbered(gpu.node, "gpu");
      out_.vertex(gpu.name, "gpu", gpu.part->at, model_of(*gpu.part));
      by_part_.emplace(gpu.part, &gpu);
      by_busid_.emplace(std::pair(gpu.node, gpu.part->busid), &gpu);
    }
  }

  std::string model_of(const NcclPart& gpu) {
    const std::string name = !gpu.gcn.empty() ? absl::StrCat("gcn_", plain_name(gpu.gcn))
                             : gpu.sm > 0     ? absl::StrCat("sm_", gpu.sm)
                                              : "gpu";
    DeviceModel& model = out_.models[name];
    model.name = name;
    return name;
  }

  void add_cpu(const NcclCpu& cpu) {
    const uint32_t node = nodes_.at(cpu.host);
    const std::string host = numbered(node, "host");
    out_.vertex(host, "host", cpu.at);
    hosts_.push_back(host);
    for (const NcclPart& part : cpu.children) add_part(part, node, host, host);
  }

  void add_part(const NcclPart& part, uint32_t node, const std::string& parent, const std::string& host) {
    if (part.kind == NcclPart::Kind::kGpu) {
      Gpu& gpu = *by_part_.at(&part);
      gpu.parent = parent;
      gpu.host = host;
    } else if (part.kind == NcclPart::Kind::kNic) {
      add_nic(part, node, parent);
    } else {
      const std::string name = numbered(node, "pcie");
      out_.vertex(name, "pcie", part.at);
      add_pcie(name, parent, *part.up, part.at);
      for (const NcclPart& child : part.children) add_part(child, node, name, host);
    }
  }

  void add_pcie(const std::string& from, const std::string& to, Bandwidth bandwidth, const Place& at) {
    ImportedCable cable = cable_between(from, to, at);
    cable.cable.bandwidth = bandwidth;
    cable.cable.cost = kCostPcie;
    assume_latency(AssumedLatency::kPcie, cable, out_);
    out_.cables.push_back(std::move(cable));
  }

  void add_nic(const NcclPart& nic, uint32_t node, const std::string& parent) {
    const std::string name = numbered(node, "nic");
    out_.vertex(name, "nic", nic.at);
    ++nics_;
    std::vector<NcclNet> nets = nic.nets;
    if (nets.empty()) nets.emplace_back();
    Bytes ports;
    for (const NcclNet& net : nets) {
      ImportedCable port = cable_between(name, "switch[0]", nic.at);
      if (net.speed) {
        port.cable.bandwidth = *net.speed;
      } else {
        assume_bandwidth("port_bandwidth", nic.up.value_or(Bandwidth::per_second({1'250'000'000})),
                         "the file gives no speed of the NIC: as its PCIe cable", port, out_);
      }
      if (net.latency > Duration{}) {
        port.cable.latency = net.latency;
      } else {
        assume_latency(AssumedLatency::kPort, port, out_);
      }
      ports += port.cable.bandwidth.bytes_per_s();
      ports_.push_back(std::move(port));
    }
    // Without a PCI device the port is the limit.
    add_pcie(name, parent, nic.up.value_or(Bandwidth::per_second(ports)), nic.at);
  }

  void join_cpus() {
    bool joined = false;
    for (size_t a = 0; a < cpus_.size(); ++a) {
      for (size_t b = a + 1; b < cpus_.size(); ++b) {
        if (cpus_[a].host != cpus_[b].host) continue;
        ImportedCable cable = cable_between(hosts_[a], hosts_[b], cpus_[a].at);
        cable.cable.cost = kCostPcie;
        assume_bandwidth("socket_bandwidth", std::min(socket_of(cpus_[a]), socket_of(cpus_[b])),
                         "between two CPUs; what NCCL counts on: NVIDIA/nccl, src/graph/topo.h", cable, out_);
        assume_latency(AssumedLatency::kSocket, cable, out_);
        out_.cables.push_back(std::move(cable));
        joined = true;
      }
    }
    if (joined) out_.assume("each CPU is joined to each other one of its server");
  }

  void add_gpu(const Gpu& gpu) {
    add_pcie(gpu.name, gpu.parent, *gpu.part->up, gpu.part->at);
    if (!gpu.part->c2c) return;
    ImportedCable cable = cable_between(gpu.name, gpu.host, gpu.part->at);
    cable.cable.bandwidth = *gpu.part->c2c;
    assume_latency(AssumedLatency::kC2c, cable, out_);
    out_.cables.push_back(std::move(cable));
  }

  // NVLink and xGMI.
  void join_gpus() {
    struct Pair {
      int forth = 0, back = 0;  // links that the lower and the higher GPU name
      const Gpu* lower = nullptr;
      bool xgmi = false;
    };
    std::map<std::pair<std::string, std::string>, Pair> pairs;
    bool linked = false;
    for (const Gpu& gpu : gpus_) {
      int to_switches = 0, to_cpu = 0;
      for (const NcclLink& link : gpu.part->links) {
        linked = true;
        if (link.to_switch) to_switches += link.count;
        if (link.to_cpu) to_cpu += link.count;
        if (link.to_switch || link.to_cpu) continue;
        const auto peer = by_busid_.find({gpu.node, link.target});
        if (peer == by_busid_.end() || peer->second == &gpu) {
          out_.assume(absl::StrCat(
              "links of ", gpu.name, " to ", plain_text(link.target),
              " are left out: ", peer == by_busid_.end() ? "no such GPU is in the file" : "that is itself"));
          continue;
        }
        const bool is_lower = &gpu < peer->second;
        const Gpu& lower = is_lower ? gpu : *peer->second;
        Pair& pair = pairs[{lower.name, is_lower ? peer->second->name : gpu.name}];
        (is_lower ? pair.forth : pair.back) += link.count;
        pair.lower = &lower;
        pair.xgmi |= link.xgmi;
      }
      if (to_switches > 0) add_links(gpu, nvswitch_of(gpu), to_switches, AssumedLatency::kNvlinkSwitch);
      if (to_cpu > 0) add_links(gpu, gpu.host, to_cpu, AssumedLatency::kNvlinkDirect);
    }
    for (const auto& [names, pair] : pairs) {
      if (pair.forth != pair.back) {
        out_.assume(absl::StrCat("between ", names.first, " and ", names.second, " the file counts ",
                                 pair.forth, " links one way and ", pair.back,
                                 " the other: ", links_of(pair.forth, pair.back), " taken"));
      }
      add_links(*pair.lower, names.second, links_of(pair.forth, pair.back),
                pair.xgmi ? AssumedLatency::kXgmi : AssumedLatency::kNvlinkDirect);
    }
    if (!linked && gpus_.size() > 1) {
      out_.assume(
          "the file names no NVLink and no xGMI (NCCL finds them on the machine): GPUs are joined by PCIe "
          "only; "
          "--nvlinks adds them");
    }
  }

  // What both sides name; what one names where the other is silent.
  static int links_of(int forth, int back) {
    return forth > 0 && back > 0 ? std::min(forth, back) : std::max(forth, back);
  }

  std::string nvswitch_of(const Gpu& gpu) {
    // Servers that share NVLink switches (an NVL72) share one vertex.
    const std::string name =
        nodes_.size() > 1 ? "nvswitch[0]" : absl::StrCat("node[", gpu.node, "].nvswitch[0]");
    if (!has_nvswitch_) {
      out_.vertex(name, "nvswitch", gpu.part->at);
      out_.assume("all NVLink switches are one: NVLink spreads each message over all of them");
    }
    has_nvswitch_ = true;
    return name;
  }

  void add_links(const Gpu& gpu, const std::string& to, int count, AssumedLatency latency) {
    ImportedCable cable = cable_between(gpu.name, to, gpu.part->at);
    cable.cable.cables = count;
    if (latency == AssumedLatency::kXgmi) {
      assume_bandwidth("xgmi_bandwidth", xgmi_bandwidth(gpu.part->gcn), kXgmiWhy, cable, out_);
    } else {
      assume_bandwidth("nvlink_bandwidth", nvlink_bandwidth(gpu.part->sm), kNvlinkWhy, cable, out_);
    }
    assume_latency(latency, cable, out_);
    out_.cables.push_back(std::move(cable));
  }

  void add_network() {
    out_.vertex("switch[0]", "switch", cpus_.front().at);
    for (ImportedCable& port : ports_) out_.cables.push_back(std::move(port));
    out_.assume("the network behind the NICs is not in the file: one switch joins all ports");
  }

  static ImportedCable cable_between(const std::string& a, const std::string& b, const Place& at) {
    ImportedCable cable;
    cable.a = a;
    cable.b = b;
    cable.cable.at = at;
    return cable;
  }

  static constexpr int kCostPcie = 2;  // as of a PCIe tree of a node type

  const std::vector<NcclCpu>& cpus_;
  Imported& out_;
  Diagnostics& errors_;
  std::map<std::string, uint32_t> nodes_;  // by host hash, numbered in file order
  std::map<std::pair<uint32_t, std::string>, uint32_t> numbers_;
  std::vector<Gpu> gpus_;
  std::map<const NcclPart*, Gpu*> by_part_;
  std::map<std::pair<uint32_t, std::string>, const Gpu*> by_busid_;
  std::vector<std::string> hosts_;  // by CPU
  std::vector<ImportedCable> ports_;
  size_t nics_ = 0;
  bool has_nvswitch_ = false;
};

void read_nccl(const ImportSource& source, Imported& out, Diagnostics& errors) {
  const int errors_before = errors.errors();
  const std::vector<NcclCpu> cpus = read_nccl_tree(source, out, errors);
  if (errors.errors() > errors_before) return;
  Builder(cpus, out, errors).build();
  out.assume("peaks and memory of the GPUs are not in the file: add them to models for jobs that compute");
}

}  // namespace

const Importer kNcclImporter{
    "NCCL topology XML", [](std::string_view text) { return first_element(text) == "system"; }, read_nccl};

}  // namespace brigade
