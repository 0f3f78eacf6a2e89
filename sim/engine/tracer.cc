#include "sim/engine/tracer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace brigade {

Tracer::Tracer(const Observable& engine, Recorder& recorder, std::vector<JobCommTracks> comm_tracks,
               OwnTracks own_tracks)
    : engine_(engine),
      recorder_(recorder),
      comm_tracks_(std::move(comm_tracks)),
      own_tracks_(std::move(own_tracks)),
      network_(recorder.process("network")),
      collective_category_(recorder.name("collective")),
      message_category_(recorder.name("message")) {
  const size_t links = engine.topology().links().size();
  use_.resize(links);
  lines_.resize(links);
  if (!recorder.wants(TraceLevel::kMessage)) return;
  link_tracks_.assign(links, kNoTrack);
  open_.resize(links);
}

Tracer::Comm& Tracer::comm(CommId id) {
  while (comms_.size() <= id) {
    const CommId next = static_cast<CommId>(comms_.size());
    Comm c;
    c.tracks = own_tracks_ ? own_tracks_(engine_.job_of(next), next) : std::vector<TrackId>();
    const bool is_usual = c.tracks.empty();
    const CommMembers& members = engine_.members_of(next);
    const std::vector<TrackId>& of_ranks = comm_tracks_[engine_.job_of(next)].at(members.stream);
    if (is_usual && members.ranks.empty()) c.tracks = of_ranks;
    for (const Rank r : members.ranks)
      if (is_usual) c.tracks.push_back(of_ranks[r]);
    // A job's further communicators, of the same ranks and stream, run beside its first one.
    int number = 1;
    for (CommId before = 0; is_usual && before < next; ++before)
      number +=
          engine_.job_of(before) == engine_.job_of(next) && members.ranks.empty() && members.stream == 0;
    for (TrackId& track : c.tracks)
      if (is_usual && number > 1 && track != kNoTrack)
        track = recorder_.track(recorder_.tracks()[track].process, absl::StrCat("comm ", number));
    c.started.resize(c.tracks.size());
    comms_.push_back(std::move(c));
  }
  return comms_[id];
}

void Tracer::collective_started(CommId id, uint32_t, Rank r, Time at) { comm(id).started[r] = at; }

void Tracer::collective_finished(CommId id, uint32_t index, Rank r, Time at) {
  if (!recorder_.wants(TraceLevel::kCollective)) return;
  Comm& c = comm(id);
  if (c.tracks[r] == kNoTrack) return;
  const CollectiveCall& call = engine_.call_of(id, index);
  const Algorithm& algorithm = *call.plans.front()->algorithm;
  int64_t bytes = 0;
  for (const auto& plan : call.plans) bytes += plan->elements * plan->element_bytes;
  recorder_.slice(
      c.tracks[r],
      recorder_.name(absl::StrCat(name_of(algorithm.collective), " ", algorithm.name, " ", call.label)),
      collective_category_, c.started[r], at,
      {{.key = "bytes", .number = static_cast<double>(bytes)},
       {.key = "ranks", .number = static_cast<double>(call.plans.front()->ranks)},
       {.key = "index", .number = static_cast<double>(index)}});
}

// A message is shown if its sender or its receiver is.
bool Tracer::wanted(const MessageTag& tag) {
  const auto& tracks = comm(tag.comm).tracks;
  return tracks[tag.from] != kNoTrack || tracks[tag.to] != kNoTrack;
}

UtilizationCounter& Tracer::use(LinkId link) {
  const auto& o = recorder_.options();
  if (!use_[link]) use_[link] = std::make_unique<UtilizationCounter>(o.window_begin, o.window_end);
  return *use_[link];
}

void Tracer::carried(LinkId link, Time begin, Time end, double share) {
  use(link).busy(begin, end, share);
  last_served_ = std::max(last_served_, end);
}

