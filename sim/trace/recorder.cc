#include "sim/trace/recorder.h"

#include <cmath>
#include <utility>

#include "sim/base/check.h"

namespace brigade {

Recorder::Recorder(Options options) : options_(std::move(options)) {
  BRIGADE_CHECK(options_.window_begin <= options_.window_end, "window from ", options_.window_begin.ps,
                " ps to ", options_.window_end.ps, " ps");
}

ProcessId Recorder::add_process(std::string name, bool wanted) {
  processes_.push_back({std::move(name), wanted, 0});
  return static_cast<ProcessId>(processes_.size() - 1);
}

ProcessId Recorder::process(std::string name) { return add_process(std::move(name), true); }

ProcessId Recorder::rank_process(Rank rank, std::string name) {
  return wants_rank(rank) ? add_process(std::move(name), true) : add_process({}, false);
}

TrackId Recorder::track(ProcessId process, std::string name) {
  BRIGADE_CHECK(process < processes_.size(), "process ", process, " of ", processes_.size());
  Process& owner = processes_[process];
  if (!owner.wanted) return kNoTrack;
  tracks_.push_back({process, owner.tracks++, std::move(name)});
  return static_cast<TrackId>(tracks_.size() - 1);
}

NameId Recorder::name(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const auto id = static_cast<NameId>(texts_.size());
  texts_.emplace_back(text);
  ids_.emplace(texts_.back(), id);
  return id;
}

void Recorder::slice(TrackId track, NameId name, NameId category, Time begin, Time end,
                     const std::vector<TraceArg>& args) {
  if (track == kNoTrack) return;
  BRIGADE_CHECK(track < tracks_.size(), "track ", track, " of ", tracks_.size());
  BRIGADE_CHECK(0 <= begin.ps && begin <= end, texts_[name], " from ", begin.ps, " ps to ", end.ps, " ps");
  if (begin >= options_.window_end || end < options_.window_begin) return;
  slices_.push_back(
      {track, name, category, static_cast<uint32_t>(args.size()), begin, end, uint64_t{args_.size()}});
  for (const TraceArg& arg : args) {
    BRIGADE_CHECK(std::isfinite(arg.number), arg.key, " of ", texts_[name], " is not finite");
    args_.push_back({this->name(arg.key), arg.text.empty() ? kNone : this->name(arg.text), arg.number});
  }
}

void Recorder::flow(NameId name, TrackId from, Time from_at, TrackId to, Time to_at) {
  if (from == kNoTrack || to == kNoTrack) return;
  BRIGADE_CHECK(from < tracks_.size() && to < tracks_.size(), "tracks ", from, " and ", to, " of ",
                tracks_.size());
  BRIGADE_CHECK(from_at <= to_at, texts_[name], " from ", from_at.ps, " ps back to ", to_at.ps, " ps");
  if (in_window(from_at) && in_window(to_at)) flows_.push_back({name, from, to, from_at, to_at});
}

void Recorder::counter(ProcessId process, NameId name, NameId key, Time at, double value) {
  BRIGADE_CHECK(process < processes_.size(), "process ", process, " of ", processes_.size());
  BRIGADE_CHECK(std::isfinite(value) && value >= 0 && at.ps >= 0, texts_[name], " = ", value, " ",
                texts_[key], " at ", at.ps, " ps");
  if (processes_[process].wanted && in_window(at)) counters_.push_back({process, name, key, at, value});
}

}  // namespace brigade
