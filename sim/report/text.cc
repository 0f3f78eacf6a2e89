// The summary for people, at most 100 columns of plain text: the answer of each job first, then the busiest
// links, what was assumed, and where the timeline is.
#include <algorithm>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sim/base/units.h"
#include "sim/report/report.h"
#include "sim/report/table.h"
#include "sim/report/text_jobs.h"

namespace brigade {
namespace {

constexpr size_t kLinkClasses = 6;
constexpr size_t kAlikeMin =
    5;  // jobs in a row of which the same is said are named by the first and the last

// Links of the same kind that carried the same in the same time: one line in place of a page.
struct LinkClass {
  const LinkResult* example;
  size_t count;
};

std::vector<LinkClass> link_classes(const Report& report) {
  const Topology& t = report.topology;
  std::map<std::tuple<VertexKind, VertexKind, int64_t, int64_t>, size_t> seen;
  std::vector<LinkClass> classes;
  for (const LinkResult& link : report.result.links) {
    const Link& l = t.links()[link.link];
    const auto [it, is_new] = seen.try_emplace(
        {t.vertices()[l.from].kind, t.vertices()[l.to].kind, link.bytes.count, link.busy.ps}, classes.size());
    if (is_new) classes.push_back({&link, 0});
    classes[it->second].count += link.every != 0 ? report.result.fold.units : 1;
  }
  return classes;
}

std::string links_text(const Report& report) {
  const std::vector<LinkClass> classes = link_classes(report);
  if (classes.empty()) return "";
  const size_t shown = std::min(classes.size(), report.links.value_or(kLinkClasses));
  Table table;
  table.column(Align::kRight, "busy");
  table.column(Align::kRight, "carried");
  table.column(Align::kRight, "bandwidth");
  table.column(Align::kRight, "links");
  table.column(Align::kLeft, "link");
  for (size_t i = 0; i < shown; ++i) {
    const LinkResult& link = *classes[i].example;
    table.row({percent(link.utilization), to_string(link.bytes),
               to_string(report.topology.links()[link.link].bandwidth), absl::StrCat(classes[i].count),
               absl::StrCat(classes[i].count > 1 ? "such as " : "", report.topology.link_name(link.link))});
  }
  std::string out = absl::StrCat(heading("busiest links", report.colour), "\n", table.text());
  if (shown < classes.size())
    absl::StrAppend(&out, "  ... ", classes.size() - shown, " more kinds with --links all\n");
  return out;
}

// "network.segment 1 MiB" under "network:", so that a group's path is written once.
std::string defaults_text(const Scenario& scenario) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const DefaultedKey& key : scenario.defaulted) {
    // jobs.NAME.rest, or the first part of the path, or the whole of it.
    size_t dot = key.path.find('.');
    if (key.path.starts_with("jobs.")) dot = key.path.find('.', dot + 1);
    const std::string group = dot == std::string::npos ? "" : key.path.substr(0, dot);
    const std::string rest = dot == std::string::npos ? key.path : key.path.substr(dot + 1);
    if (groups.empty() || groups.back().first != group) groups.push_back({group, {}});
    groups.back().second.push_back(absl::StrCat(rest, " ", key.value));
  }
  std::string out;
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto& [group, pieces] = groups[i];
    size_t last = i;
    while (last + 1 < groups.size() && groups[last + 1].second == pieces) ++last;
    const bool alike = last - i + 1 >= kAlikeMin;
    const std::string label = alike ? absl::StrCat(group, " to ", groups[last].first) : group;
    out += wrapped(label.empty() ? "" : label + ":", pieces);
    if (alike) i = last;
  }
  return out;
}