void Tracer::served(uint32_t flight, int, LinkId link, Time start, Duration d, Time) {
  use(link).busy(start, start + d);
  last_served_ = std::max(last_served_, start + d);
  const Bytes bytes = engine_.segment_bytes(flight);
  if (engine_.keeps_queue(link)) {
    change(line(link), Bytes{} - bytes, start);
  } else if (start > engine_.now()) {
    Line& waits = line(link);
    advance(waits, engine_.now());
    change(waits, bytes, engine_.now());
    waits.served_at.emplace_back(start, bytes);
  }
  if (open_.empty()) return;
  const MessageTag tag = engine_.tag_of(flight);
  OpenSlice& open = open_[link];
  const bool same = open.open && open.end == start && open.tag.comm == tag.comm &&
                    open.tag.index == tag.index && open.tag.execution == tag.execution &&
                    open.tag.from == tag.from && open.tag.to == tag.to && open.tag.round == tag.round &&
                    open.tag.send == tag.send;
  if (!same || recorder_.wants(TraceLevel::kSegment)) {
    close(link);
    open = {.open = true, .tag = tag, .begin = start, .end = start, .bytes = 0};
  }
  open.end = start + d;
  open.bytes += bytes.count;
}

void Tracer::died(LinkId link, Time at, Time until) {
  use(link).idle(at, until);
  if (open_.empty()) return;
  OpenSlice& open = open_[link];
  if (!open.open) return;
  open.end = std::min(open.end, at);
  close(link);
}

void Tracer::close(LinkId link) {
  OpenSlice& open = open_[link];
  if (!open.open) return;
  open.open = false;
  if (!wanted(open.tag)) return;
  if (link_tracks_[link] == kNoTrack)
    link_tracks_[link] = recorder_.track(network_, engine_.topology().link_name(link));
  const MessageTag& t = open.tag;
  const bool of_collective = t.index != kNone;
  std::vector<TraceArg> args{{.key = "job", .text = engine_.name_of(t.comm)}};
  if (of_collective) args.push_back({.key = "collective", .number = static_cast<double>(t.index)});
  args.push_back({.key = "bytes", .number = static_cast<double>(open.bytes)});
  const NameId name =
      recorder_.name(absl::StrCat(t.from, " to ", t.to, of_collective ? ", round " : ", message ", t.round));
  recorder_.slice(link_tracks_[link], name, message_category_, open.begin, open.end, args);
}

Tracer::Line& Tracer::line(LinkId link) {
  const auto& o = recorder_.options();
  if (!lines_[link]) lines_[link] = std::make_unique<Line>(o.window_begin, o.window_end);
  return *lines_[link];
}

void Tracer::change(Line& line, Bytes by, Time at) {
  line.depth += by;
  line.deepest = std::max(line.deepest, line.depth);
  line.counter.set(at, line.depth);
}

// Takes out what is served by then.
void Tracer::advance(Line& line, Time to) {
  for (; !line.served_at.empty() && line.served_at.front().first <= to; line.served_at.pop_front())
    change(line, Bytes{} - line.served_at.front().second, line.served_at.front().first);
}

void Tracer::waits(LinkId link, Bytes bytes, Time at) { change(line(link), bytes, at); }

void Tracer::write_queues(Time end) {
  std::vector<LinkId> links;
  for (LinkId l = 0; l < lines_.size(); ++l)
    if (lines_[l]) links.push_back(l);
  const auto deeper = [&](LinkId a, LinkId b) {
    const Bytes x = lines_[a]->deepest, y = lines_[b]->deepest;
    return x != y ? x > y : a < b;
  };
  std::sort(links.begin(), links.end(), deeper);
  if (links.size() > kCounterLinks) links.resize(kCounterLinks);
  std::sort(links.begin(), links.end());
  for (const LinkId l : links) {
    advance(*lines_[l], end);
    lines_[l]->counter.write(recorder_, network_,
                             recorder_.name(absl::StrCat("queue at ", engine_.topology().link_name(l))), end);
  }
}

void Tracer::finish() {
  for (LinkId l = 0; l < open_.size(); ++l) close(l);
  std::vector<LinkId> links;
  for (LinkId l = 0; l < use_.size(); ++l)
    if (use_[l]) links.push_back(l);
  const auto busier = [&](LinkId a, LinkId b) {
    const Duration x = engine_.use_of(a).busy, y = engine_.use_of(b).busy;
    return x != y ? x > y : a < b;
  };
  std::sort(links.begin(), links.end(), busier);
  if (links.size() > kCounterLinks) links.resize(kCounterLinks);
  std::sort(links.begin(), links.end());
  // A run that fails stops while links have still to serve.
  const Time end = std::max(engine_.now(), last_served_);
  for (const LinkId l : links)
    use_[l]->write(recorder_, network_, recorder_.name(engine_.topology().link_name(l)), end);
  write_queues(end);
}

}  // namespace brigade
