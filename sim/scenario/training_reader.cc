// `kind: training`.
#include <optional>

#include "absl/strings/str_cat.h"
#include "sim/scenario/job_reader.h"

namespace brigade {
namespace {

constexpr int64_t kSamplesMax = 100'000, kWidthMax = 1024;
constexpr int kStepsMax = 100'000;

void read_mistakes(Fields& in, TrainingJobSpec& out) {
  in.defaulted("average", choice<Average>({{"weighted", Average::kWeighted}, {"plain", Average::kPlain}}),
               out.average, "by samples; or plainly over the workers' means, as DDP does");
  in.defaulted("synchronise", flag(), out.synchronise, "false: the all-reduce is forgotten");
  std::optional<std::string> left_out;
  in.optional("left_out", text(), left_out, "a parameter that is not synchronised: w1, b1, w2, b2");
  if (left_out) out.left_out = *left_out;
  in.defaulted("batch_norm",
               choice<BatchNorm>({{"none", BatchNorm::kNone},
                                  {"local", BatchNorm::kLocal},
                                  {"synchronised", BatchNorm::kSynchronised}}),
               out.batch_norm, "after the first layer: on each worker's statistics, or on those of all");
}

}  // namespace

void read_training_job(Fields& in, TrainingJobSpec& out) {
  std::optional<int64_t> samples;
  in.optional("samples", count("samples"), samples, "of the whole batch; 256 without");
  out.samples = samples.value_or(out.samples);
  in.list("shards", Need::kOptional, count("samples"), out.shards, "of each worker; without it cut evenly");
  in.defaulted("features", whole<int64_t>(1, kWidthMax), out.features, "of a sample");
  in.defaulted("hidden", whole<int64_t>(1, kWidthMax), out.hidden, "units of the hidden layer");
  in.defaulted("learning_rate", number(0), out.learning_rate, "of plain SGD");
  in.defaulted("steps", whole<int>(1, kStepsMax), out.steps, "that are trained");
  std::vector<int> report_at;
  if (in.list("report_at", Need::kOptional, whole<int>(1, kStepsMax), report_at,
              "steps after which replicas are compared; 10, 50, 200 without"))
    out.report_at = std::move(report_at);
  read_mistakes(in, out);
  read_comm_hook(in, false, out.comm_hook);
  read_all_reduce(in, out.all_reduce);
  in.list("also_sum_by", Need::kOptional, algorithm_of(Collective::kAllReduce), out.also_sum_by,
          "algorithms that sum the first gradient once more, to compare the last bits");
  if (in.describing()) return;
  if (out.samples > kSamplesMax)
    in.error(in.place_of("samples"), absl::StrCat(out.samples, " samples; allowed: up to ", kSamplesMax));
  const bool compresses = out.comm_hook.kind != CommHook::kNone;
  if (compresses && !out.left_out.empty())
    in.error(in.place_of("left_out"), "comm_hook compresses all parameters; allowed: left_out or comm_hook");
  if (compresses && !out.also_sum_by.empty())
    in.error(in.place_of("also_sum_by"), "compares sums that are not compressed; allowed: comm_hook: none");
  if (!out.synchronise && (compresses || !out.left_out.empty() || !out.also_sum_by.empty()))
    in.error(in.place_of("synchronise"),
             "without an all-reduce nothing is compressed, left out or compared; allowed: synchronise: true");
}

}  // namespace brigade
