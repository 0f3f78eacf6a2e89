// The matrix that `nvidia-smi topo -m` prints: a row and a column a device, in words.
#pragma once
#include <string>
#include <vector>

#include "sim/topology/imported.h"

namespace brigade {

// How near two devices are on PCIe: below one bridge, below several, below a host bridge, in a NUMA domain,
// beyond.
enum SmiLevel { kPix, kPxb, kPhb, kNode, kSys, kSmiLevels };

struct SmiEntry {
  SmiLevel level = kSys;
  int nvlinks = 0;  // above 0 the matrix does not say the level
};

struct SmiDevice {
  std::string column;    // "GPU0", "NIC3", "mlx5_0"
  std::string affinity;  // CPUs, as printed
  bool is_gpu = false;
  Place at;
  std::vector<SmiEntry> row;  // by device
};

// A header with GPU0 and the row of a GPU below it.
bool is_smi_matrix(std::string_view text);
// Whatever stands around the matrix (prompts, legend) is passed over, and so are the escapes of a terminal.
std::vector<SmiDevice> read_smi_matrix(const ImportSource& source, Diagnostics& errors);

}  // namespace brigade
