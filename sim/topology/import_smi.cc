// The matrix of `nvidia-smi topo -m` to a cluster of one node: NV18, PIX, PXB, PHB, NODE, SYS become NVLink,
// PCIe switches, host bridges, NUMA domains and sockets. Covered by tests/scenario/imports_others.cc.
//
// The matrix is read as an equivalence at each level: what a level or a closer one joins has a common parent.
// Rows that contradict each other are taken at their closest word, which is said.
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/topology/imported.h"
#include "sim/topology/nccl_tree.h"
#include "sim/topology/smi_matrix.h"

namespace brigade {
namespace {

// The most NVLinks that a GPU has (Hopper, Blackwell): who sees more in its row sees them through switches.
constexpr int kLinksOfGpuMax = 18;

class Builder {
 public:
  Builder(std::vector<SmiDevice> devices, Imported& out) : devices_(std::move(devices)), out_(out) {}

  void build() {
    for (SmiDevice& d : devices_)
      d.column = absl::StrCat("node[0].", d.is_gpu ? "gpu" : "nic", "[", d.is_gpu ? gpus_++ : nics_++, "]");
    make_symmetric();
    guess_generation();
    for (const SmiDevice& d : devices_) {
      if (d.is_gpu) out_.vertex(d.column, "gpu", d.at);
    }
    add_nvlink();
    add_pcie();
    add_network();
    out_.assume("peaks and memory of the GPUs are not in the file: add models for jobs that compute");
  }

 private:
  void make_symmetric() {
    size_t changed = 0;
    for (size_t a = 0; a < devices_.size(); ++a) {
      for (size_t b = a + 1; b < devices_.size(); ++b) {
        SmiEntry &forth = devices_[a].row[b], &back = devices_[b].row[a];
        if (forth.level == back.level && forth.nvlinks == back.nvlinks) continue;
        ++changed;
        forth.level = back.level = std::min(forth.level, back.level);
        // What both see; what one sees where the other is silent.
        const auto [low, high] = std::minmax(forth.nvlinks, back.nvlinks);
        forth.nvlinks = back.nvlinks = low > 0 ? low : high;
      }
    }
    if (changed > 0) {
      out_.assume(absl::StrCat(changed,
                               " pairs differ between row and column: fewer NVLinks and the closer "
                               "PCIe word taken"));
    }
  }

  void guess_generation() {
    int links = 0;
    for (const SmiDevice& d : devices_) {
      for (const SmiEntry& e : d.row) links = std::max(links, e.nvlinks);
    }
    gt_per_s_ = links > 12 ? 32 : links > 6 ? 16 : 8;
  }

  std::vector<std::vector<size_t>> groups(const std::function<bool(size_t, size_t)>& joined) const {
    std::vector<size_t> parent(devices_.size());
    std::iota(parent.begin(), parent.end(), size_t{0});
    const auto root = [&](size_t i) {
      while (parent[i] != i) i = parent[i] = parent[parent[i]];
      return i;
    };
    for (size_t a = 0; a < devices_.size(); ++a) {
      for (size_t b = a + 1; b < devices_.size(); ++b) {
        // The lower root stays, so that groups are in the order of their first device.
        if (joined(a, b)) parent[std::max(root(a), root(b))] = std::min(root(a), root(b));
      }
    }
    std::map<size_t, std::vector<size_t>> by_root;
    for (size_t i = 0; i < devices_.size(); ++i) by_root[root(i)].push_back(i);
    std::vector<std::vector<size_t>> found;
    for (auto& [unused, members] : by_root) found.push_back(std::move(members));
    return found;
  }

