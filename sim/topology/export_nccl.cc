// NCCL's topology XML of one server. Covered by tests/scenario/exports_import_again.cc.
#include <algorithm>
#include <cmath>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/topology/export.h"
#include "sim/topology/imported.h"
#include "sim/topology/nccl_tree.h"

namespace brigade {
namespace {

struct Neighbour {
  VertexId vertex;
  LinkId link;
};

class Writer {
 public:
  Writer(const Topology& t, Diagnostics& errors) : t_(t), errors_(errors), around_(t.vertices().size()) {
    for (LinkId l = 0; l < t.links().size(); ++l) around_[t.links()[l].from].push_back({t.links()[l].to, l});
  }

  Exported write() {
    pugi::xml_document document;
    pugi::xml_node system = document.append_child("system");
    system.append_attribute("version") = "1";
    int numa = 0;
    for (VertexId v = 0; v < around_.size(); ++v) {
      if (kind(v) == VertexKind::kHost) add_below(v, add_cpu(system, numa++));
    }
    pugi::xml_node first = numa == 0 ? add_cpu(system, numa++) : system.child("cpu");
    add_loose_gpus(first);
    for (const auto& [gpu, xml] : gpus_) add_links(gpu, xml);
    lose("latencies and the bandwidth between CPUs are left out: NCCL has its own");
    std::ostringstream text;
    document.save(text, "  ");
    return {text.str(), std::move(losses_)};
  }

 private:
  VertexKind kind(VertexId v) const { return t_.vertices()[v].kind; }
  void lose(const std::string& sentence) {
    if (std::find(losses_.begin(), losses_.end(), sentence) == losses_.end()) losses_.push_back(sentence);
  }
  std::string busid(VertexId v) const { return absl::StrFormat("%04x:%02x:00.0", v / 255, v % 255 + 1); }

  pugi::xml_node add_cpu(pugi::xml_node system, int numa) {
    pugi::xml_node cpu = system.append_child("cpu");
    cpu.append_attribute("numaid") = numa;
    for (const char* attribute : {"affinity", "arch", "vendor"})
      cpu.append_attribute(attribute) = std::string_view(attribute) == "arch" ? "x86_64" : "";
    cpu.append_attribute("familyid") = 0;
    cpu.append_attribute("modelid") = 0;
    return cpu;
  }

  // PCIe switches, GPUs and NICs that hang below `parent` and were not met before.
  void add_below(VertexId parent, pugi::xml_node xml) {
    for (const Neighbour& n : around_[parent]) {
      const VertexKind k = kind(n.vertex);
      const bool hangs = k == VertexKind::kPcie || k == VertexKind::kGpu || k == VertexKind::kNic;
      if (!hangs || n.vertex == above_[parent]) continue;
      if (above_.count(n.vertex) > 0) {
        errors_.error(
            {}, absl::StrCat(t_.vertex_name(n.vertex), " hangs below ", t_.vertex_name(above_[n.vertex]),
                             " and ", t_.vertex_name(parent), ": NCCL's XML holds trees only"));
        return;
      }
      above_[n.vertex] = parent;
      pugi::xml_node child = add_pci(xml, n.vertex, t_.links()[n.link].bandwidth);
      if (k == VertexKind::kPcie) add_below(n.vertex, child);
    }
  }

  // GPUs without PCIe: with their NICs below a bridge of their own.
  void add_loose_gpus(pugi::xml_node cpu) {
    for (VertexId v = 0; v < around_.size(); ++v) {
      if (kind(v) != VertexKind::kGpu || above_.count(v) > 0) continue;
      lose("GPUs without a PCIe tree hang below bridges of their own");
      Bandwidth up = Bandwidth::per_second({1});
      for (const Neighbour& n : around_[v]) {
        if (kind(n.vertex) == VertexKind::kNic) up = std::max(up, t_.links()[n.link].bandwidth);
      }
      if (up.bytes_per_s().count == 1) up = pcie_bandwidth(32, 16);
      pugi::xml_node bridge = cpu.append_child("pci");
      describe_pci(bridge, absl::StrFormat("ffff:%02x:%02x.0", v / 255, v % 255 + 1), "0x060400", up);
      std::vector<VertexId> waiting{v};
      above_[v] = kNone;
      while (!waiting.empty()) {
        const VertexId at = waiting.back();
        waiting.pop_back();
        add_pci(bridge, at, up);
        for (const Neighbour& n : around_[at]) {
          const bool pcie = (kind(at) == VertexKind::kGpu) != (kind(n.vertex) == VertexKind::kGpu);
          const bool device = kind(n.vertex) == VertexKind::kNic || kind(n.vertex) == VertexKind::kGpu;
          if (!pcie || !device || above_.count(n.vertex) > 0) continue;
          above_[n.vertex] = kNone;
          waiting.push_back(n.vertex);
        }
      }
    }
  }

