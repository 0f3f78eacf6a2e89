// `kind: parameter_server`.
#include <optional>

#include "sim/scenario/job_reader.h"

namespace brigade {
namespace {

constexpr int kShardsMax = 65536, kStepsMax = 1'000'000;

void read_servers(Fields& in, ParameterServerJobSpec& out) {
  in.map("servers", Need::kRequired, "which add up gradients and update parameters", [&](Fields& servers) {
    servers.list("on", Need::kRequired, text(), out.servers,
                 "hosts or GPUs by selector; the workers' own where each worker also serves");
    out.servers_at = servers.place_of("on");
    servers.optional("shards", whole<int>(1, kShardsMax), out.shards,
                     "parts of the parameters, shard j on server j mod their number; one a server without");
    servers.defaulted("shard_by",
                      choice<ShardBy>({{"bytes", ShardBy::kBytes}, {"tensors", ShardBy::kTensors}}),
                      out.shard_by, "equal parts; or whole tensors, each to the shard with the fewest bytes");
    servers.optional("update_rate", bandwidth(), out.update_rate,
                     "gradients that a server takes in, added up and updated; in no time without");
  });
}

void read_mode(Fields& in, ParameterServerJobSpec& out) {
  in.defaulted("mode",
               choice<ServerMode>({{"synchronous", ServerMode::kSynchronous},
                                   {"asynchronous", ServerMode::kAsynchronous},
                                   {"bounded", ServerMode::kBounded}}),
               out.mode, "an update of all workers' gradients; of each one's; of each one's within a bound");
  in.when("mode: bounded", out.mode == ServerMode::kBounded, [&] {
    in.defaulted("staleness_bound", whole<int>(0, kStepsMax), out.staleness_bound,
                 "steps that a worker may be ahead of the slowest");
  });
  in.defaulted("transfer", choice<Transfer>({{"whole", Transfer::kWhole}, {"layers", Transfer::kLayers}}),
               out.transfer,
               "all after backward; or each layer when it is ready, pulled beside the next forward");
  in.when("transfer: layers", out.transfer == Transfer::kLayers, [&] {
    in.defaulted("priorities", flag(), out.priorities, "what the next forward needs first goes first");
  });
}

void read_run_or_until(Fields& in, ParameterServerJobSpec& out) {
  in.map("run", Need::kDefault, "how often", [&](Fields& run) {
    run.defaulted("steps", whole<int>(1, kStepsMax), out.run.steps, "measured steps");
    run.defaulted("warmup", whole<int>(0, kStepsMax), out.run.warmup,
                  "steps before them that are not measured");
    run.map("until", Need::kOptional, "instead of steps", [&](Fields& until) {
      constexpr int64_t kUpdatesMax = 1'000'000'000;
      until.optional("updates", whole<int64_t>(1, kUpdatesMax), out.until_updates,
                     "of workers after the warm-up, each pushed, applied and pulled");
      until.optional("time", duration(), out.until_time, "since the job's start");
      if (until.describing()) return;
      if (out.until_updates.has_value() == out.until_time.has_value())
        until.error(until.place(), "until needs one of updates and time");
      if (out.until_time && out.until_time->ps == 0)
        until.error(until.place_of("time"), "until.time is zero; allowed: more");
    });
    if (!run.describing() && run.has("until") && run.has("steps"))
      run.error(run.place_of("steps"), "steps and until exclude each other");
  });
}

}  // namespace

void read_server_job(Fields& in, ParameterServerJobSpec& out) {
  in.map("model", Need::kRequired, "by name, or written out as layers or tensors",
         [&](Fields& model) { read_model(model, out.work.model); });
  in.map("batch", Need::kDefault, "what a worker computes in a step", [&](Fields& batch) {
    batch.defaulted("micro", count("samples"), out.work.micro_batch_samples,
                    "samples of a micro-batch on each rank");
  });
  read_precision(in, out.work.precision);
  read_compute(in, out.work.compute);
  out.work.optimizer = OptimizerKind::kNone;  // the servers' business, as are copies
  out.work.buckets.gradient_as_bucket_view = true;
  read_servers(in, out);
  read_mode(in, out);
  read_run_or_until(in, out);
}

}  // namespace brigade