  // A GPU with more links in its row than it can have sees them through switches.
  void add_nvlink() {
    const auto joined = [&](size_t a, size_t b) { return devices_[a].row[b].nvlinks > 0; };
    int switches = 0;
    for (const std::vector<size_t>& group : groups(joined)) {
      int most = 0;
      for (const size_t i : group) {
        int sum = 0;
        for (const SmiEntry& e : devices_[i].row) sum += e.nvlinks;
        most = std::max(most, sum);
      }
      if (most > kLinksOfGpuMax) {
        const std::string name = absl::StrCat("node[0].nvswitch[", switches++, "]");
        out_.vertex(name, "nvswitch", devices_[group.front()].at);
        for (const size_t i : group) add_switch_cable(devices_[i], name);
      } else {
        add_direct_cables(group);
      }
    }
    if (switches > 0) {
      out_.assume(absl::StrCat("more than ", kLinksOfGpuMax,
                               " NVLinks in a row: they lead to NVLink switches, "
                               "drawn as one a group, over which NVLink spreads each message"));
    }
  }

  void add_switch_cable(const SmiDevice& gpu, const std::string& to) {
    int links = 0;
    for (const SmiEntry& e : gpu.row) links = std::max(links, e.nvlinks);
    add_links(gpu, to, links, AssumedLatency::kNvlinkSwitch);
  }

  void add_direct_cables(const std::vector<size_t>& group) {
    for (const size_t a : group) {
      for (const size_t b : group) {
        const int links = devices_[a].row[b].nvlinks;
        if (a < b && links > 0)
          add_links(devices_[a], devices_[b].column, links, AssumedLatency::kNvlinkDirect);
      }
    }
  }

  void add_links(const SmiDevice& from, const std::string& to, int links, AssumedLatency latency) {
    ImportedCable cable;
    cable.a = from.column;
    cable.b = to;
    cable.cable.at = from.at;
    cable.cable.cables = links;
    assume_bandwidth("nvlink_bandwidth", Bandwidth::gb_per_s(25),
                     "one NVLink, each direction, V100 to H100; set 50 GB/s for Blackwell, 20 for P100",
                     cable, out_);
    assume_latency(latency, cable, out_);
    out_.cables.push_back(std::move(cable));
  }

  // Bottom up: each group of a level hangs below one vertex, unless it is a single part already.
  void add_pcie() {
    std::vector<std::string> top(devices_.size());  // by device: the highest vertex above it so far
    for (size_t i = 0; i < devices_.size(); ++i) {
      top[i] = devices_[i].column;
      if (!devices_[i].is_gpu) out_.vertex(top[i], "nic", devices_[i].at);
    }
    for (const SmiLevel level : {kPix, kPxb}) {
      for (const std::vector<size_t>&group : groups([&](size_t a, size_t b) { return near(a, b, level); })) {
        hang(group, "pcie", top);
      }
    }
    const auto in_domain = [&](size_t a, size_t b) { return near(a, b, kNode) || share_cpus(a, b); };
    const std::vector<std::vector<size_t>> domains = groups(in_domain);
    for (const std::vector<size_t>&bridge :
         groups([&](size_t a, size_t b) { return near(a, b, kPhb) || share_cpus(a, b); })) {
      // The only bridge of its NUMA domain is the host itself.
      if (std::find(domains.begin(), domains.end(), bridge) == domains.end()) hang(bridge, "bridge", top);
    }
    std::vector<std::string> hosts;
    for (const std::vector<size_t>& domain : domains) {
      const std::string host = absl::StrCat("node[0].host[", hosts.size(), "]");
      out_.vertex(host, "host", devices_[domain.front()].at);
      join(domain, host, top);
      hosts.push_back(host);
    }
    join_hosts(hosts);
  }

  bool near(size_t a, size_t b, SmiLevel level) const {
    const SmiEntry& e = devices_[a].row[b];
    return e.nvlinks == 0 && e.level <= level;
  }

  // NVLink hides how near two GPUs are on PCIe; then their CPUs tell.
  bool share_cpus(size_t a, size_t b) const {
    if (devices_[a].row[b].nvlinks == 0 || devices_[a].affinity != devices_[b].affinity) return false;
    return !devices_[a].affinity.empty() || (sees_only_nvlink(a) && sees_only_nvlink(b));
  }

