// Covered by tests/scenario/imports_nccl.cc.
#include "sim/topology/nccl_tree.h"

#include <algorithm>
#include <cmath>
#include <pugixml.hpp>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace brigade {
namespace {

constexpr int kDepthMax = 32;  // of bridges; a real machine has 4 or so
constexpr size_t kCpusMax = 1024;
constexpr int kLinksMax = 1024;
constexpr double kGtMax = 1024;
constexpr int kLanesMax = 64;

class TreeReader {
 public:
  TreeReader(const ImportSource& source, Imported& out, Diagnostics& errors)
      : source_(source), out_(out), errors_(errors) {}

  std::vector<NcclCpu> read(const pugi::xml_node& system) {
    std::vector<NcclCpu> cpus;
    for (const pugi::xml_node& xml : system.children("cpu")) {
      NcclCpu cpu;
      cpu.at = at(xml);
      cpu.host = xml.attribute("host_hash").value();
      cpu.arch = xml.attribute("arch").value();
      cpu.vendor = xml.attribute("vendor").value();
      cpu.family = xml.attribute("familyid").as_int();
      cpu.model = xml.attribute("modelid").as_int();
      busids_.clear();
      read_children(xml, 0, cpu.children);
      cpus.push_back(std::move(cpu));
    }
    if (cpus.size() > kCpusMax) {
      errors_.error(at(system), absl::StrCat("holds ", cpus.size(), " CPUs; allowed: ", kCpusMax));
    }
    if (cpus.empty()) errors_.error(at(system), "holds no <cpu>");
    return cpus;
  }

 private:
  Place at(const pugi::xml_node& xml) const {
    return source_.at(static_cast<size_t>(std::max<ptrdiff_t>(0, xml.offset_debug())));
  }

  void read_children(const pugi::xml_node& xml, int depth, std::vector<NcclPart>& children) {
    if (depth > kDepthMax) {
      return errors_.error(at(xml), absl::StrCat("more than ", kDepthMax, " PCI bridges inside each other"));
    }
    for (const pugi::xml_node& child : xml.children("pci")) {
      if (std::optional<NcclPart> part = read_pci(child, depth)) children.push_back(std::move(*part));
    }
    // A network without a PCI device of its own, such as a socket interface.
    for (const pugi::xml_node& child : xml.children("nic")) {
      NcclPart nic;
      nic.kind = NcclPart::Kind::kNic;
      nic.at = at(child);
      read_nets(child, nic);
      if (!nic.nets.empty()) children.push_back(std::move(nic));
    }
  }

  std::optional<NcclPart> read_pci(const pugi::xml_node& xml, int depth) {
    NcclPart part;
    part.at = at(xml);
    part.busid = xml.attribute("busid").value();
    if (!part.busid.empty() && !busids_.insert(part.busid).second) {
      errors_.error(part.at, absl::StrCat("the busid ", plain_text(part.busid), " is given twice"));
    }
    part.up = up_of(xml);
    const std::string pci_class = xml.attribute("class").value();
    const pugi::xml_node gpu = xml.child("gpu"), nic = xml.child("nic");
    if (gpu || pci_class.starts_with("0x03") || pci_class.starts_with("0x12")) {
      part.kind = NcclPart::Kind::kGpu;
      read_gpu(gpu, part);
    } else if (nic || pci_class.starts_with("0x02")) {
      part.kind = NcclPart::Kind::kNic;
      read_nets(nic, part);
    } else {
      read_children(xml, depth + 1, part.children);
      if (part.children.empty()) return std::nullopt;
      if (part.children.size() == 1) {
        NcclPart only = std::move(part.children.front());
        only.up = only.up ? std::min(*only.up, *part.up) : part.up;
        return only;
      }
    }
    return part;
  }

  Bandwidth up_of(const pugi::xml_node& xml) {
    double gt_per_s = 0;
    const std::string speed = xml.attribute("link_speed").value();
    const bool known =
        absl::SimpleAtod(speed.substr(0, speed.find(' ')), &gt_per_s) && gt_per_s > 0 && gt_per_s <= kGtMax;
    int lanes = xml.attribute("link_width").as_int();
    if (!known) {
      gt_per_s = 8;
      out_.assume("where the file gives no PCIe speed, 8 GT/s (what NCCL takes)");
    }
    if (lanes < 1 || lanes > kLanesMax) {
      lanes = 16;
      out_.assume("where the file gives no PCIe width, 16 lanes (what NCCL takes)");
    }
    return pcie_bandwidth(gt_per_s, lanes);
  }