std::string assumptions_text(const Report& report) {
  std::string out;
  if (report.scenario.network.model == NetworkModel::kFluid)
    absl::StrAppend(&out,
                    "  network: fluid: messages that share links have max-min fair rates, and never queue\n");
  if (report.scenario.network.segment_rule == SegmentRule::kAuto)
    absl::StrAppend(&out, "  network: segments of a ", kAutoSegments, "th of their message, at least\n");
  const std::vector<JobResult>& jobs = report.result.jobs;
  for (size_t i = 0; i < jobs.size(); ++i) {
    size_t last = i;
    while (last + 1 < jobs.size() && jobs[last + 1].assumptions == jobs[i].assumptions) ++last;
    const bool alike = last - i + 1 >= kAlikeMin;
    const std::string label = !alike ? jobs[i].name
                              : i == 0 && last + 1 == jobs.size()
                                  ? "all jobs"
                                  : absl::StrCat(jobs[i].name, " to ", jobs[last].name);
    for (const std::string& assumption : jobs[i].assumptions)
      absl::StrAppend(&out, "  ", label, ": ", assumption, "\n");
    if (alike) i = last;
  }
  if (!out.empty()) out = absl::StrCat(heading("assumed", report.colour), "\n", out, "\n");
  const std::string defaults = defaults_text(report.scenario);
  if (!defaults.empty()) absl::StrAppend(&out, heading("defaults", report.colour), "\n", defaults, "\n");
  return out;
}

std::string title(const Report& report) {
  const Topology& t = report.topology;
  std::string text = absl::StrCat(report.scenario.name, " on ", t.name().empty() ? "its cluster" : t.name());
  const Fold& fold = report.result.fold;
  const bool named_in_part = fold.used() && fold.unit == Fold::Unit::kNode;
  const uint32_t nodes = named_in_part ? fold.units : t.nodes();
  if (nodes > 0) absl::StrAppend(&text, ", ", plural(nodes, "node"));
  return text;
}

std::string folded_text(const Fold& fold) {
  return absl::StrCat(fold.simulated, " of ", grouped(fold.units), " ",
                      fold.unit == Fold::Unit::kNode ? "nodes" : "GPUs",
                      " ran, the others are exactly alike");
}

std::string simulated(const Report& report) {
  const RunResult& r = report.result;
  std::string text = absl::StrCat(
      "simulated ", to_string(r.end), " in ", grouped(static_cast<double>(r.counts.events)), " events, ",
      grouped(static_cast<double>(r.counts.messages)), " messages; seed ", report.scenario.seed);
  if (r.counts.segments_lost > 0)
    absl::StrAppend(&text, "\n  links died: ", plural(r.counts.segments_lost, "segment"), " lost, ",
                    plural(r.counts.messages_resumed, "message"), " sent anew from the first of them on");
  if (r.fold.used()) absl::StrAppend(&text, "\n  folded: ", folded_text(r.fold));
  for (const FoldedPart& part : r.folded_parts) {
    absl::StrAppend(&text, "\n  folded in ");
    if (part.rows > 0) absl::StrAppend(&text, part.rows_folded, " of ", part.rows, " rows of ");
    for (size_t i = 0; i < part.jobs.size(); ++i)
      absl::StrAppend(&text, i == 0 ? "" : ", ", r.jobs[part.jobs[i]].name);
    absl::StrAppend(&text, ": ", folded_text(part.fold));
  }
  if (report.wall_s) absl::StrAppend(&text, "; ", decimals(*report.wall_s, 3), " s on the clock");
  return text + "\n";
}

}  // namespace

std::string print_text(const Report& report) {
  std::string out = title(report) + "\n\n";
  const std::string comparison = comparison_of(report.result.jobs, report.colour);
  if (!comparison.empty()) absl::StrAppend(&out, comparison, "\n");
  const std::string slowdown = slowdown_of(report.result.jobs, report.colour);
  if (!slowdown.empty()) absl::StrAppend(&out, slowdown, "\n");
  for (size_t i = 0; i < report.result.jobs.size(); ++i) {
    const JobResult& job = report.result.jobs[i];
    if (is_only_compared(job, report.result.jobs)) continue;
    out += std::visit(
        [&](const auto& result) { return text_of(job, result, report.scenario.jobs[i], report.colour); },
        job.result);
    if (job.verified) out += text_of(*job.verified);
    out += "\n";
  }
  const std::string links = links_text(report);
  if (!links.empty()) absl::StrAppend(&out, links, "\n");
  absl::StrAppend(&out, assumptions_text(report), simulated(report));
  if (!report.trace_file.empty())
    absl::StrAppend(&out, "timeline: ", report.trace_file, " (open it at https://ui.perfetto.dev)\n");
  return out;
}

}  // namespace brigade
