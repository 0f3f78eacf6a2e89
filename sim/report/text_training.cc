#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "sim/base/units.h"
#include "sim/report/table.h"
#include "sim/report/text_jobs.h"

namespace brigade {
namespace {

std::string apart(double difference) { return difference == 0 ? "0" : absl::StrFormat("%.1e", difference); }

std::string how(const TrainingJobSpec& spec) {
  std::string text = spec.synchronise ? spec.all_reduce.algorithm : "no all-reduce";
  if (spec.average == Average::kPlain && spec.synchronise) text += ", plain average of the workers";
  if (!spec.left_out.empty()) absl::StrAppend(&text, ", ", spec.left_out, " left out");
  if (spec.batch_norm == BatchNorm::kLocal) text += ", batch norm on local statistics";
  if (spec.batch_norm == BatchNorm::kSynchronised) text += ", batch norm on the statistics of all workers";
  switch (spec.comm_hook.kind) {
    case CommHook::kNone:
    case CommHook::kLocalSgd:  // of ddp only
      return text;
    case CommHook::kFp16:
      return text + ", fp16";
    case CommHook::kBf16:
      return text + ", bf16";
    case CommHook::kTopK:
      return absl::StrCat(text, ", top ", percent(spec.comm_hook.share));
    case CommHook::kPowerSgd:
      return absl::StrCat(text, ", PowerSGD of rank ", spec.comm_hook.rank);
  }
  return text;
}

}  // namespace

std::string text_of(const JobResult& job, const TrainingResult& t, const JobSpec& spec, bool colour) {
  const auto& asked = std::get<TrainingJobSpec>(spec.kind);
  const auto [least, most] = std::minmax_element(t.shards.begin(), t.shards.end());
  const bool even = *most - *least <= 1;
  std::string out = heading(
      absl::StrCat(job.name, ": ", plural(job.ranks, "worker"), " against one, ", how(asked)), colour);
  absl::StrAppend(&out, "\n  a batch of ", t.samples, " samples", even ? "" : " in shards of ",
                  even ? "" : absl::StrJoin(t.shards, ", "), "; ", t.parameters, " parameters\n  ",
                  plural(t.steps, "step"), " of ", to_string(t.last_step), ", ", to_string(t.sent_per_step),
                  " sent by each worker in each\n");
  absl::StrAppend(&out, "  first gradient: apart from the single worker's by at most ",
                  apart(t.gradient_difference));
  if (t.gradient_relative > 1e-12)
    absl::StrAppend(&out, ", ", absl::StrFormat("%.3g", 100 * t.gradient_relative), " % of its norm");
  out += "\n";
  for (const TrainingResult::OtherSum& other : t.other_sums)
    absl::StrAppend(&out, "  summed by ", other.algorithm, " instead: ",
                    other.elements == 0 ? "the same bits"
                                        : absl::StrCat(plural(other.elements, "element"),
                                                       " apart by at most ", apart(other.difference)),
                    "\n");
  Table table;
  table.column(Align::kRight, "after step");
  table.column(Align::kRight, "replicas apart by");
  table.column(Align::kRight, "from the single worker");
  for (const TrainingResult::Comparison& c : t.compared)
    table.row(
        {absl::StrCat(c.step), c.replicas == 0 ? "0 (bit-identical)" : apart(c.replicas), apart(c.single)});
  absl::StrAppend(&out, table.text(), "  loss ", absl::StrFormat("%.6f", t.loss), ", of the single worker ",
                  absl::StrFormat("%.6f", t.single_loss), "\n");
  return out;
}

}  // namespace brigade
