#include "sim/workload/compute.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sim/base/check.h"
#include "sim/workload/buckets.h"
#include "sim/workload/memory_traffic.h"

namespace brigade {
namespace {

constexpr double kPsPerSecond = 1e12;
constexpr double kMicroBatchSecondsMax = 30.0 * 24 * 3600;

Duration from_seconds(double seconds) {
  BRIGADE_CHECK(seconds >= 0 && seconds <= 4 * kMicroBatchSecondsMax, "a duration of ", seconds, " s");
  return {std::llround(seconds * kPsPerSecond)};
}

double quotient(double amount, double per_second) {
  if (amount == 0) return 0;
  BRIGADE_CHECK(per_second > 0, amount, " to do without a rate");
  return amount / per_second;
}

// In what activations are kept. fp8 products still read and write bf16 activations around them.
int64_t activation_bytes(DType compute) { return compute == DType::kFp8 ? 2 : bytes_of(compute); }

double bytes_moved(const Pass& pass, const DdpJobSpec& job) {
  const auto samples = static_cast<double>(job.micro_batch_samples);
  const PrecisionSpec& p = job.precision;
  return samples * pass.activation_elements_per_sample * static_cast<double>(activation_bytes(p.compute)) +
         samples * pass.bytes_per_sample +
         pass.weight_elements * static_cast<double>(bytes_of(p.parameters)) +
         pass.gradient_elements * static_cast<double>(bytes_of(reduced_dtype(p)));
}

double seconds_of(const Pass& pass, const DdpJobSpec& job, const Rates& rates) {
  const double flops = static_cast<double>(job.micro_batch_samples) * pass.flops_per_sample;
  return std::max(quotient(flops, rates.flop_per_s), quotient(bytes_moved(pass, job), rates.bytes_per_s));
}

Duration duration_of(const Pass& pass, const std::optional<Duration>& written, const DdpJobSpec& job,
                     const Rates& rates) {
  return written ? *written : from_seconds(seconds_of(pass, job, rates));
}

bool is_empty(const Pass& p) {
  return p.flops_per_sample == 0 && p.activation_elements_per_sample == 0 && p.bytes_per_sample == 0 &&
         p.weight_elements == 0 && p.gradient_elements == 0;
}

double spread_flops(const Model& model, const DdpJobSpec& job) {
  return 6 * static_cast<double>(parameter_count(model)) *
         static_cast<double>(micro_batch_tokens(model, job).value_or(0));
}

// How long each gradient's copy into its bucket takes, by tensor index.
std::vector<Duration> copy_times(const Model& model, const DdpJobSpec& job, const Rates& rates,
                                 BucketCopy copy) {
  std::vector<Duration> times(model.parameters.size());
  if (copy == BucketCopy::kNone) return times;
  const std::vector<TensorInfo> tensors = gradient_tensors(model, job.precision);
  for (size_t i = 0; i < times.size(); ++i) {
    const Bytes gradient = tensors[i].elements * Bytes{bytes_of(tensors[i].dtype)};
    times[i] = memory_time(copy_traffic(gradient, job.buckets).into_bucket, rates);
  }
  return times;
}

ComputeTimeline by_layers(const Model& model, const DdpJobSpec& job, const Rates& rates,
                          const std::vector<Duration>& copies) {
  ComputeTimeline timeline;
  const std::vector<TensorIndex> order = ready_order(model);
  for (const Layer& layer : model.layers) {
    timeline.forward += duration_of(layer.forward, layer.forward_time, job, rates);
  }
  auto next = order.begin();
  for (auto layer = model.layers.rbegin(); layer != model.layers.rend(); ++layer) {
    timeline.backward += duration_of(layer->backward, layer->backward_time, job, rates);
    for (size_t i = 0; i < layer->parameters.size(); ++i, ++next) {
      timeline.backward += copies[*next];
      timeline.gradients.push_back({*next, timeline.backward});
    }
  }
  return timeline;
}

ComputeTimeline by_parameters(const Model& model, const DdpJobSpec& job, const Rates& rates,
                              const std::vector<Duration>& copies) {
  const Duration compute = from_seconds(quotient(spread_flops(model, job), rates.flop_per_s));
  ComputeTimeline timeline;
  timeline.forward = {compute.ps / 3};
  const Duration backward = compute - timeline.forward;
  const int64_t all = parameter_count(model);
  int64_t done = 0;
  Duration copied;
  for (const TensorIndex tensor : ready_order(model)) {
    done += model.parameters[tensor].elements;
    copied += copies[tensor];
    // Cut where the exact share ends, so that the pieces add up whatever their rounding.
    const auto share = static_cast<int64_t>(static_cast<__int128>(backward.ps) * done / all);
    timeline.gradients.push_back({tensor, Duration{share} + copied});
  }
  timeline.backward = backward + copied;
  return timeline;
}

}  // namespace

RatesNeeded rates_needed(const Model& model, const DdpJobSpec& job) {
  RatesNeeded needed;
  needed.memory = job.optimizer != OptimizerKind::kNone || !job.buckets.gradient_as_bucket_view ||
                  job.gradient_norm || job.comm_hook.kind != CommHook::kNone;
  if (job.compute.spread == Spread::kParameters) {
    needed.flops = true;
    return needed;
  }
  for (const Layer& layer : model.layers) {
    const auto add = [&](const Pass& pass, const std::optional<Duration>& written) {
      if (written) return;
      needed.flops |= pass.flops_per_sample > 0;
      needed.memory |= bytes_moved(pass, job) > 0;
    };
    add(layer.forward, layer.forward_time);
    add(layer.backward, layer.backward_time);
  }
  return needed;
}

std::optional<Rates> rates_of(const DeviceModel& device, const PrecisionSpec& precision,
                              const ComputeSpec& compute, RatesNeeded needed, const Place& at,
                              Diagnostics& diagnostics) {
  Rates rates;
  const int errors_before = diagnostics.errors();
  const auto peak = device.peak_flop_per_s.find(name_of(precision.compute));
  if (peak != device.peak_flop_per_s.end()) {
    rates.flop_per_s = peak->second * compute.kernel_efficiency;
  } else if (needed.flops) {
    const std::string known =
        absl::StrJoin(device.peak_flop_per_s, ", ",
                      [](std::string* out, const auto& row) { absl::StrAppend(out, row.first); });
    diagnostics.error(at, absl::StrCat("device \"", device.name, "\" has no peak FLOP/s for ",
                                       name_of(precision.compute), known.empty() ? "" : "; it has: ", known));
  }
  if (device.memory_bandwidth) {
    rates.bytes_per_s =
        static_cast<double>(device.memory_bandwidth->bytes_per_s().count) * compute.memory_efficiency;
  } else if (needed.memory) {
    diagnostics.error(
        at, absl::StrCat("device \"", device.name,
                         "\" has no memory bandwidth, which layers, an optimizer, a gradient norm or "
                         "copies into buckets need"));
  }
  if (diagnostics.errors() != errors_before) return std::nullopt;
  return rates;
}

bool check_compute(const Model& model, const DdpJobSpec& job, const Rates& rates, Diagnostics& diagnostics) {
  const Place& at = job.model.at;
  double seconds = 0;
  if (job.compute.spread == Spread::kParameters) {
    if (!micro_batch_tokens(model, job)) {
      diagnostics.error(at, "`spread: parameters` needs `tokens`: the model has no sequence");
      return false;
    }
    seconds = quotient(spread_flops(model, job), rates.flop_per_s);
  } else {
    for (const Layer& layer : model.layers) {
      const bool written = layer.forward_time || layer.backward_time;
      if (!layer.parameters.empty() && !written && is_empty(layer.forward) && is_empty(layer.backward)) {
        diagnostics.error(at,
                          absl::StrCat("layer \"", layer.name,
                                       "\" has neither times nor FLOPs nor bytes; give them, or `compute: "
                                       "{spread: parameters}`"));
        return false;
      }
      const auto add = [&](const Pass& pass, const std::optional<Duration>& time) {
        seconds += time ? in_s(*time) : seconds_of(pass, job, rates);
      };
      add(layer.forward, layer.forward_time);
      add(layer.backward, layer.backward_time);
    }
  }
  if (seconds > kMicroBatchSecondsMax) {
    diagnostics.error(at, absl::StrCat("a micro-batch would compute for ", seconds, " s; at most 30 days"));
    return false;
  }
  return true;
}

ComputeTimeline timeline_of(const Model& model, const DdpJobSpec& job, const Rates& rates, BucketCopy copy) {
  const std::vector<Duration> copies = copy_times(model, job, rates, copy);
  return job.compute.spread == Spread::kParameters ? by_parameters(model, job, rates, copies)
                                                   : by_layers(model, job, rates, copies);
}

std::vector<LayerTime> layer_times(const Model& model, const DdpJobSpec& job, const Rates& rates) {
  std::vector<LayerTime> times;
  if (job.compute.spread != Spread::kParameters) {
    for (const Layer& layer : model.layers)
      times.push_back({duration_of(layer.forward, layer.forward_time, job, rates),
                       duration_of(layer.backward, layer.backward_time, job, rates)});
    return times;
  }
  const ComputeTimeline timeline = timeline_of(model, job, rates);
  const int64_t all = parameter_count(model);
  const auto share = [&](Duration whole, int64_t elements) {
    return Duration{static_cast<int64_t>(static_cast<__int128>(whole.ps) * elements / all)};
  };
  int64_t before = 0;
  for (const Layer& layer : model.layers) {
    int64_t after = before;
    for (const TensorIndex t : layer.parameters) after += model.parameters[t].elements;
    // Backward comes from the other end; cut there, pieces add up whatever their rounding.
    times.push_back({share(timeline.forward, after) - share(timeline.forward, before),
                     share(timeline.backward, all - before) - share(timeline.backward, all - after)});
    before = after;
  }
  return times;
}

std::vector<LayerSpan> layer_spans(const Model& model, const DdpJobSpec& job, const Rates& rates) {
  const ComputeTimeline timeline = timeline_of(model, job, rates);
  std::vector<Duration> ready(model.parameters.size());
  for (const GradientReady& g : timeline.gradients) ready[g.tensor] = g.at;
  std::vector<LayerSpan> spans;
  if (job.compute.spread == Spread::kParameters) {
    const int64_t all = parameter_count(model);
    int64_t before = 0;
    std::vector<TensorIndex> order = ready_order(model);  // backwards, as forward comes by
    std::reverse(order.begin(), order.end());
    for (const TensorIndex t : order) {
      const auto begin = static_cast<int64_t>(static_cast<__int128>(timeline.forward.ps) * before / all);
      spans.push_back({{t}, Duration{begin}, ready[t]});
      before += model.parameters[t].elements;
    }
    return spans;
  }
  Duration begin;
  for (const Layer& layer : model.layers) {
    if (!layer.parameters.empty()) {
      Duration last;
      for (const TensorIndex t : layer.parameters) last = std::max(last, ready[t]);
      spans.push_back({layer.parameters, begin, last});
    }
    begin += duration_of(layer.forward, layer.forward_time, job, rates);
  }
  return spans;
}

std::optional<int64_t> micro_batch_tokens(const Model& model, const DdpJobSpec& job) {
  if (job.compute.tokens) return job.compute.tokens;
  if (model.tokens_per_sample == 0) return std::nullopt;
  return job.micro_batch_samples * model.tokens_per_sample;
}

std::optional<double> useful_flops(const Model& model, const DdpJobSpec& job) {
  if (job.compute.spread == Spread::kParameters) {
    if (!micro_batch_tokens(model, job)) return std::nullopt;
    return spread_flops(model, job);
  }
  const std::optional<double> per_sample = useful_flops_per_sample(model);
  if (!per_sample) return std::nullopt;
  return *per_sample * static_cast<double>(job.micro_batch_samples);
}

Duration memory_time(Bytes bytes, const Rates& rates) {
  return from_seconds(quotient(static_cast<double>(bytes.count), rates.bytes_per_s));
}

}  // namespace brigade
