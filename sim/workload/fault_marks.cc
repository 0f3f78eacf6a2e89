#include "sim/workload/fault_marks.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"

namespace brigade {

void FaultMarks::add_rank(ProcessId process, const std::vector<ComputeChange>& changes) {
  if (recorder_ == nullptr || changes.empty()) return;
  marked_.push_back({recorder_->track(process, "changes"), "stopped", changes});
}

void FaultMarks::add_links(ProcessId network, const Topology& topology, std::span<const TimedLink> changes) {
  if (recorder_ == nullptr) return;
  std::map<LinkId, std::vector<ComputeChange>> by_link;
  for (const TimedLink& c : changes)
    by_link[c.link].push_back({.begins = c.begins, .ends = c.ends, .share = c.share, .stops = c.down});
  for (auto& [link, of_link] : by_link)
    marked_.push_back({recorder_->track(network, absl::StrCat("changes of ", topology.link_name(link))),
                       "dead", std::move(of_link)});
}

void FaultMarks::write(Time end) const {
  for (const Marked& m : marked_) write(m, end);
}

// Changes may overlap: from each instant to the next there is one slice.
void FaultMarks::write(const Marked& marked, Time end) const {
  std::vector<Time> instants;
  for (const ComputeChange& c : marked.changes)
    for (const Time at : {c.begins, c.ends}) instants.push_back(std::min(at, end));
  std::sort(instants.begin(), instants.end());
  instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
  std::string name;
  Time begin{};
  const auto close = [&](Time at) {
    if (!name.empty())
      recorder_->slice(marked.track, recorder_->name(name), recorder_->name("change"), begin, at);
  };
  for (const Time at : instants) {
    double share = 1;
    bool stopped = false;
    for (const ComputeChange& c : marked.changes) {
      if (at < c.begins || at >= c.ends || at >= end) continue;
      share *= c.share;
      stopped |= c.stops;
    }
    const std::string now = stopped      ? marked.stopped
                            : share != 1 ? absl::StrCat(std::round(share * 1e4) / 100, " %")
                                         : "";
    if (now == name) continue;
    close(at);
    name = now;
    begin = at;
  }
}

}  // namespace brigade
