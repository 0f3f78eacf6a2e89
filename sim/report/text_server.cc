#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/report/table.h"
#include "sim/report/text_jobs.h"

namespace brigade {
namespace {

constexpr size_t kServersMax = 8;      // longer lists are cut: servers look alike
constexpr size_t kStalenessRows = 16;  // so many ranges of staleness at most
constexpr int kBarColumns = 40;

std::string time(double us) { return to_string(picoseconds(static_cast<int64_t>(us * 1e6 + 0.5))); }

std::string how(const ParameterServerJobSpec& spec) {
  switch (spec.mode) {
    case ServerMode::kSynchronous:
      return "synchronous";
    case ServerMode::kAsynchronous:
      return "asynchronous";
    case ServerMode::kBounded:
      return absl::StrCat("at most ", plural(spec.staleness_bound, "step"), " ahead");
  }
  return "";
}

std::string batch(const ParameterServerResult& r) {
  std::string text = absl::StrCat(grouped(static_cast<double>(r.batch_samples)), " samples");
  if (r.batch_tokens) absl::StrAppend(&text, ", ", grouped(static_cast<double>(*r.batch_tokens)), " tokens");
  return text;
}

Table summary(const ParameterServerResult& r, const ParameterServerJobSpec& spec) {
  Table table;
  table.column(Align::kLeft, "");
  table.column(Align::kRight, "");
  table.column(Align::kLeft, "");
  const double step_us = r.step_time.mean_us;
  const auto of_step = [&](double us) { return step_us > 0 ? percent(us / step_us) + " of the step" : ""; };
  const bool together = spec.mode == ServerMode::kSynchronous ||
                        (spec.mode == ServerMode::kBounded && spec.staleness_bound == 0);
  if (r.step_time.samples > 0) {
    std::string about = together ? "" : "of a worker";
    if (r.step_time.samples > 1)
      absl::StrAppend(&about, together ? "" : "; ", "p50 ", time(r.step_time.p50_us), ", p99 ",
                      time(r.step_time.p99_us));
    table.row({"step time", time(step_us), about});
    table.row({"compute", time(r.compute.mean_us), of_step(r.compute.mean_us)});
    table.row({"communication", time(r.communication.mean_us), "from the first push to the last pull"});
    table.row({"  exposed", time(r.exposed.mean_us), of_step(r.exposed.mean_us)});
    table.row({"efficiency", percent(r.efficiency), "compute / step time"});
  }
  table.row({"updates", grouped(static_cast<double>(r.updates)),
             absl::StrCat("of workers, in ", to_string(r.window))});
  table.row({"throughput", absl::StrCat(grouped(r.updates_per_s), " updates/s"),
             absl::StrCat(grouped(r.samples_per_s), " samples/s",
                          r.tokens_per_s ? absl::StrCat(", ", grouped(*r.tokens_per_s), " tokens/s") : "")});
  table.row(
      {"batch", batch(r),
       absl::StrCat("an update: of ", spec.mode == ServerMode::kSynchronous ? "all workers" : "one worker",
                    r.very_large_batch ? "; very large: statistics are not simulated" : "")});
  if (r.staleness) {
    const Staleness& s = *r.staleness;
    table.row({"staleness", absl::StrCat(decimals(s.mean, 2), " updates"),
               absl::StrCat("p50 ", s.p50, ", p99 ", s.p99, ", largest ", s.max)});
    table.row({"ahead", plural(r.lead_max, "step"), "of the slowest worker, at most"});
  }
  table.row({"worker's NIC", absl::StrCat(to_string(r.worker_sent_max), " out"),
             absl::StrCat(to_string(r.worker_received_max), " in, in the whole run; the busiest worker")});
  return table;
}

std::string server_table(const ParameterServerResult& r) {
  Table table;
  table.column(Align::kLeft, "server");
  table.column(Align::kRight, "received");
  table.column(Align::kRight, "sent");
  for (size_t i = 0; i < std::min(r.servers.size(), kServersMax); ++i)
    table.row({r.servers[i].device, to_string(r.servers[i].received), to_string(r.servers[i].sent)});
  if (r.servers.size() > kServersMax)
    table.line(absl::StrCat("... ", r.servers.size() - kServersMax, " more, all of them with --json"));
  return absl::StrCat("\n", table.text());
}

// Ranges of equal width, with bars.
std::string staleness_table(const Staleness& s) {
  if (s.counts.empty()) return "";
  const int64_t least = s.counts.front().first, span = s.max - least + 1;
  const int64_t width =
      (span + static_cast<int64_t>(kStalenessRows) - 1) / static_cast<int64_t>(kStalenessRows);
  std::vector<int64_t> counts(static_cast<size_t>((span + width - 1) / width));
  int64_t all = 0;
  for (const auto& [value, count] : s.counts) {
    counts[static_cast<size_t>((value - least) / width)] += count;
    all += count;
  }
  const int64_t most = *std::max_element(counts.begin(), counts.end());
  Table table;
  table.column(Align::kRight, "staleness");
  table.column(Align::kRight, "share");
  table.column(Align::kLeft, "");
  for (size_t i = 0; i < counts.size(); ++i) {
    const int64_t first = least + static_cast<int64_t>(i) * width;
    table.row(
        {width == 1 ? absl::StrCat(first) : absl::StrCat(first, "-", std::min(first + width - 1, s.max)),
         percent(static_cast<double>(counts[i]) / static_cast<double>(all)),
         std::string(static_cast<size_t>(counts[i] * kBarColumns / most), '#')});
  }
  return absl::StrCat("\n", table.text());
}

}  // namespace

std::string text_of(const JobResult& job, const ParameterServerResult& r, const JobSpec& spec, bool colour) {
  const auto& asked = std::get<ParameterServerJobSpec>(spec.kind);
  const auto shards = static_cast<int64_t>(r.shards), servers = static_cast<int64_t>(r.servers.size());
  std::string title = absl::StrCat(job.name, ": ", plural(job.ranks, "worker"), ", ",
                                   plural(servers, "server"), ", ", how(asked));
  if (asked.transfer == Transfer::kLayers)
    absl::StrAppend(&title, ", layer by layer", asked.priorities ? " by priority" : "");
  std::string out =
      absl::StrCat(heading(title, colour), "\n  ", to_string(r.gradient), " of gradients (",
                   grouped(static_cast<double>(r.parameters)), " parameters) in ", plural(shards, "shard"));
  if (shards > 1) absl::StrAppend(&out, " of up to ", to_string(r.largest_shard));
  absl::StrAppend(&out, ", ", plural(r.messages_per_push, "message"), " a push\n", summary(r, asked).text(),
                  server_table(r));
  if (r.staleness && r.staleness->max > 0) out += staleness_table(*r.staleness);
  return out;
}

}  // namespace brigade
