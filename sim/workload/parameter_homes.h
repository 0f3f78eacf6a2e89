// Where the shares of offloaded parameters lie (DeepSpeed's stage 3: stage3.py,
// _create_fp16_partitions_with_defragmentation; partition_parameters.py;
// swap_tensor/partitioned_param_swapper.py).
//
// cpu: all in the host's memory. nvme: on its drives, but for
//   - sub-groups, in the order of registration, that end within the first max_in_cpu elements of the share;
//   one
//     that does not counts, too. A sub-group is closed by the parameter that brings it to sub_group_size;
//   - shares of less than 1 MiB (MIN_AIO_BYTES);
//   - small parameters that stay gathered, which DeepSpeed may put onto NVMe where they are larger than that.
#pragma once
#include <cstdint>
#include <vector>

#include "sim/workload/shard_program.h"

namespace brigade {

struct ParameterHomes {
  std::vector<bool> on_nvme;                     // by tensor
  int64_t host_elements = 0, nvme_elements = 0;  // of a rank's share, padded
  TensorIndex largest = 0;                       // on NVMe
  int64_t largest_elements = 0;                  // its share
};

ParameterHomes parameter_homes(const ShardInput& in);

}  // namespace brigade
