#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/report/table.h"
#include "sim/report/text_jobs.h"

namespace brigade {
namespace {

const char* mode_name(RoundsMode mode) { return mode == RoundsMode::kFree ? "free" : "lockstep"; }

// nccl-tests' redop: what happens to the elements on the way.
std::string operation(const CollectiveRow& row, DType dtype) {
  const Collective c = row.collective;
  if (c == Collective::kBarrier) return "";
  const bool sums =
      c == Collective::kAllReduce || c == Collective::kReduceScatter || c == Collective::kReduce;
  return absl::StrCat(sums ? " (sum of " : " (", name_of(dtype), ")");
}

std::string in_sizes(Bytes sent, Bytes size) {
  if (size.count == 0) return "-";
  return absl::StrFormat("%.5g", static_cast<double>(sent.count) / static_cast<double>(size.count));
}

// What only some jobs need to show.
struct Shown {
  bool count = false;        // elements, where they are not bytes
  bool mode = false;         // rounds, where they differ from row to row
  bool percentiles = false;  // where steps differ
  int rate_decimals = 2;     // as nccl-tests has it, unless too little would be left of some
};

Shown shown_of(const std::vector<CollectiveRow>& rows, DType dtype) {
  Shown shown;
  shown.count = bytes_of(dtype) > 1;
  for (const CollectiveRow& row : rows) {
    shown.mode |= row.rounds_mode != rows.front().rounds_mode;
    shown.percentiles |= row.time.p50_us != row.time.p99_us;
    if (row.algbw_gb_per_s > 0 && row.algbw_gb_per_s < 0.1) shown.rate_decimals = 4;
  }
  return shown;
}

Table columns_of(const Shown& shown) {
  Table table;
  table.column(Align::kRight, "size", "(B)");
  if (shown.count) table.column(Align::kRight, "count", "(elements)");
  table.column(Align::kLeft, "algorithm");
  if (shown.mode) table.column(Align::kLeft, "mode");
  table.column(Align::kRight, "rounds");
  table.column(Align::kRight, "time", "(us)");
  if (shown.percentiles) table.column(Align::kRight, "p50", "(us)");
  if (shown.percentiles) table.column(Align::kRight, "p99", "(us)");
  table.column(Align::kRight, "algbw", "(GB/s)");
  table.column(Align::kRight, "busbw", "(GB/s)");
  table.column(Align::kRight, "closed", "form (us)");
  table.column(Align::kRight, "sent", "(M)");
  table.column(Align::kRight, "busiest", "(M)");
  return table;
}

std::vector<std::string> cells_of(const CollectiveRow& row, const Shown& shown, DType dtype) {
  std::vector<std::string> cells = {absl::StrCat(row.bytes.count)};
  if (shown.count) cells.push_back(absl::StrCat(row.bytes.count / bytes_of(dtype)));
  cells.push_back(row.algorithm);
  if (shown.mode) cells.push_back(mode_name(row.rounds_mode));
  cells.push_back(absl::StrCat(row.rounds));
  cells.push_back(decimals(row.time.mean_us, 3));
  if (shown.percentiles) cells.push_back(decimals(row.time.p50_us, 3));
  if (shown.percentiles) cells.push_back(decimals(row.time.p99_us, 3));
  cells.push_back(decimals(row.algbw_gb_per_s, shown.rate_decimals));
  cells.push_back(decimals(row.busbw_gb_per_s, shown.rate_decimals));
  cells.push_back(row.closed_form ? decimals(in_us(*row.closed_form), 3) : "-");
  cells.push_back(in_sizes(row.bytes_sent_total, row.bytes));
  cells.push_back(in_sizes(row.bytes_sent_max, row.bytes));
  return cells;
}

}  // namespace

std::string text_of(const JobResult& job, const CollectiveResult& result, const JobSpec& spec, bool colour) {
  const auto& asked = std::get<CollectiveJobSpec>(spec.kind);
  const std::vector<CollectiveRow>& rows = result.rows;
  if (rows.empty()) return "";
  const Shown shown = shown_of(rows, asked.dtype);
  std::string title = absl::StrCat(job.name, ": ", name_of(rows.front().collective),
                                   operation(rows.front(), asked.dtype), " on ", plural(job.ranks, "rank"));
  if (result.groups > 1)
    absl::StrAppend(&title, " in ", result.groups, " groups of ", rows.front().ranks, ", all at once");
  if (!shown.mode) absl::StrAppend(&title, ", rounds ", mode_name(rows.front().rounds_mode));
  if (rows.front().time.samples > 1)
    absl::StrAppend(&title, ", mean of ", plural(rows.front().time.samples, "step"));
  const bool grouped_by_size = rows.size() > 1 && rows[0].bytes == rows[1].bytes;
  Table table = columns_of(shown);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (grouped_by_size && i > 0 && rows[i].bytes != rows[i - 1].bytes) table.line("");
    table.row(cells_of(rows[i], shown, asked.dtype));
  }
  return absl::StrCat(heading(title, colour), "\n", table.text(),
                      "  M: multiples of the size, sent by all ranks and by the busiest one\n");
}

}  // namespace brigade
