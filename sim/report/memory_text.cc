// The answer of `brigade memory` as tables.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/report/memory_report.h"
#include "sim/report/table.h"

namespace brigade {
namespace {

std::string parameters(int64_t n) { return grouped(static_cast<double>(n)); }

bool is_complete(const MemoryUse& use) {
  return std::all_of(use.rows.begin(), use.rows.end(),
                     [](const MemoryRow& r) { return r.bytes.has_value(); });
}

std::string title(const MemoryReport& report) {
  const MemoryRequest& r = report.request;
  const bool named =
      r.shape.has_value() || report.model.find_first_not_of("0123456789.eE+") != std::string::npos;
  std::string text = absl::StrCat(
      named ? absl::StrCat(report.model, " (", parameters(r.parameters), " parameters)")
            : absl::StrCat(parameters(r.parameters), " parameters"),
      ", ", name_of(r.preset), " stage ", r.stage, " on ", plural(r.ranks * r.replicas, "rank"),
      r.replicas > 1 ? absl::StrCat(" in shard groups of ", r.ranks) : "", ", ", report.precision);
  if (r.shape)
    absl::StrAppend(&text, ", ", plural(r.samples, "sample"), " of ", parameters(r.sequence), " tokens");
  return text;
}

std::string rows(const MemoryReport& report, const MemoryUse& use) {
  Table table;
  table.column(Align::kLeft, "on each device");
  table.column(Align::kRight, "");
  table.column(Align::kLeft, "");
  for (size_t i = 0; i < use.rows.size(); ++i) {
    const MemoryRow& row = use.rows[i];
    table.row({row.label, row.bytes ? to_string(*row.bytes) : "-", row.how});
    if (i + 1 == use.states)
      table.row({"= model states", to_string(use.model_states),
                 absl::StrCat(report.request.bytes.total(), " bytes a parameter before sharding")});
  }
  table.row({"= total", to_string(use.total), is_complete(use) ? "" : "of what is counted"});
  return table.text();
}

std::string verdict(const MemoryUse& use, Bytes memory) {
  const std::string size = to_string(memory);
  if (use.total <= memory)
    return absl::StrCat(is_complete(use) ? "  fits " : "  what is counted fits ", size, ": ",
                        to_string(memory - use.total), " to spare\n");
  return absl::StrCat("  does not fit ", size, ": ", to_string(use.total - memory), " too much\n");
}

std::string by_stage(const MemoryReport& report) {
  Table table;
  table.column(Align::kRight, "stage");
  table.column(Align::kRight, "model states");
  table.column(Align::kRight, "total");
  if (report.device_memory) table.column(Align::kLeft, "");
  for (const int stage : sorted_stages(report.request.preset)) {
    MemoryRequest r = report.request;
    r.stage = stage;
    if (!refusal(r).empty()) continue;
    const MemoryUse use = memory_use(r);
    std::vector<std::string> cells = {absl::StrCat(stage), to_string(use.model_states), to_string(use.total)};
    if (report.device_memory) cells.push_back(use.total <= *report.device_memory ? "fits" : "does not fit");
    table.row(std::move(cells));
  }
  return "\n" + table.text();
}

std::string largest(const MemoryReport& report) {
  const MemoryRequest& r = report.request;
  const LargestModel all = largest_in_all(r, *report.device_memory);
  std::string text = absl::StrCat("\n  largest model that fits ", to_string(*report.device_memory),
                                  " at stage ", r.stage, "\n");
  Table table;
  table.column(Align::kLeft, "");
  table.column(Align::kRight, "");
  table.column(Align::kLeft, "");
  if (r.parameters_on_host)
    table.row({"by model states alone", "any", "they are on the hosts"});
  else
    table.row(
        {"by model states alone", parameters(largest_by_states(r, *report.device_memory)), "parameters"});
  table.row({"with all of the above", all.parameters == 0 ? "none" : parameters(all.parameters),
             all.parameters == 0 ? ""
             : r.shape           ? absl::StrCat("parameters, ", plural(all.layers, "layer"), " of this width")
                                 : "parameters"});
  return text + table.text();
}

}  // namespace

std::string memory_text(const MemoryReport& report, bool colour) {
  const MemoryUse use = memory_use(report.request);
  std::string out = absl::StrCat(heading(title(report), colour), "\n", rows(report, use));
  if (report.device_memory) out += verdict(use, *report.device_memory);
  if (const double extra = extra_compute(report.request); extra > 0)
    absl::StrAppend(&out, "  recomputation adds ", percent(extra), " to the compute of the layers\n");
  out += by_stage(report);
  if (report.device_memory) out += largest(report);
  return out;
}

}  // namespace brigade
