// Turns what the engine does into records: collectives on the comm track of each rank, messages or segments
// on the tracks of the links, link use as counters. Jobs add their own slices (forward, backward, buckets).
//
// A link's track holds what it serves, so its slices never overlap. At level `message` the segments of a
// message that follow each other on a link are one slice. Counters are kept for the busiest kCounterLinks
// links, and of queues for the deepest.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "sim/engine/observer.h"
#include "sim/trace/counters.h"
#include "sim/trace/recorder.h"

namespace brigade {

// Of a job: where the collectives of a rank go, by its communication stream and rank.
using JobCommTracks = std::vector<std::vector<TrackId>>;

class Tracer final : public EngineObserver {
 public:
  static constexpr size_t kCounterLinks = 32;

  // `comm_tracks` by job, of the recorder: where the collectives of a rank go. `own_tracks` where a job has
  // tracks of its own for a communicator, by its ranks, else empty: asked once, at the first of its events.
  using OwnTracks = std::function<std::vector<TrackId>(JobId job, CommId comm)>;
  Tracer(const Observable& engine, Recorder& recorder, std::vector<JobCommTracks> comm_tracks,
         OwnTracks own_tracks = nullptr);
  // After the last event: open slices and counters.
  void finish();
  ProcessId network() const { return network_; }

  void collective_started(CommId comm, uint32_t index, Rank r, Time at) override;
  void collective_finished(CommId comm, uint32_t index, Rank r, Time at) override;
  void message_launched(uint32_t, const MessageTag&, Bytes, Time) override {}
  void message_received(const MessageTag&, Time) override {}
  void served(uint32_t flight, int hop, LinkId link, Time start, Duration d, Time tail) override;
  void waits(LinkId link, Bytes bytes, Time at) override;
  void died(LinkId link, Time at, Time until) override;
  void carried(LinkId link, Time begin, Time end, double share) override;

 private:
  struct OpenSlice {  // of a link: the message that it served last
    bool open = false;
    MessageTag tag{};
    Time begin{}, end{};
    int64_t bytes = 0;
  };
  struct Comm {
    std::vector<TrackId> tracks;  // by rank
    std::vector<Time> started;    // by rank, of its running collective
  };
  // What waits at a link: of links that settle their timetable on arrival, by when it will be served.
  struct Line {
    Line(Time window_begin, Time window_end) : counter(window_begin, window_end) {}
    QueueCounter counter;
    Bytes depth{}, deepest{};
    std::deque<std::pair<Time, Bytes>> served_at{};
  };
  Comm& comm(CommId id);
  UtilizationCounter& use(LinkId link);
  Line& line(LinkId link);
  void change(Line& line, Bytes by, Time at);
  void advance(Line& line, Time to);
  void write_queues(Time end);
  void close(LinkId link);
  bool wanted(const MessageTag& tag);

  const Observable& engine_;
  Recorder& recorder_;
  std::vector<JobCommTracks> comm_tracks_;
  OwnTracks own_tracks_;
  std::vector<Comm> comms_;
  ProcessId network_ = 0;
  NameId collective_category_, message_category_;
  std::vector<TrackId> link_tracks_;
  std::vector<OpenSlice> open_;
  std::vector<std::unique_ptr<UtilizationCounter>> use_;
  std::vector<std::unique_ptr<Line>> lines_;
  Time last_served_{};  // when the last link falls idle
};

}  // namespace brigade
