#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/report/table.h"
#include "sim/report/text_jobs.h"

namespace brigade {
namespace {

// Longer lists of collectives lose their middle, whose rows look like their neighbours.
constexpr size_t kCallsMax = 24, kFirstCalls = 12, kLastCalls = 8;

std::string memory_of(const ShardedResult& r) {
  std::string text =
      absl::StrCat("at ", to_string(r.memory_peak_at), ", model states ", to_string(r.model_states));
  if (r.device_memory)
    absl::StrAppend(&text, r.memory_peak <= *r.device_memory ? "; fits " : "; does not fit ",
                    to_string(*r.device_memory));
  return text;
}

void add_fetches(Table& table, const ShardedResult::Fetches& f) {
  table.row(
      {"parameters fetched", to_string(f.copied),
       absl::StrCat("a step to each device",
                    f.read.count > 0 ? absl::StrCat(", ", to_string(f.read), " of it from NVMe") : "")});
  table.row(
      {"  exposed", to_string(f.exposed), absl::StrCat("of ", to_string(f.under_way), " on their way")});
}

void add_groups(Table& table, const ShardedResult& r) {
  for (const ShardedResult::Sent& sent : r.sent) {
    const bool replicas = sent.among == "replicas", backward = sent.among == "after_forward";
    table.row({replicas   ? "  among replicas"
               : backward ? "  gathered in backward"
                          : "  in shard groups",
               to_string(sent.bytes),
               replicas   ? absl::StrCat(sent.ranks, " of them")
               : backward ? absl::StrCat("in groups of ", plural(sent.ranks, "rank"))
                          : absl::StrCat("of ", plural(sent.ranks, "rank"))});
  }
}

Table summary(const ShardedResult& r, Rank ranks, bool updates_on_host) {
  Table table = step_summary(r.step, ranks);
  table.row({"sent a step", to_string(r.sent_per_step),
             r.volume_psi                ? absl::StrCat("by the busiest rank: ", decimals(*r.volume_psi, 3),
                                                        " x parameters x (N-1)/N")
             : r.sent_per_step.count > 0 ? "by the busiest rank"
                                         : ""});
  if (r.sent.size() > 1) add_groups(table, r);
  table.row({"memory peak", to_string(r.memory_peak), memory_of(r)});
  if (r.fetches) add_fetches(table, *r.fetches);
  if (r.offload)
    table.row({updates_on_host ? "optimizer on host" : "parameters to host", to_string(*r.offload),
               absl::StrCat(
                   "of the step; a host holds ", to_string(r.host_memory),
                   r.nvme_memory.count > 0 ? absl::StrCat(", its drives ", to_string(r.nvme_memory)) : "")});
  return table;
}

std::string call_table(const ShardedResult& r) {
  Duration last{};
  for (const ShardedResult::Call& call : r.calls) last = std::max(last, call.end);
  const bool has_groups = r.sent.size() > 1;
  const bool in_ms = last >= milliseconds(10);
  const auto at = [&](Duration d) { return decimals(in_us(d) / (in_ms ? 1000 : 1), 3); };
  const char* unit = in_ms ? "(ms)" : "(us)";
  Table table;
  table.column(Align::kLeft, "collective");
  table.column(Align::kLeft, "of");
  if (has_groups) table.column(Align::kRight, "ranks");
  table.column(Align::kRight, "size");
  table.column(Align::kRight, "set off", unit);
  table.column(Align::kRight, "start", unit);
  table.column(Align::kRight, "end", unit);
  table.column(Align::kRight, "busbw", "(GB/s)");
  const size_t n = r.calls.size();
  for (size_t i = 0; i < n; ++i) {
    if (n > kCallsMax && i == kFirstCalls) {
      i = n - kLastCalls;
      table.line(absl::StrCat("   ... ", i - kFirstCalls, " more, all of them with --json"));
    }
    const ShardedResult::Call& call = r.calls[i];
    std::vector<std::string> cells = {name_of(call.collective), call.label};
    if (has_groups) cells.push_back(absl::StrCat(call.ranks));
    for (std::string cell : {to_string(call.bytes), at(call.set_off), at(call.start), at(call.end),
                             decimals(call.busbw_gb_per_s, 2)})
      cells.push_back(std::move(cell));
    table.row(std::move(cells));
  }
  return absl::StrCat("\n  ", plural(static_cast<int64_t>(n), "collective"), ", times since the step began\n",
                      table.text());
}

}  // namespace

std::string text_of(const JobResult& job, const ShardedResult& r, const JobSpec& spec, bool colour) {
  const auto& asked = std::get<ShardedJobSpec>(spec.kind);
  std::string title = absl::StrCat(
      job.name, ": ", job.kind, " (", r.preset, job.kind == "zero" ? absl::StrCat(" stage ", r.stage) : "",
      ") of ", model_name(asked.work.model), " (", grouped(static_cast<double>(r.step.parameters)),
      " parameters) on ", plural(job.ranks, "rank"),
      r.shard_group < job.ranks ? absl::StrCat(" in shard groups of ", r.shard_group) : "", ", ",
      plural(asked.work.run.steps, "step"));
  if (asked.work.run.warmup > 0) absl::StrAppend(&title, " after ", asked.work.run.warmup, " of warm-up");
  return absl::StrCat(heading(title, colour), "\n", summary(r, job.ranks, asked.updates_on_host()).text(),
                      r.calls.empty() ? "" : call_table(r));
}

}  // namespace brigade
