// NCCL's (and RCCL's) topology XML as a tree of PCIe parts: what NCCL_TOPO_DUMP_FILE writes and
// NCCL_TOPO_FILE reads. <system> holds a <cpu> a NUMA domain, that holds nested <pci> (bridges, GPUs, NICs),
// a GPU holds its <nvlink> or <xgmi>, a NIC its <net> ports. Follows NVIDIA/nccl, src/graph/xml.cc and
// topo.cc.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/imported.h"

namespace brigade {

// Links from a GPU to `target`, a PCI bus id.
struct NcclLink {
  std::string target;
  int count = 1;
  bool to_switch = false, to_cpu = false;  // by PCI class; else to a GPU
  bool xgmi = false;
  Place at;
};

// A network port.
struct NcclNet {
  std::optional<Bandwidth> speed;
  Duration latency{};  // 0: not given
};

struct NcclPart {
  enum class Kind { kBridge, kGpu, kNic };
  Kind kind = Kind::kBridge;
  std::string busid;
  std::optional<Bandwidth> up;  // towards the CPU; none: not on PCIe
  Place at;
  std::vector<NcclPart> children;  // of a bridge
  // Of a GPU.
  std::optional<int> dev;
  int sm = 0;       // compute capability x 10; 0: not given
  std::string gcn;  // AMD: "gfx942", "910"
  std::vector<NcclLink> links;
  std::optional<Bandwidth> c2c;
  // Of a NIC.
  std::vector<NcclNet> nets;
};

// A NUMA domain.
struct NcclCpu {
  std::string host;  // "host_hash" where one file holds several servers
  std::string arch, vendor;
  int family = 0, model = 0;
  std::vector<NcclPart> children;
  Place at;
};

// Bridges that lead to no device are left out, and a bridge with one child only is part of that child's cable
// (with the lesser bandwidth). What was assumed goes to `out`.
std::vector<NcclCpu> read_nccl_tree(const ImportSource& source, Imported& out, Diagnostics& errors);

// PCI Express: GT/s x lanes x encoding (8/10 up to 5 GT/s, 128/130 up to 32, else 242/256), as bytes per
// second, rounded to 10 MB/s.
Bandwidth pcie_bandwidth(double gt_per_s, int lanes);
// One NVLink of a GPU of this compute capability, each direction. NCCL counts on about 80 % of it
// (src/graph/topo.h); ours is the wire's.
Bandwidth nvlink_bandwidth(int sm);
// One Infinity Fabric link between GPUs ("gfx942", "910"), each direction.
Bandwidth xgmi_bandwidth(std::string_view gcn);

}  // namespace brigade