  void read_gpu(const pugi::xml_node& xml, NcclPart& part) {
    if (const pugi::xml_attribute dev = xml.attribute("dev")) part.dev = dev.as_int();
    part.sm = xml.attribute("sm").as_int();
    part.gcn = xml.attribute("gcn").value();
    for (const char* element : {"nvlink", "xgmi"}) {
      for (const pugi::xml_node& link : xml.children(element)) read_link(link, part);
    }
    if (const pugi::xml_node c2c = xml.child("c2c")) {
      const double mb_per_s = c2c.attribute("bw").as_double() * c2c.attribute("count").as_double(1);
      part.c2c = bits_per_second(mb_per_s * 8e6);
      if (!part.c2c) errors_.error(at(c2c), "a <c2c> needs its bandwidth: bw, in MB/s");
    }
  }

  void read_link(const pugi::xml_node& xml, NcclPart& part) {
    NcclLink link;
    link.at = at(xml);
    link.target = xml.attribute("target").value();
    link.xgmi = std::string_view(xml.name()) == "xgmi";
    link.count = xml.attribute("count").as_int();
    const std::string_view tclass = xml.attribute("tclass").value();
    link.to_switch = tclass.starts_with("0x068000");
    link.to_cpu = tclass.starts_with("0x068001");
    if (link.count < 1 || link.count > kLinksMax) {
      return errors_.error(
          link.at, absl::StrCat("count is \"", plain_text(xml.attribute("count").value()),
                                "\"; allowed: 1 to ", kLinksMax, " links from one GPU to one target"));
    }
    part.links.push_back(std::move(link));
  }

  void read_nets(const pugi::xml_node& xml, NcclPart& nic) {
    for (const pugi::xml_node& child : xml.children("net")) {
      NcclNet net;
      const double mb_per_s = child.attribute("speed").as_double();  // in Mb/s; some cards say -1
      if (mb_per_s > 0) net.speed = bits_per_second(mb_per_s * 1e6);
      const double latency_us = child.attribute("latency").as_double();
      if (latency_us > 0 && latency_us < 1e6) net.latency = Duration{std::llround(latency_us * 1e6)};
      nic.nets.push_back(net);
    }
  }

  const ImportSource& source_;
  Imported& out_;
  Diagnostics& errors_;
  std::set<std::string> busids_;
};

}  // namespace

Bandwidth pcie_bandwidth(double gt_per_s, int lanes) {
  const double encoding = gt_per_s <= 5 ? 8.0 / 10 : gt_per_s <= 32 ? 128.0 / 130 : 242.0 / 256;
  const double bytes_per_s = gt_per_s * 1e9 * lanes * encoding / 8;
  constexpr int64_t kStep = 10'000'000;
  return Bandwidth::per_second({std::max<int64_t>(1, std::llround(bytes_per_s / kStep)) * kStep});
}

Bandwidth nvlink_bandwidth(int sm) {
  if (sm >= 100) return Bandwidth::gb_per_s(50);
  if (sm == 86) return Bandwidth::per_second({14'062'500'000});
  return Bandwidth::gb_per_s(sm >= 60 && sm < 70 ? 20 : 25);
}

Bandwidth xgmi_bandwidth(std::string_view gcn) {
  if (gcn.starts_with("gfx")) gcn.remove_prefix(3);
  if (gcn.starts_with("95")) return Bandwidth::per_second({76'800'000'000});
  if (gcn.starts_with("94")) return Bandwidth::gb_per_s(64);
  if (gcn == "90a" || gcn == "910") return Bandwidth::gb_per_s(50);
  return Bandwidth::gb_per_s(46);
}

std::vector<NcclCpu> read_nccl_tree(const ImportSource& source, Imported& out, Diagnostics& errors) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(source.text().data(), source.text().size(),
                                                             pugi::parse_default, pugi::encoding_utf8);
  if (!parsed) {
    errors.error(source.at(static_cast<size_t>(std::max<ptrdiff_t>(0, parsed.offset))),
                 absl::StrCat("not valid XML: ", parsed.description()));
    return {};
  }
  return TreeReader(source, out, errors).read(document.child("system"));
}

}  // namespace brigade
