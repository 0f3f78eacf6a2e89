#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/base/units.h"
#include "sim/report/table.h"
#include "sim/report/text_jobs.h"

namespace brigade {
namespace {

// Longer lists of buckets lose their middle, whose rows look like their neighbours.
constexpr size_t kBucketsMax = 24, kFirstBuckets = 12, kLastBuckets = 8;

Duration from_us(double us) { return picoseconds(static_cast<int64_t>(us * 1e6 + 0.5)); }

std::string time(double us) { return to_string(from_us(us)); }

// "54,250 tokens/s a GPU" and, of a model that counts tokens, the samples as well.
void add_throughput(const DdpResult& r, Rank ranks, Table& table) {
  const auto add = [&](const char* label, const std::optional<double>& per_s, const char* unit) {
    if (!per_s) return;
    table.row({label, absl::StrCat(grouped(*per_s), " ", unit, "/s"),
               absl::StrCat(grouped(*per_s / ranks), " a GPU")});
  };
  if (r.unit == "tokens") add("throughput", r.tokens_per_s, "tokens");
  add(r.unit == "tokens" ? "" : "throughput", r.samples_per_s, "samples");
}

std::string global_batch(const DdpResult& r) {
  std::string text = absl::StrCat(grouped(static_cast<double>(r.global_batch_samples)), " samples");
  if (r.global_batch_tokens)
    absl::StrAppend(&text, ", ", grouped(static_cast<double>(*r.global_batch_tokens)), " tokens");
  return text;
}

std::string bucket_table(const DdpResult& r) {
  Duration last{};
  Bytes all{}, exchanged{};
  for (const BucketResult& b : r.buckets) {
    last = std::max(last, b.end);
    all += b.bytes;
    exchanged += b.exchanged;
  }
  const bool coded = exchanged != all;
  const bool fused = r.fusion.has_value();
  const bool in_ms = last >= milliseconds(10);
  const auto at = [&](Duration d) { return decimals(in_us(d) / (in_ms ? 1000 : 1), 3); };
  const char* unit = in_ms ? "(ms)" : "(us)";
  Table table;
  table.column(Align::kRight, "bucket");
  table.column(Align::kRight, "size");
  table.column(Align::kRight, "elements");
  if (coded) table.column(Align::kRight, "sent as");
  if (fused) table.column(Align::kRight, "tensors");
  table.column(Align::kRight, "ready", unit);
  if (fused) table.column(Align::kRight, "cycle", unit);
  table.column(Align::kRight, "start", unit);
  table.column(Align::kRight, "end", unit);
  table.column(Align::kRight, "busbw", "(GB/s)");
  const size_t n = r.buckets.size();
  for (size_t i = 0; i < n; ++i) {
    if (n > kBucketsMax && i == kFirstBuckets) {
      i = n - kLastBuckets;
      table.line(absl::StrCat("   ... ", i - kFirstBuckets, " more, all of them with --json"));
    }
    const BucketResult& b = r.buckets[i];
    std::vector<std::string> row{absl::StrCat(b.index), to_string(b.bytes), absl::StrCat(b.elements)};
    if (coded) row.push_back(to_string(b.exchanged));
    if (fused) row.push_back(absl::StrCat(b.tensors));
    row.push_back(at(b.ready));
    if (fused) row.push_back(at(b.cycle));
    for (const Duration d : {b.start, b.end}) row.push_back(at(d));
    row.push_back(decimals(b.busbw_gb_per_s, 2));
    table.row(row);
  }
  return absl::StrCat("\n  ", plural(static_cast<int64_t>(n), fused ? "fused buffer" : "bucket"), " of ",
                      to_string(all), " in all",
                      coded ? absl::StrCat(", sent as ", to_string(exchanged)) : "",
                      ", times since the step began\n", table.text());
}

// "3.5 a step", "3 to 4, of 161 tensors, from 3.5 of the 40 cycles of a
// step".
void add_fusion(const FusionResult& f, Table& table) {
  const auto mean = [](double x) { return decimals(x, x == std::round(x) ? 0 : 1); };
  std::string of =
      f.buffers_min < f.buffers_max ? absl::StrCat(f.buffers_min, " to ", f.buffers_max, ", ") : "";
  absl::StrAppend(&of, "of ", plural(f.tensors, "tensor"), ", from ", mean(f.cycles_used),
                  f.cycles ? absl::StrCat(" of the ", mean(*f.cycles), " cycles of a step") : " cycles");
  table.row({"fused buffers", absl::StrCat(mean(f.buffers), " a step"), of});
}

}  // namespace

std::string model_name(const ModelSpec& model) {
  if (!model.name.empty()) return model.name;
  return model.layers.empty() ? "a model in tensors" : "a model in layers";
}

Table step_summary(const DdpResult& r, Rank ranks) {
  Table table;
  table.column(Align::kLeft, "");
  table.column(Align::kRight, "");
  table.column(Align::kLeft, "");
  const double step_us = r.step_time.mean_us;
  const auto of_step = [&](double us) { return step_us > 0 ? percent(us / step_us) + " of the step" : ""; };
  table.row({"step time", time(step_us),
             r.step_time.samples > 1
                 ? absl::StrCat("p50 ", time(r.step_time.p50_us), ", p99 ", time(r.step_time.p99_us))
                 : ""});
  add_throughput(r, ranks, table);
  if (r.mfu) table.row({"mfu", percent(*r.mfu), "useful FLOP/s over peak"});
  table.row({"compute", time(r.compute.mean_us), of_step(r.compute.mean_us)});
  table.row({"communication", time(r.communication.mean_us), of_step(r.communication.mean_us)});
  table.row({"  overlapped", time(r.overlapped.mean_us), "hidden by compute"});
  table.row({"  exposed", time(r.exposed.mean_us), of_step(r.exposed.mean_us)});
  if (r.fusion)
    table.row({"waiting", time(r.fusion->waiting.mean_us),
               absl::StrCat(of_step(r.fusion->waiting.mean_us), ", for a cycle to begin")});
  table.row({"efficiency", percent(r.efficiency), "compute / step time"});
  table.row({"global batch", global_batch(r),
             absl::StrCat("on ", plural(ranks, "rank"),
                          r.very_large_batch ? "; very large: statistics are not simulated" : "")});
  return table;
}

std::string text_of(const JobResult& job, const DdpResult& result, const JobSpec& spec, bool colour) {
  const auto& asked = std::get<DdpJobSpec>(spec.kind);
  std::string title = absl::StrCat(job.name, ": ddp of ", model_name(asked.model), " (",
                                   grouped(static_cast<double>(result.parameters)), " parameters) on ",
                                   plural(job.ranks, "rank"), ", ", plural(asked.run.steps, "step"));
  if (result.groups > 1)
    absl::StrAppend(&title, ", in ", result.groups, " groups of ",
                    job.ranks / static_cast<Rank>(result.groups));
  if (asked.run.warmup > 0) absl::StrAppend(&title, " after ", asked.run.warmup, " of warm-up");
  Table summary = step_summary(result, job.ranks);
  if (result.fusion) add_fusion(*result.fusion, summary);
  return absl::StrCat(heading(title, colour), "\n", summary.text(),
                      result.buckets.empty() ? "" : bucket_table(result));
}

}  // namespace brigade
