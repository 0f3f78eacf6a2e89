// When compute happens: forward, backward and, within backward, the instant at which each gradient is ready.
//
// A layer lasts max(FLOPs / (peak x kernel_efficiency), bytes / (memory bandwidth x memory_efficiency)) (the
// roofline of Williams, Waterman, Patterson, CACM 2009), rounded to a picosecond; a pass is the sum of its
// layers, exactly. Left out: launch gaps of the host, caches, recomputation of activations.
#pragma once
#include <optional>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/base/time.h"
#include "sim/topology/spec.h"
#include "sim/workload/model.h"
#include "sim/workload/spec.h"

namespace brigade {

// What a device reaches while kernels run: peak x efficiency. 0 where unknown and not needed.
struct Rates {
  double flop_per_s = 0;
  double bytes_per_s = 0;
};
struct RatesNeeded {
  bool flops = false;
  bool memory = false;
};

// What timeline_of will divide by: written-out times need nothing, `spread: parameters` only FLOPs, copies of
// gradients, their norm and an optimizer memory.
RatesNeeded rates_needed(const Model& model, const DdpJobSpec& job);

// Reports (at `at`) a device that lacks a needed figure, naming those it has, and is then null.
std::optional<Rates> rates_of(const DeviceModel& device, const PrecisionSpec& precision,
                              const ComputeSpec& compute, RatesNeeded needed, const Place& at,
                              Diagnostics& diagnostics);

// Reports layers without any cost (neither times nor FLOPs nor bytes, and no `spread: parameters`), a spread
// without tokens, and a micro-batch beyond 30 days. timeline_of needs it to have passed.
bool check_compute(const Model& model, const DdpJobSpec& job, const Rates& rates, Diagnostics& diagnostics);

struct GradientReady {
  TensorIndex tensor = 0;
  Duration at{};  // since backward began
};
// One micro-batch on one device at full speed.
struct ComputeTimeline {
  Duration forward{}, backward{};
  std::vector<GradientReady> gradients;  // each tensor once, in ready order; `at` never decreases
};

// Whether this micro-batch's gradients are copied into buckets as they become ready (memory_traffic.h):
// PyTorch does so on the compute stream, hence inside backward. Micro-batches under no_sync copy nothing.
enum class BucketCopy : uint8_t { kNone, kIntoBuckets };

// By job.compute.spread. kParameters: 6 x parameters x tokens / rate, a third of it forward, backward cut
// among the tensors by elements in ready order; tokens default to the micro-batch's. Needs the rates that
// rates_needed names.
ComputeTimeline timeline_of(const Model& model, const DdpJobSpec& job, const Rates& rates,
                            BucketCopy copy = BucketCopy::kNone);

// How long each layer takes, in forward order; they add up to timeline_of without copies. With `spread:
// parameters` a layer's share is that of its parameters.
struct LayerTime {
  Duration forward{}, backward{};
};
std::vector<LayerTime> layer_times(const Model& model, const DdpJobSpec& job, const Rates& rates);

// A layer's parameters: forward needs them from `forward_begin` on, their gradients are ready at `ready`.
struct LayerSpan {
  std::vector<TensorIndex> tensors;
  Duration forward_begin{};  // since forward began
  Duration ready{};          // since backward began
};
// The layers that have parameters, in forward order, at full speed and without bucket copies; with `spread:
// parameters` each tensor is a layer of its own, its share of forward as large as its share of the elements.
std::vector<LayerSpan> layer_spans(const Model& model, const DdpJobSpec& job, const Rates& rates);

// Tokens of a micro-batch: job.compute.tokens if given, else samples x the model's sequence; null for other
// models.
std::optional<int64_t> micro_batch_tokens(const Model& model, const DdpJobSpec& job);

// Useful FLOPs of one micro-batch (for MFU): 6 x parameters x tokens with `spread: parameters`, else the
// model's; null where neither is known.
std::optional<double> useful_flops(const Model& model, const DdpJobSpec& job);

// bytes / rate, to the picosecond. Needs rates.bytes_per_s where there are bytes.
Duration memory_time(Bytes bytes, const Rates& rates);

}  // namespace brigade
