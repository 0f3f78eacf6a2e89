// What one device holds while it trains: a pure function of a model's sizes, used by `brigade memory` and by
// jobs before they run.
//
// Model states (Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
// SC 2020, figure 1): with psi parameters on N ranks, each part either whole or a share of ceil(psi / N).
//
//             parameters   gradients   optimizer states (and an fp32 copy of gradients)
//   stage 0   whole        whole       whole
//   stage 1   whole        whole       share
//   stage 2   whole        share       share
//   stage 3   share        share       share
//
// Activations, b samples of s tokens, L layers of width h with a heads:
//   zero_paper  12 h b s L elements (the ZeRO paper, section 3.2); with full recomputation h b s L elements
//   of
//               checkpoints plus one layer
//   standard    what each operation keeps for its backward (Korthikanti et al., "Reducing Activation
//               Recomputation in Large Transformer Models", 2022): a GPT layer in 16 bits s b h (34 + 5 a s /
//               h) bytes. By the same rule other layers: gated ones keep four feed-forward tensors in place
//               of two, ones without dropout neither masks nor the dropped scores.
//   flash       the same without scores; a log-sum-exp in fp32 for each row of them instead (Dao et al.,
//               "FlashAttention", 2022). A GPT layer: s b h (34 + 4 a / h) bytes.
//   Recomputation (Korthikanti et al.): selective drops the scores; full keeps each layer's input, 2 s b h
//   bytes in 16 bits, plus one layer that is being recomputed. standard and flash add the embedding's dropout
//   mask and the inputs of the last norm and of the head. Logits are fp32, 4 s b v bytes (the same paper).
//
// What programs hold besides, at their peak:
//   deepspeed   stage 1 and 2: a buffer of reduce_bucket_size = 5e8 elements for gradients on their way (two
//               with overlap_comm, which is off by default); stage 3: one, and gathered parameters of up to
//               max_live_parameters = 1e9 elements (DeepSpeed's configuration reference). Stage 0 is
//               PyTorch's DDP, whose buckets are a copy of all gradients.
//   fsdp2       unsharded: the root's own parameters, which are not resharded after forward, and two layers
//   (the
//               one that computes and the one gathered ahead); at stage 2 (reshard_after_forward: false) all.
//               Copies: the gathered buffer before its copy-out, the unsharded gradients of one layer, and in
//               the reduce dtype the input of one reduce-scatter (torch.distributed.fsdp.fully_shard).
//               Sharded parameters are the fp32 ones, and there is no other master copy.
//   megatron    the distributed optimizer is stage 1; buckets are views into one gradient buffer, of fp32 in
//               bf16 training: 6 + 12 / N bytes a parameter (Megatron-LM, docs on dist_optimizer).
//   horovod     stage 0 and a fusion buffer of 128 MiB (HOROVOD_FUSION_THRESHOLD).
//   communication buffers: NCCL's, on the receiving side of a ring, for each channel all of Simple 4 MiB
//               (NCCL_BUFFSIZE), LL 512 KiB, LL128 4800 KiB.
//   context     what a CUDA process holds before it does anything; 1343 MiB were seen with PyTorch (Hugging
//               Face, "Model training anatomy").
// Left out: fragmentation, workspaces of libraries, fp8, sequence and tensor parallelism, activations of
// models that are no transformers.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/base/bytes.h"
#include "sim/base/ids.h"
#include "sim/workload/sharding.h"
#include "sim/workload/transformer_shape.h"

namespace brigade {

// Bytes a parameter, before anything is sharded.
struct StateBytes {
  int64_t parameters = 2, gradients = 2;
  int64_t optimizer = 12;      // AdamW: two moments in fp32, and a master copy where parameters are not fp32
  int64_t fp32_gradients = 0;  // a copy beside `gradients`, sharded with the optimizer states
  int64_t gathered = 2;        // of parameters that computation uses
  int64_t reduced = 2;         // of gradients on the wire
  int64_t total() const { return parameters + gradients + optimizer + fp32_gradients; }
};
// 16-bit training keeps fp32 masters; of fsdp2 the sharded parameters are these. fp32 training has no others.
StateBytes state_bytes(ShardPreset preset, bool fp32, bool fp32_gradients);

// What hosts hold for the devices: with the optimizer its states and, from stage 2 on, the gradients; with
// the parameters, at stage 3, all of these. DeepSpeed's offload_optimizer and offload_param.
enum class Offload : uint8_t { kNone, kOptimizer, kParameters };
const char* name_of(Offload offload);

struct MemoryRequest {
  int64_t parameters = 0;
  std::optional<TransformerShape> shape;  // without one neither activations nor logits nor layers are counted
  Rank ranks = 1;                         // that share the states
  Rank replicas = 1;                      // of the states: hybrid sharding
  Rank after_forward =
      0;  // of fsdp2: ranks that share gathered parameters after forward; 0: as the others do
  ShardPreset preset = ShardPreset::kDeepspeed;
  int stage = 0;
  StateBytes bytes;
  bool optimizer_on_host = false, parameters_on_host = false;
  int64_t samples = 1, sequence = 0;
  int64_t activation_bytes = 2;  // an element
  ActivationCount activations = ActivationCount::kFlash;
  Recompute recompute = Recompute::kNone;
  int64_t channels = 16;
  Bytes context{};
};

struct MemoryRow {
  std::string key;             // "optimizer_states"
  std::string label;           // "optimizer states"
  std::optional<Bytes> bytes;  // null: not counted
  std::string how;
};
struct MemoryUse {
  std::vector<MemoryRow> rows;  // the first `states` of them are model states
  size_t states = 0;
  Bytes model_states{}, total{};
};

// Stages that the preset has; the first is its own.
std::vector<int> stages_of(ShardPreset preset);
std::vector<int> sorted_stages(ShardPreset preset);  // ascending
// What the request asks that cannot be (a stage that the preset does not have, selective recomputation of
// zero_paper, more than 2^60 bytes), in words; empty if all is well. memory_use needs it to have passed.
std::string refusal(const MemoryRequest& request);
MemoryUse memory_use(const MemoryRequest& request);

// The most parameters whose model states alone are within `memory`.
int64_t largest_by_states(const MemoryRequest& request, Bytes memory);
// All of it: with a shape the most layers of this width, else the most parameters; 0 where none fits.
struct LargestModel {
  int64_t layers = 0, parameters = 0;
};
LargestModel largest_in_all(const MemoryRequest& request, Bytes memory);

// Recomputed FLOPs as a share of those that the layers need without recomputation, of which forward is a
// third.
double extra_compute(const MemoryRequest& request);

}  // namespace brigade
