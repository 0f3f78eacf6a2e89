#include "sim/report/trace_options.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/scenario/kinds.h"

namespace brigade {
namespace {

Place option(const char* name) { return {name, 0, 0}; }

void apply_level(const std::string& text, TraceSpec& trace, Diagnostics& errors) {
  const Kind<TraceLevel> kind = choice<TraceLevel>({{"job", TraceLevel::kJob},
                                                    {"collective", TraceLevel::kCollective},
                                                    {"message", TraceLevel::kMessage},
                                                    {"segment", TraceLevel::kSegment}});
  if (const auto level = kind.parse(text).value) {
    trace.level = *level;
  } else {
    errors.error(option("--trace-level"),
                 absl::StrCat("unknown level \"", text, "\"", suggestion(text, kind.allowed)));
  }
}

void apply_ranks(const std::string& text, TraceSpec& trace, Diagnostics& errors) {
  auto ranks = rank_ranges().parse(text);
  if (ranks.value) {
    trace.ranks = std::move(*ranks.value);
  } else {
    errors.error(option("--ranks"), absl::StrCat("\"", text, "\" ", ranks.error));
  }
}

void apply_window(const std::string& text, TraceSpec& trace, Diagnostics& errors) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos)
    return errors.error(option("--window"),
                        absl::StrCat("\"", text, "\" is no window; allowed: BEGIN:END, such as 0us:5ms"));
  Duration ends[2];
  const std::string parts[] = {text.substr(0, colon), text.substr(colon + 1)};
  for (int i = 0; i < 2; ++i) {
    const Parsed<Duration> parsed = parse_duration(parts[i]);
    if (!parsed.value)
      return errors.error(option("--window"), absl::StrCat("\"", parts[i], "\" ", parsed.error));
    ends[i] = *parsed.value;
  }
  if (ends[0] >= ends[1])
    return errors.error(option("--window"),
                        absl::StrCat("\"", text, "\" does not end after it begins; allowed: BEGIN:END"));
  trace.window_begin = Time{} + ends[0];
  trace.window_end = Time{} + ends[1];
}

}  // namespace

std::optional<TraceSpec> trace_of(const Scenario& scenario, const TraceOptions& options,
                                  Diagnostics& errors) {
  const std::pair<const char*, const std::optional<std::string>&> given[] = {{"--trace", options.file},
                                                                             {"--trace-level", options.level},
                                                                             {"--ranks", options.ranks},
                                                                             {"--window", options.window}};
  std::optional<TraceSpec> trace = options.off ? std::nullopt : scenario.trace;
  if (options.file) {
    if (!trace) trace.emplace();
    trace->file = *options.file;
    trace->at = option("--trace");
  }
  for (const auto& [name, value] : given) {
    if (!value || (trace && !options.off)) continue;
    errors.error(option(name), options.off ? "contradicts --no-trace; allowed: one of them"
                                           : "no timeline is written; add --trace FILE");
  }
  if (options.off || !trace) return std::nullopt;
  if (options.level) apply_level(*options.level, *trace, errors);
  if (options.ranks) {
    apply_ranks(*options.ranks, *trace, errors);
    trace->at = option("--ranks");
  }
  if (options.window) apply_window(*options.window, *trace, errors);
  if (scenario.network.model == NetworkModel::kFluid && trace->level > TraceLevel::kCollective)
    errors.error(options.level ? option("--trace-level") : trace->at,
                 "the levels message and segment show what a link serves one after the other, but a link of "
                 "model fluid carries several messages at once; allowed: level job or collective");
  return trace;
}

void check_trace_ranks(const TraceSpec& trace, Rank ranks, Diagnostics& errors) {
  for (const RankRange& range : trace.ranks) {
    if (range.last < ranks) continue;
    errors.error(trace.at, absl::StrCat("rank ", range.last,
                                        " of the timeline is out of range; allowed: 0 to ", ranks - 1));
  }
}

Recorder::Options recorder_options(const TraceSpec& trace, Rank ranks) {
  Recorder::Options options{
      .level = trace.level, .window_begin = trace.window_begin, .window_end = trace.window_end, .ranks = {}};
  if (!trace.ranks.empty()) options.ranks.resize(ranks);
  for (const RankRange& range : trace.ranks) {
    for (Rank r = range.first; r <= range.last; ++r) options.ranks[r] = true;
  }
  return options;
}

}  // namespace brigade
