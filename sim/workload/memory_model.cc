#include "sim/workload/memory_model.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/workload/activation_memory.h"

namespace brigade {
namespace {

constexpr int64_t kReduceBucketElements = 500'000'000;  // DeepSpeed's reduce_bucket_size
constexpr int64_t kMaxLiveParameters = 1'000'000'000;   // DeepSpeed's stage3_max_live_parameters
constexpr Bytes kFusionBuffer = mebibytes(128);         // HOROVOD_FUSION_THRESHOLD
constexpr Bytes kChannelBuffers = kibibytes(4096 + 512 + 4800);
constexpr double kCommunicatorsMax = 3;
// Far below what overflows, far above every model.
constexpr int64_t kParametersMax = int64_t{1} << 54;
constexpr double kBytesMax = 1152921504606846976.0;  // 2^60

int64_t share_of(int64_t elements, Rank ranks) { return (elements + ranks - 1) / ranks; }

// Stages from this one on hold a share only.
bool is_shared(const MemoryRequest& r, int from_stage) {
  return r.preset == ShardPreset::kFsdp2 || r.stage >= from_stage;
}

void add_state(MemoryUse& use, const MemoryRequest& r, const char* key, const char* label, int64_t bytes_each,
               int from_stage, bool on_host) {
  if (on_host) return use.rows.push_back({key, label, Bytes{}, "on the host"});
  const bool shared = is_shared(r, from_stage);
  const int64_t elements = shared ? share_of(r.parameters, r.ranks) : r.parameters;
  std::string how = absl::StrCat(bytes_each, " bytes x ", elements);
  if (shared) absl::StrAppend(&how, ", a share of 1/", r.ranks);
  use.rows.push_back({key, label, elements * Bytes{bytes_each}, std::move(how)});
}

void add_states(MemoryUse& use, const MemoryRequest& r) {
  add_state(use, r, "parameters", "parameters", r.bytes.parameters, 3, r.parameters_on_host);
  add_state(use, r, "gradients", "gradients", r.bytes.gradients, 2, r.optimizer_on_host && r.stage >= 2);
  if (r.bytes.fp32_gradients > 0)
    add_state(use, r, "fp32_gradients", "gradients in fp32", r.bytes.fp32_gradients, 1, r.optimizer_on_host);
  add_state(use, r, "optimizer_states", "optimizer states", r.bytes.optimizer, 1, r.optimizer_on_host);
  use.states = use.rows.size();
}

// What is gathered of the parameters at once, in elements, and why.
MemoryRow in_flight(const MemoryRequest& r) {
  MemoryRow row{"in_flight_units", "in-flight units", Bytes{}, "parameters are never gathered"};
  const auto set = [&](int64_t elements, const std::string& what) {
    row.bytes = elements * Bytes{r.bytes.gathered};
    row.how = absl::StrCat(r.bytes.gathered, " bytes x ", elements, ": ", what);
  };
  if (r.preset == ShardPreset::kDeepspeed && r.stage == 3)
    set(std::min(r.parameters, kMaxLiveParameters), "at most max_live_parameters = 1e9");
  if (r.preset != ShardPreset::kFsdp2) return row;
  if (r.stage == 2) {
    set(r.parameters, "all, not resharded after forward");
  } else if (!r.shape) {
    row.bytes = std::nullopt;
    row.how = "not counted: layers are unknown";
  } else {
    const int64_t layer = layer_parameters(*r.shape), root = r.parameters - r.shape->layers * layer;
    const int64_t whole = std::min<int64_t>(2, r.shape->layers) * layer;
    if (r.after_forward > 0)
      set(whole + share_of(r.parameters - whole, r.after_forward),
          absl::StrCat("two layers, and of all else a share of 1/", r.after_forward));
    else
      set(root + whole, "the root's own and two layers");
  }
  return row;
}

MemoryRow copies(const MemoryRequest& r) {
  MemoryRow row{"bucket_copies", "bucket copies", Bytes{}, "buckets are views of the gradients"};
  if (r.preset == ShardPreset::kHorovod) {
    row.bytes = kFusionBuffer;
    row.how = "the fusion buffer";
  } else if (r.preset == ShardPreset::kDeepspeed && r.stage == 0) {
    row.bytes = r.parameters * Bytes{r.bytes.reduced};
    row.how = "DDP's buckets hold all gradients once more";
  } else if (r.preset == ShardPreset::kDeepspeed) {
    row.bytes = kReduceBucketElements * Bytes{r.bytes.reduced};
    row.how = absl::StrCat(r.bytes.reduced, " bytes x reduce_bucket_size = 5e8");
  } else if (r.preset == ShardPreset::kFsdp2 && r.shape) {
    const int64_t layer = layer_parameters(*r.shape);
    row.bytes = layer * Bytes{2 * r.bytes.gathered + r.bytes.reduced};
    row.how = "of one layer: gathered buffer, unsharded gradients, reduce-scatter input";
  } else if (r.preset == ShardPreset::kFsdp2) {
    row.bytes = std::nullopt;
    row.how = "not counted: layers are unknown";
  }
  return row;
}

MemoryRow communication(const MemoryRequest& r) {
  MemoryRow row{"communication_buffers", "communication buffers", Bytes{}, "one rank does not communicate"};
  const int communicators = (r.ranks > 1) + (r.replicas > 1) + (r.after_forward > 0);
  if (communicators == 0) return row;
  row.bytes = communicators * r.channels * kChannelBuffers;
  row.how = absl::StrCat("NCCL, ", r.channels, " channels of a ring, all protocols",
                         communicators > 1 ? absl::StrCat(", of ", communicators, " communicators") : "");
  return row;
}

// In floating point: for what would overflow.
double rough_total(const MemoryRequest& r) {
  const double states = static_cast<double>(r.parameters) *
                        static_cast<double>(r.bytes.total() + 2 * r.bytes.gathered + 2 * r.bytes.reduced);
  return states + rough_activations(r) + static_cast<double>(r.context.count) +
         kCommunicatorsMax * static_cast<double>(r.channels) * static_cast<double>(kChannelBuffers.count);
}

MemoryRequest with_layers(MemoryRequest r, int64_t layers) {
  r.parameters += (layers - r.shape->layers) * layer_parameters(*r.shape);
  r.shape->layers = layers;
  return r;
}

MemoryRequest with_parameters(MemoryRequest r, int64_t parameters) {
  r.parameters = parameters;
  return r;
}

// The largest n below `limit` that `fits`, which holds up to some n and never again; 0 if none.
template <class Fits>
int64_t last_that(int64_t limit, Fits fits) {
  int64_t good = 0, bad = limit;
  while (bad - good > 1) {
    const int64_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

const char* name_of(ShardPreset preset) {
  constexpr const char* kNames[] = {"deepspeed", "fsdp2", "megatron", "horovod"};
  return kNames[static_cast<size_t>(preset)];
}
const char* name_of(ActivationCount count) {
  constexpr const char* kNames[] = {"zero_paper", "standard", "flash"};
  return kNames[static_cast<size_t>(count)];
}
const char* name_of(Recompute recompute) {
  constexpr const char* kNames[] = {"none", "selective", "full"};
  return kNames[static_cast<size_t>(recompute)];
}

StateBytes state_bytes(ShardPreset preset, bool fp32, bool fp32_gradients) {
  StateBytes bytes;
  if (fp32) {
    bytes = {.parameters = 4, .gradients = 4, .optimizer = 8, .gathered = 4, .reduced = 4};
  } else if (preset == ShardPreset::kFsdp2) {
    bytes = {.parameters = 4, .gradients = 4, .optimizer = 8, .gathered = 2, .reduced = 2};
  } else if (preset == ShardPreset::kMegatron) {
    bytes = {.parameters = 2, .gradients = 4, .optimizer = 12, .gathered = 2, .reduced = 4};
  }
  if (fp32_gradients && bytes.gradients < 4) bytes.fp32_gradients = 4;
  if (fp32_gradients) bytes.reduced = 4;
  return bytes;
}

std::vector<int> stages_of(ShardPreset preset) {
  switch (preset) {
    case ShardPreset::kDeepspeed:
      return {0, 1, 2, 3};
    case ShardPreset::kFsdp2:
      return {3, 2};
    case ShardPreset::kMegatron:
      return {1, 0};
    case ShardPreset::kHorovod:
      return {0};
  }
  return {};
}

std::vector<int> sorted_stages(ShardPreset preset) {
  std::vector<int> stages = stages_of(preset);
  std::sort(stages.begin(), stages.end());
  return stages;
}

const char* name_of(Offload offload) {
  constexpr const char* kNames[] = {"none", "optimizer", "parameters"};
  return kNames[static_cast<size_t>(offload)];
}

std::string refusal(const MemoryRequest& r) {
  const std::vector<int> stages = stages_of(r.preset);
  if (std::find(stages.begin(), stages.end(), r.stage) == stages.end()) {
    std::string text = absl::StrCat(name_of(r.preset), " has no stage ", r.stage, "; allowed:");
    for (const int stage : stages) absl::StrAppend(&text, stage == stages.front() ? " " : ", ", stage);
    return text;
  }
  const bool offloads = r.optimizer_on_host || r.parameters_on_host;
  if (offloads && r.preset != ShardPreset::kDeepspeed)
    return absl::StrCat("offload is counted for deepspeed only, not for ", name_of(r.preset));
  if (r.optimizer_on_host && r.stage == 0) return "offload needs stage 1, 2 or 3";
  if (r.parameters_on_host && r.stage != 3)
    return absl::StrCat("parameters are offloaded at stage 3 only, not at stage ", r.stage,
                        "; allowed: stage 3, or to offload the optimizer");
  if (r.recompute == Recompute::kSelective && r.activations == ActivationCount::kZeroPaper)
    return "zero_paper counts whole layers; selective recomputation needs standard or flash";
  if (r.parameters < 1 || r.parameters > kParametersMax)
    return absl::StrCat(r.parameters, " parameters; allowed: 1 to ", kParametersMax);
  if (!(rough_total(r) < kBytesMax)) return "more than 2^60 bytes";
  if (r.replicas > 1 && r.preset != ShardPreset::kFsdp2)
    return absl::StrCat(name_of(r.preset), " has no shard groups; allowed: preset fsdp2");
  if (r.after_forward > 0 && (r.preset != ShardPreset::kFsdp2 || r.stage != 3))
    return absl::StrCat(name_of(r.preset), " stage ", r.stage,
                        " does not reshard after forward to fewer ranks; allowed: fsdp2 stage 3");
  if (r.after_forward > 0 &&
      (r.after_forward < 2 || r.after_forward >= r.ranks || r.ranks % r.after_forward != 0))
    return absl::StrCat("resharded to ", r.after_forward, " of ", r.ranks,
                        " ranks; allowed: what divides them, more than 1 and fewer than all");
  return "";
}

MemoryUse memory_use(const MemoryRequest& r) {
  const std::string refused = refusal(r);
  BRIGADE_CHECK(refused.empty(), refused);
  MemoryUse use;
  add_states(use, r);
  use.rows.push_back(activation_row(r));
  use.rows.push_back(logits_row(r));
  use.rows.push_back(in_flight(r));
  use.rows.push_back(copies(r));
  use.rows.push_back(communication(r));
  use.rows.push_back({"context", "context", r.context, "the CUDA process itself"});
  for (size_t i = 0; i < use.rows.size(); ++i) {
    const Bytes bytes = use.rows[i].bytes.value_or(Bytes{});
    use.total += bytes;
    if (i < use.states) use.model_states += bytes;
  }
  return use;
}

int64_t largest_by_states(const MemoryRequest& request, Bytes memory) {
  MemoryRequest r = request;
  r.shape.reset();  // states do not depend on it
  return last_that(kParametersMax, [&](int64_t parameters) {
    const MemoryRequest larger = with_parameters(r, parameters);
    return refusal(larger).empty() && memory_use(larger).model_states <= memory;
  });
}

LargestModel largest_in_all(const MemoryRequest& request, Bytes memory) {
  const auto fits = [&](const MemoryRequest& r) {
    return refusal(r).empty() && memory_use(r).total <= memory;
  };
  if (!request.shape) {
    return {0, last_that(kParametersMax, [&](int64_t n) { return fits(with_parameters(request, n)); })};
  }
  constexpr int64_t kLayersMax = 1 << 24;
  const int64_t layers = last_that(kLayersMax, [&](int64_t n) { return fits(with_layers(request, n)); });
  return {layers, layers == 0 ? 0 : with_layers(request, layers).parameters};
}

double extra_compute(const MemoryRequest& r) {
  if (r.recompute == Recompute::kFull) return 1.0 / 3;
  // Fused attention recomputes its scores anyway; here they are counted as part of its backward.
  const bool recomputes = r.recompute == Recompute::kSelective && r.activations == ActivationCount::kStandard;
  if (!recomputes || !r.shape) return 0;
  return static_cast<double>(attention_core_forward_flops(*r.shape, r.sequence)) /
         (3 * static_cast<double>(layer_forward_flops(*r.shape, r.sequence)));
}

}  // namespace brigade
