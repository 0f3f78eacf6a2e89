// `brigade memory`: from what the command line asks to a request of the memory model, and its answer in each
// format.
#pragma once
#include <optional>
#include <string>

#include "sim/base/bytes.h"
#include "sim/base/ids.h"
#include "sim/workload/memory_model.h"

namespace brigade {

struct MemoryOptions {
  std::string model;  // a known name, or a number of parameters: "7e9"
  Rank ranks = 1;
  std::optional<Rank> shard_group;  // of fsdp2: ranks that share the model states; all of them if absent
  std::optional<Rank> reshard;      // of fsdp2: ranks that share gathered parameters after forward
  std::optional<int> stage;         // the preset's own if absent
  std::string preset = "deepspeed";
  std::string device_memory;  // "80GB"; empty: nothing is compared
  int64_t samples = 1;
  std::optional<int64_t> sequence;  // the model's own if absent
  std::string precision = "bf16";   // bf16, fp16, fp32
  bool fp32_gradients = false;
  std::string activations = "flash";
  std::string recompute = "none";
  std::string offload = "none";
  int64_t channels = 16;
  std::string context = "1343MiB";
};

struct MemoryReport {
  std::string model;
  std::string precision;
  MemoryRequest request;
  std::optional<Bytes> device_memory;
};

// Nothing, and in `error` a sentence, where the options cannot be.
std::optional<MemoryReport> memory_report(const MemoryOptions& options, std::string& error);

std::string memory_text(const MemoryReport& report, bool colour);
std::string memory_json(const MemoryReport& report);
// A line a row of the answer: component, bytes (empty where it is not counted), how.
std::string memory_csv(const MemoryReport& report);

}  // namespace brigade