  pugi::xml_node add_pci(pugi::xml_node parent, VertexId v, Bandwidth up) {
    pugi::xml_node pci = parent.append_child("pci");
    const VertexKind k = kind(v);
    describe_pci(pci, busid(v),
                 k == VertexKind::kGpu   ? "0x030200"
                 : k == VertexKind::kNic ? "0x020000"
                                         : "0x060400",
                 up);
    if (k == VertexKind::kGpu) {
      pugi::xml_node gpu = pci.append_child("gpu");
      gpu.append_attribute("dev") = t_.vertices()[v].index;
      gpus_.emplace_back(v, gpu);
    } else if (k == VertexKind::kNic) {
      pugi::xml_node nic = pci.append_child("nic");
      for (const Neighbour& n : around_[v]) {
        if (kind(n.vertex) != VertexKind::kSwitch) continue;
        pugi::xml_node net = nic.append_child("net");
        net.append_attribute("name") = absl::StrCat("net", ports_).c_str();
        net.append_attribute("dev") = ports_++;
        net.append_attribute("speed") =
            std::llround(static_cast<double>(t_.links()[n.link].bandwidth.bytes_per_s().count) * 8e-6);
        net.append_attribute("port") = 1;
        net.append_attribute("guid") = absl::StrFormat("0x%x", v + 1).c_str();
      }
    }
    return pci;
  }

  // The generation and width of PCI Express that come nearest.
  void describe_pci(pugi::xml_node pci, const std::string& id, const char* pci_class, Bandwidth up) {
    double best = INFINITY, gt_per_s = 0;
    int lanes = 0;
    for (const int width : {16, 8, 4, 2, 1}) {
      for (const double gt : {64.0, 32.0, 16.0, 8.0, 5.0, 2.5}) {
        const double off =
            std::abs(std::log(static_cast<double>(pcie_bandwidth(gt, width).bytes_per_s().count) /
                              static_cast<double>(up.bytes_per_s().count)));
        if (off >= best - 1e-3) continue;
        best = off;
        gt_per_s = gt;
        lanes = width;
      }
    }
    if (best > 0.02) {
      lose(absl::StrCat("PCIe of ", exact_text(up), " is written as ", gt_per_s, " GT/s x ", lanes, ", ",
                        exact_text(pcie_bandwidth(gt_per_s, lanes))));
    }
    pci.append_attribute("busid") = id.c_str();
    pci.append_attribute("class") = pci_class;
    pci.append_attribute("link_speed") = absl::StrFormat("%.1f GT/s PCIe", gt_per_s).c_str();
    pci.append_attribute("link_width") = lanes;
  }

  void add_links(VertexId v, pugi::xml_node gpu) {
    int64_t most = 0;
    for (const Neighbour& n : around_[v]) {
      if (kind(n.vertex) == VertexKind::kGpu || kind(n.vertex) == VertexKind::kNvswitch)
        most += bytes_per_s(n);
    }
    const std::string model = t_.vertices()[v].model == kNone ? "" : t_.models()[t_.vertices()[v].model].name;
    const bool amd = model.starts_with("gcn_");
    int64_t rate = 25'000'000'000;
    if (amd) {
      gpu.append_attribute("gcn") = model.substr(4).c_str();
      rate = xgmi_bandwidth(model.substr(4)).bytes_per_s().count;
    } else {
      int sm = most <= 6 * rate ? 70 : most <= 12 * rate ? 80 : most <= 18 * rate ? 90 : 100;
      if (!model.starts_with("sm_") || !absl::SimpleAtoi(model.substr(3), &sm))
        lose(absl::StrCat("compute capabilities are guessed from the NVLinks: sm ", sm));
      gpu.append_attribute("sm") = sm;
      rate = nvlink_bandwidth(sm).bytes_per_s().count;
    }
    for (const Neighbour& n : around_[v]) {
      if (kind(n.vertex) != VertexKind::kGpu && kind(n.vertex) != VertexKind::kNvswitch) continue;
      const int64_t count = std::max<int64_t>(1, (bytes_per_s(n) + rate / 2) / rate);
      if (count * rate != bytes_per_s(n)) {
        lose(absl::StrCat(exact_text(t_.links()[n.link].bandwidth), " are written as ", count, " links of ",
                          exact_text(Bandwidth::per_second({rate}))));
      }
      pugi::xml_node link = gpu.append_child(amd ? "xgmi" : "nvlink");
      const bool nvswitch = kind(n.vertex) == VertexKind::kNvswitch;
      link.append_attribute("target") = busid(n.vertex).c_str();
      link.append_attribute("count") = static_cast<long long>(count);
      link.append_attribute("tclass") = nvswitch ? "0x068000" : "0x030200";
    }
  }

  int64_t bytes_per_s(const Neighbour& n) const { return t_.links()[n.link].bandwidth.bytes_per_s().count; }

  const Topology& t_;
  Diagnostics& errors_;
  std::vector<std::vector<Neighbour>> around_;
  std::map<VertexId, VertexId> above_;
  std::vector<std::pair<VertexId, pugi::xml_node>> gpus_;
  std::vector<std::string> losses_;
  int ports_ = 0;
};

}  // namespace

Exported nccl_xml_of(const Topology& t, Diagnostics& errors) {
  if (!has_equal_directions(t, errors)) return {};
  const bool any_gpu = std::any_of(t.vertices().begin(), t.vertices().end(),
                                   [](const Vertex& v) { return v.kind == VertexKind::kGpu; });
  if (t.nodes() != 1 || !any_gpu) {
    errors.error(
        {}, absl::StrCat("NCCL's XML describes one server with GPUs; this cluster has ", t.nodes(), " nodes",
                         any_gpu ? " (for one of them: --set nodes=1, where the file has that parameter)"
                                 : " and no GPU"));
    return {};
  }
  Exported out = Writer(t, errors).write();
  return errors.ok() ? out : Exported{};
}

}  // namespace brigade
