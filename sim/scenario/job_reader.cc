#include "sim/scenario/job_reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace brigade {
namespace {

enum class JobKind { kCollective, kDdp, kTraining, kParameterServer, kZero, kFsdp, kReplay, kBackground };

void read_placement(Fields& in, std::optional<PlacementSpec>& out) {
  constexpr int kRanksMax = 1 << 20;
  in.map("placement", Need::kOptional, "takes only some of these devices, and none that a job before it has",
         [&](Fields& placement) {
           PlacementSpec spec;
           spec.at = placement.place();
           placement.required("count", whole<int>(1, kRanksMax), spec.count, "devices, a rank each");
           placement.defaulted("rule",
                               choice<PlacementRule>({{"packed", PlacementRule::kPacked},
                                                      {"spread", PlacementRule::kSpread},
                                                      {"random", PlacementRule::kRandom}}),
                               spec.rule, "node after node; one of each node in turn; drawn by the seed");
           if (!placement.describing()) out = std::move(spec);
         });
}

void read_job(const std::string& name, Fields& in, JobSpec& out) {
  out.name = name;
  out.at = in.place();
  JobKind kind = JobKind::kCollective;
  const bool known = in.required("kind",
                                 choice<JobKind>({{"collective", JobKind::kCollective},
                                                  {"ddp", JobKind::kDdp},
                                                  {"training", JobKind::kTraining},
                                                  {"parameter_server", JobKind::kParameterServer},
                                                  {"zero", JobKind::kZero},
                                                  {"fsdp", JobKind::kFsdp},
                                                  {"replay", JobKind::kReplay},
                                                  {"background", JobKind::kBackground}}),
                                 kind, "what the job does");
  in.list("ranks", Need::kRequired, text(), out.ranks,
          "devices by selector, such as node[*].gpu[0-3], in rank order");
  out.ranks_at = in.place_of("ranks");
  read_placement(in, out.placement);
  in.defaulted("start", duration(), out.start, "when all of its ranks start");
  std::optional<bool> verify;
  in.optional("verify", flag(), verify, "real data travels along and is compared with the direct sum");
  out.verify = verify.value_or(false);
  if (!known && !in.describing()) return in.ignore_rest();
  in.when("kind: collective", kind == JobKind::kCollective, [&] {
    CollectiveJobSpec spec;
    read_collective_job(in, spec);
    out.kind = std::move(spec);
  });
  in.when("kind: ddp", kind == JobKind::kDdp, [&] {
    DdpJobSpec spec;
    read_ddp_job(in, spec);
    out.kind = std::move(spec);
  });
  in.when("kind: training", kind == JobKind::kTraining, [&] {
    TrainingJobSpec spec;
    read_training_job(in, spec);
    out.kind = std::move(spec);
  });
  in.when("kind: parameter_server", kind == JobKind::kParameterServer, [&] {
    ParameterServerJobSpec spec;
    read_server_job(in, spec);
    out.kind = std::move(spec);
  });
  for (const auto& [condition, sharded, read] : {std::tuple{"kind: zero", JobKind::kZero, &read_zero_job},
                                                 std::tuple{"kind: fsdp", JobKind::kFsdp, &read_fsdp_job}})
    in.when(condition, kind == sharded, [&out, &in, read = read] {
      ShardedJobSpec spec;
      read(in, spec);
      out.kind = std::move(spec);
    });
  in.when("kind: replay", kind == JobKind::kReplay, [&] {
    ReplayJobSpec spec;
    read_replay_job(in, spec);
    out.kind = std::move(spec);
  });
  in.when("kind: background", kind == JobKind::kBackground, [&] {
    BackgroundJobSpec spec;
    read_background_job(in, spec);
    out.kind = std::move(spec);
  });
}

}  // namespace

void read_jobs(Fields& in, std::vector<JobSpec>& out) {
  in.named("jobs", Need::kRequired, "what runs, all at once",
           [&](const std::string& name, Fields& job) { read_job(name, job, out.emplace_back()); });
}

void read_run(Fields& in, RunSpec& out) {
  constexpr int kStepsMax = 1'000'000;
  in.map("run", Need::kDefault, "how often", [&](Fields& run) {
    run.defaulted("steps", whole<int>(1, kStepsMax), out.steps, "measured steps");
    run.defaulted("warmup", whole<int>(0, kStepsMax), out.warmup, "steps before them that are not measured");
  });
}

Kind<std::string> algorithm_of(Collective collective) {
  return name_among(algorithm_names(collective), "algorithm");
}

void read_levels(Fields& in, AlgorithmSpec& out) {
  std::vector<std::string> flat = algorithm_names(Collective::kAllReduce);
  flat.erase(std::remove(flat.begin(), flat.end(), "hierarchical"), flat.end());
  in.when("algorithm: hierarchical", out.algorithm == "hierarchical", [&] {
    in.defaulted("inner", name_among(flat, "algorithm"), out.inner, "algorithm within a node");
    in.defaulted("outer", name_among(flat, "algorithm"), out.outer, "algorithm across nodes");
  });
}

void read_rounds_and_channels(Fields& in, AlgorithmSpec& out) {
  constexpr int kChannelsMax = 64;
  in.defaulted("rounds",
               choice<RoundsMode>({{"free", RoundsMode::kFree}, {"lockstep", RoundsMode::kLockstep}}),
               out.rounds, "each rank runs on, or all wait for the end of each round");
  in.defaulted("channels", whole<int>(1, kChannelsMax), out.channels, "executions over slices of the buffer");
}

void read_all_reduce(Fields& in, AlgorithmSpec& out) {
  in.map("all_reduce", Need::kDefault, "how gradients are reduced", [&](Fields& all_reduce) {
    all_reduce.defaulted("algorithm", algorithm_of(Collective::kAllReduce), out.algorithm,
                         "of the all-reduce");
    read_rounds_and_channels(all_reduce, out);
    read_levels(all_reduce, out);
  });
}

}  // namespace brigade
