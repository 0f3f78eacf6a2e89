// `kind: ddp`.
#include <initializer_list>
#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "sim/scenario/job_reader.h"

namespace brigade {
namespace {

constexpr int kPercentMax = 100;
constexpr int kCommStreamsMax = 16;

// A size, or the whole gradient.
Kind<std::optional<Bytes>> bucket_cap() {
  constexpr const char* kWhole = "one";
  return {"size (25 MB), or one: the whole gradient",
          {},
          [](const std::string& text) -> Parsed<std::optional<Bytes>> {
            if (text == kWhole) return {std::optional<Bytes>(), ""};
            Parsed<Bytes> cap = size().parse(text);
            if (!cap.value) return {{}, std::move(cap.error)};
            return {cap.value, ""};
          },
          [](const std::optional<Bytes>& cap) { return cap ? size().print(*cap) : kWhole; }};
}

// Keys of one rule, which others go without.
void refuse_keys(Fields& buckets, std::initializer_list<const char*> keys, const char* why) {
  for (const char* key : keys) {
    if (buckets.describing() || !buckets.has(key)) continue;
    buckets.find(key, Need::kOptional, "", "", {}, "");  // known, if not wanted
    buckets.error(buckets.place_of(key), absl::StrCat("\"", key, "\" ", why));
  }
}

void read_bucket_caps(Fields& buckets, BucketSpec& out) {
  buckets.defaulted(
      "version",
      choice<BucketVersion>({{"current", BucketVersion::kCurrent}, {"legacy", BucketVersion::kLegacy}}),
      out.version, "of PyTorch's rule: an explicit cap sets the first bucket too, or not");
  std::optional<std::optional<Bytes>> cap;
  buckets.optional("cap", bucket_cap(), cap,
                   "a bucket closes when it has reached this; PyTorch: 1 MiB, then 25 MiB");
  if (cap) {
    out.cap = *cap;
    out.one_bucket = !*cap;
  }
  buckets.defaulted(
      "order",
      choice<BucketOrder>({{"ready", BucketOrder::kReady}, {"registration", BucketOrder::kRegistration}}),
      out.order, "in which tensors fill buckets, with rule: fixed");
  buckets.defaulted("find_unused_parameters", flag(), out.find_unused_parameters,
                    "DDP's option of this name");
  buckets.defaulted("find_unused_cpu_time", duration(), out.find_unused_cpu_time,
                    "what it costs before backward");
  buckets.defaulted("static_graph", flag(), out.static_graph, "DDP's option of this name");
  buckets.defaulted("broadcast_buffers", flag(), out.broadcast_buffers, "DDP's option of this name");
}

void read_fusion(Fields& buckets, BucketSpec& out) {
  buckets.defaulted("fusion", size_or_zero(), out.fusion,
                    "HOROVOD_FUSION_THRESHOLD: tensors fuse up to this; 0 B: none do");
  buckets.defaulted("cycle", duration(), out.cycle,
                    "HOROVOD_CYCLE_TIME: from one look for tensors that are ready to the next");
  buckets.defaulted("negotiation", duration(), out.negotiation,
                    "what it takes in each cycle that all ranks agree on tensors");
}

void read_buckets(Fields& in, BucketSpec& out) {
  in.map("buckets", Need::kDefault, "which gradients are reduced together", [&](Fields& buckets) {
    buckets.defaulted("rule",
                      choice<BucketRule>({{"pytorch", BucketRule::kPytorch},
                                          {"fixed", BucketRule::kFixed},
                                          {"horovod", BucketRule::kHorovod}}),
                      out.rule, "PyTorch's, one cap, or what is ready when a cycle of Horovod begins");
    const bool fuses = out.rule == BucketRule::kHorovod;
    buckets.when("rule: pytorch or fixed", !fuses, [&] { read_bucket_caps(buckets, out); });
    buckets.when("rule: horovod", fuses, [&] { read_fusion(buckets, out); });
    buckets.defaulted("gradient_as_bucket_view", flag(), out.gradient_as_bucket_view,
                      "no copy between gradients and buckets");
    if (buckets.describing()) return;
    if (fuses) {
      refuse_keys(buckets,
                  {"version", "cap", "order", "find_unused_parameters", "find_unused_cpu_time",
                   "static_graph", "broadcast_buffers"},
                  "is DDP's; rule: horovod has fusion, cycle, negotiation");
      out.broadcast_buffers = false;
    } else {
      refuse_keys(buckets, {"fusion", "cycle", "negotiation"}, "needs rule: horovod");
    }
    if (out.rule == BucketRule::kFixed && !buckets.has("cap")) {
      buckets.error(buckets.place(), "rule: fixed needs a cap: missing key \"cap\": size (25 MB), or one");
    } else if (out.rule == BucketRule::kPytorch && out.one_bucket) {
      buckets.error(buckets.place_of("cap"), "cap \"one\" needs rule: fixed");
    }
  });
}

// By default what DeepSeek-V3 gives communication (arXiv 2412.19437, 3.2.2): 20 of the 132 SMs of an H800.
void read_interference(Fields& in, InterferenceSpec& out) {
  constexpr int kSmsMax = 1000;
  in.map("interference", Need::kOptional, "what compute and communication cost each other", [&](Fields& map) {
    std::optional<double> compute, communication;
    map.optional("compute", share(true, kPercentMax), compute,
                 "of its speed that compute has while a collective of the rank runs; without it by SMs");
    map.when("without compute", !map.has("compute"), [&] {
      int taken = 20, sms = 132;
      map.defaulted("communication_sms", whole<int>(0, kSmsMax), taken,
                    "SMs that a collective takes while it runs (the default: DeepSeek-V3's)");
      map.defaulted("device_sms", whole<int>(1, kSmsMax), sms,
                    "SMs of the device (the default: an H100 SXM)");
      if (!map.describing() && taken >= sms)
        map.error(map.place_of("communication_sms"),
                  "leaves no SM to compute; allowed: fewer than device_sms");
      out.compute_share = 1 - static_cast<double>(taken) / sms;
    });
    map.optional("communication", share(true, kPercentMax), communication,
                 "of their bandwidth that the rank's own links send with while it computes");
    if (compute) out.compute_share = *compute;
    out.communication_share = communication.value_or(1);
  });
}

void read_model_parallel(Fields& in, ModelParallelSpec& out) {
  constexpr int kWaysMax = 65536;
  in.map("model_parallel", Need::kOptional,
         "ranks that each hold a part of the model, which is reduced apart", [&](Fields& map) {
           map.defaulted("tensor", whole<int>(1, kWaysMax), out.tensor,
                         "parts, on ranks that follow each other");
           map.defaulted("pipeline", whole<int>(1, kWaysMax), out.pipeline, "parts, on ranks furthest apart");
           map.defaulted("time", duration(), out.time,
                         "that a micro-batch's model-parallel communication takes, as compute");
         });
}

void read_jitter(Fields& in, JitterSpec& out) {
  constexpr int kMeanMax = 1000;  // percent
  in.map("jitter", Need::kOptional, "how much longer a step's compute takes, drawn for each rank and step",
         [&](Fields& jitter) {
           out.kind = JitterKind::kExponential;
           jitter.defaulted("kind",
                            choice<JitterKind>({{"exponential", JitterKind::kExponential},
                                                {"uniform", JitterKind::kUniform},
                                                {"pareto", JitterKind::kPareto}}),
                            out.kind, "how it is distributed; pareto: rare, long stalls");
           jitter.defaulted("mean", share(true, kMeanMax), out.mean, "of what the step's compute takes");
         });
}

}  // namespace

void read_batch(Fields& in, DdpJobSpec& out) {
  constexpr int kAccumulateMax = 1'000'000;
  in.map("batch", Need::kDefault, "what a rank computes in a step", [&](Fields& batch) {
    batch.defaulted("micro", count("samples"), out.micro_batch_samples,
                    "samples of a micro-batch on each rank");
    batch.defaulted("accumulate", whole<int>(1, kAccumulateMax), out.accumulate,
                    "micro-batches before gradients are reduced");
  });
}

void read_optimizer(Fields& in, DdpJobSpec& out) {
  in.map("optimizer", Need::kDefault, "how parameters are updated", [&](Fields& optimizer) {
    optimizer.defaulted("kind",
                        choice<OptimizerKind>({{"adamw", OptimizerKind::kAdamW},
                                               {"sgd", OptimizerKind::kSgd},
                                               {"momentum", OptimizerKind::kMomentum},
                                               {"none", OptimizerKind::kNone}}),
                        out.optimizer, "none: takes no time");
  });
}

void read_between_steps(Fields& in, DdpJobSpec& out) {
  in.defaulted("gradient_norm", flag(), out.gradient_norm,
               "a blocking all-reduce of one number before the optimizer");
  in.defaulted("host_gap", duration(), out.host_gap, "between steps");
}

void read_precision(Fields& in, PrecisionSpec& out) {
  in.map("precision", Need::kDefault, "dtypes", [&](Fields& precision) {
    precision.defaulted("parameters", dtype(), out.parameters, "of the parameters");
    out.gradients = out.compute = out.parameters;
    precision.defaulted("gradients", dtype(), out.gradients,
                        "of what is reduced; without it that of the parameters");
    out.has_master = precision.has("master");
    std::optional<DType> master, autocast;
    if (precision.optional("master", dtype(), master,
                           "of a separate copy of the parameters in the optimizer")) {
      out.master = *master;
    }
    out.autocast = precision.optional("autocast", compute_dtype(), autocast,
                                      "computes in this dtype; gradients keep theirs");
    if (autocast) out.compute = *autocast;
  });
}

void read_compute(Fields& in, ComputeSpec& out) {
  in.map("compute", Need::kDefault, "how fast kernels are", [&](Fields& compute) {
    compute.defaulted("kernel_efficiency", share(true, kPercentMax), out.kernel_efficiency,
                      "share of peak that kernels reach while they run");
    compute.defaulted("memory_efficiency", share(true, kPercentMax), out.memory_efficiency,
                      "share of memory bandwidth that memory-bound kernels reach");
    compute.defaulted(
        "spread", choice<Spread>({{"layers", Spread::kLayers}, {"parameters", Spread::kParameters}}),
        out.spread,
        "time by FLOPs and bytes of layers, or 6 x parameters x tokens spread over the parameters");
    compute.optional("tokens", count("tokens"), out.tokens,
                     "of a micro-batch on each rank, with spread: parameters");
    read_jitter(compute, out.jitter);
  });
}

void read_ddp_job(Fields& in, DdpJobSpec& out) {
  in.map("model", Need::kRequired, "by name, or written out as layers or tensors",
         [&](Fields& model) { read_model(model, out.model); });
  read_batch(in, out);
  read_precision(in, out.precision);
  read_compute(in, out.compute);
  read_optimizer(in, out);
  read_between_steps(in, out);
  read_buckets(in, out.buckets);
  read_all_reduce(in, out.all_reduce);
  std::optional<int> streams;
  in.optional("comm_streams", whole<int>(1, kCommStreamsMax), streams,
              "communication streams of a rank, which buckets take in turn; one without");
  out.comm_streams = streams.value_or(1);
  read_interference(in, out.compute.interference);
  read_comm_hook(in, true, out.comm_hook);
  read_model_parallel(in, out.model_parallel);
  // PyTorch's first step reduces everything in one bucket: unless told, it is not what is measured.
  if (out.buckets.rule == BucketRule::kPytorch) out.run.warmup = 1;
  read_run(in, out.run);
}

}  // namespace brigade