  // Where it hangs in the PCIe tree the matrix does not say.
  bool sees_only_nvlink(size_t device) const {
    for (size_t other = 0; other < devices_.size(); ++other) {
      if (other != device && devices_[device].row[other].nvlinks == 0) return false;
    }
    return true;
  }

  void hang(const std::vector<size_t>& group, const char* kind, std::vector<std::string>& top) {
    const bool single =
        std::all_of(group.begin(), group.end(), [&](size_t i) { return top[i] == top[group[0]]; });
    if (single) return;
    const std::string name = absl::StrCat("node[0].", kind, "[", numbers_[kind]++, "]");
    out_.vertex(name, "pcie", devices_[group.front()].at);
    join(group, name, top);
  }

  // One cable from each part of the group to `to`.
  void join(const std::vector<size_t>& group, const std::string& to, std::vector<std::string>& top) {
    std::vector<std::string> done;
    for (const size_t i : group) {
      if (std::find(done.begin(), done.end(), top[i]) == done.end()) {
        add_pcie_cable(top[i], to, devices_[i].at);
        done.push_back(top[i]);
      }
      top[i] = to;
    }
  }

  void add_pcie_cable(const std::string& from, const std::string& to, const Place& at) {
    ImportedCable cable;
    cable.a = from;
    cable.b = to;
    cable.cable.at = at;
    cable.cable.cost = 2;  // as of a PCIe tree of a node type
    assume_bandwidth("pcie_bandwidth", pcie_bandwidth(gt_per_s_, 16),
                     absl::StrCat(gt_per_s_, " GT/s x 16, guessed from the number of NVLinks"), cable, out_);
    assume_latency(AssumedLatency::kPcie, cable, out_);
    out_.cables.push_back(std::move(cable));
  }

  void join_hosts(const std::vector<std::string>& hosts) {
    for (size_t a = 0; a < hosts.size(); ++a) {
      for (size_t b = a + 1; b < hosts.size(); ++b) {
        ImportedCable cable;
        cable.a = hosts[a];
        cable.b = hosts[b];
        cable.cable.at = devices_.front().at;
        cable.cable.cost = 2;
        assume_bandwidth("socket_bandwidth",
                         Bandwidth::gb_per_s(gt_per_s_ > 16  ? 22
                                             : gt_per_s_ > 8 ? 16
                                                             : 10),
                         "between two CPUs; what NCCL counts on for their age: NVIDIA/nccl, src/graph/topo.h",
                         cable, out_);
        assume_latency(AssumedLatency::kSocket, cable, out_);
        out_.cables.push_back(std::move(cable));
      }
    }
  }

  void add_network() {
    if (nics_ == 0) return;
    out_.vertex("switch[0]", "switch", devices_.front().at);
    for (const SmiDevice& d : devices_) {
      if (d.is_gpu) continue;
      ImportedCable port;
      port.a = d.column;
      port.b = "switch[0]";
      port.cable.at = d.at;
      const Bandwidth speed = *bits_per_second(gt_per_s_ > 16 ? 400e9 : gt_per_s_ > 8 ? 200e9 : 100e9);
      assume_bandwidth("port_bandwidth", speed, "a NIC's port, guessed from the age of PCIe", port, out_);
      assume_latency(AssumedLatency::kPort, port, out_);
      out_.cables.push_back(std::move(port));
    }
    out_.assume("the network behind the NICs is not in the file: one switch joins all ports");
  }

  std::vector<SmiDevice> devices_;
  Imported& out_;
  int gpus_ = 0, nics_ = 0;
  int gt_per_s_ = 8;
  std::map<std::string, int> numbers_;
};

void read_smi(const ImportSource& source, Imported& out, Diagnostics& errors) {
  const int errors_before = errors.errors();
  std::vector<SmiDevice> devices = read_smi_matrix(source, errors);
  if (errors.errors() == errors_before) Builder(std::move(devices), out).build();
}

}  // namespace

const Importer kSmiImporter{"matrix of nvidia-smi topo -m", is_smi_matrix, read_smi};

}  // namespace brigade
