// The engine: the one loop over events, the one switch over their kinds, the streams of the ranks.
//
// Ties are settled in two places: the network orders what meets at a link, and here a device that several
// executions share (two jobs, channels) offers its messages through the queue, so that they meet in a batch
// as well; a device of a single stream offers at once. Notices of one instant are handed out in order of what
// they are.
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/collective/execution.h"
#include "sim/engine/fan_out.h"
#include "sim/engine/link_timetable.h"
#include "sim/engine/observer.h"
#include "sim/engine/simulation.h"
#include "sim/network/fluid_network.h"
#include "sim/network/packet_network.h"
#include "sim/network/spec.h"

namespace brigade {

template <class Network>
class Engine final : public Observable {
 public:
  struct Options {
    uint64_t seed = 1;  // of ECMP's choices
    bool hash_events = false;
    bool shuffle = false;  // tests: process each batch in another order of creation
  };
  Engine(const Topology& topology, const NetworkSpec& spec, Options options);

  CommId add_communicator(JobId job, std::vector<VertexId> devices, std::string name,
                          CommMembers members = {}) override;
  uint32_t add_collective(CommId comm, CollectiveCall call) override;
  void launch(CommId comm, Rank r) override;
  void timer(JobId job, Rank r, Time at, uint8_t token) override;
  AlarmId add_alarm(JobId job, Rank r, uint8_t token) override;
  void set_alarm(AlarmId alarm, Time at) override;
  void send(CommId comm, const PointToPoint& message) override;
  void serve_by_class() override;
  void change_links(const std::vector<TimedLink>& changes, Duration detection) override;
  void may_slow_links(std::span<const LinkId> links) override;
  void slow_link(LinkId link, double share) override;
  Time now() const override { return queue_.now(); }
  std::optional<Notice> next() override;
  std::span<const Bytes> sent(CommId comm) const override { return comms_[comm].sent; }
  LinkUse use_of(LinkId link) const override;
  const Topology& topology() const override { return topology_; }
  const std::string& failure() const override { return failure_; }
  std::string stuck() const override;
  void check_counters() const override;
  Counts counts() const override;

  // Tells `observer` of everything from now on; null: of nothing.
  void observe(EngineObserver* observer);
  const Network& network() const { return network_; }
  MessageTag tag_of(uint32_t flight) const override;
  Bytes segment_bytes(uint32_t flight) const override {
    return network_.segment_bytes(network_.flight(flight));
  }
  bool keeps_queue(LinkId link) const override { return network_.keeps_queue(link); }
  bool loses() const override { return timetable_ && timetable_->kills(); }
  const CollectiveCall& call_of(CommId comm, uint32_t index) const override {
    return comms_[comm].collectives[index].call;
  }
  JobId job_of(CommId comm) const override { return comms_[comm].job; }
  const std::string& name_of(CommId comm) const override { return comms_[comm].name; }
  const CommMembers& members_of(CommId comm) const override { return comms_[comm].members; }
  std::span<const VertexId> devices_of(CommId comm) const { return comms_[comm].devices; }
  uint32_t communicators() const { return static_cast<uint32_t>(comms_.size()); }

 private:
  enum Kind : uint8_t { kWake = kFirstEngineEvent, kTimer, kLeft, kAlarm, kChange };
  // What an execution may do; all of it is inlined into the loop.
  template <bool kObserved>
  struct Wire;

  struct Stream {  // in order: two counters are the whole queue
    uint32_t launched = 0, finished = 0;
  };
  struct CollectiveState {
    CollectiveCall call;
    std::vector<uint16_t> slots;      // of its executions, while they run
    std::vector<uint16_t> remaining;  // by rank, executions that are not done; only where there are several
  };
  struct Communicator {
    JobId job;
    std::string name;
    CommMembers members;
    std::vector<VertexId> devices;
    std::vector<Stream> streams;
    std::vector<Bytes> sent;
    std::deque<CollectiveState> collectives;
    std::array<uint16_t, 2 * kClasses> mailboxes{};  // by class and tell_left; 0: none yet
  };
  // Messages outside of collectives count as executions of their own, numbered from the top down; no slot.
  struct Mailbox {
    CommId comm;
    bool tell_left;
  };
  struct Left {  // a sender that will be told
    CommId comm;
    Rank from, to;
    uint32_t tag;
  };
  // Its event is stale where it comes at another instant than the alarm is set to.
  struct Alarm {
    Time at = kNever;
    JobId job;
    uint8_t token;
    Rank rank;
  };
  struct Slot {
    Execution run;
    CommId comm = 0;
    uint32_t index = 0, execution = 0;
    const VertexId* devices = nullptr;  // of the communicator, by rank
    Bytes* sent = nullptr;
    uint64_t flow_key = 0;  // what ECMP draws from, besides the two ends
  };

  template <bool kObserved>
  void process(std::span<const Event> batch);
  template <bool kObserved>
  void start(CommId comm, Rank r);
  template <bool kObserved>
  void finished(uint16_t slot, Rank r);
  void give_slots(CommId comm, uint32_t index);
  bool is_mailbox(uint16_t execution) const { return execution >= first_mailbox_; }
  const Mailbox& mailbox(uint16_t execution) const { return mailboxes_[UINT16_MAX - execution]; }
  uint16_t mailbox_for(CommId comm, const PointToPoint& message);
  CommId comm_of(uint16_t execution) const {
    return is_mailbox(execution) ? mailbox(execution).comm : slots_[execution]->comm;
  }
  template <bool kObserved>
  void left(uint32_t flight, Time at);
  void tell_left(uint32_t flight, Time at);
  void notify_left(uint32_t record);
  void ring(const Event& e);
  void keep_queues_of(std::span<const LinkId> links);
  void offer_through_queue();
  void push_change(Time at, uint32_t instant, bool known);
  void change(const Event& e);
  void set_rate(LinkId link);
  void resume(uint32_t message);
  void received(uint16_t mailbox, const Delivery& d);
  void receive_later(uint32_t flight);
  Time pay_overhead(VertexId endpoint, Time at);
  void fail_unreachable(uint16_t slot, Rank from, Rank to, Round k);
  void fail_unexpected(uint16_t slot, Rank r, Round k);
  // Fail the run where ranks disagree: on a collective's size, or on who sends to whom.
  void compare_sizes(CommId comm, uint32_t index, Rank r);
  void compare_receives(const Slot& slot, Rank r);
  std::string place_of(CommId comm, Rank r) const;
  std::string call_name(CommId comm, uint32_t index) const;
  std::string waiting_for(const Slot& slot, Rank r) const;
  void prefetch(std::span<const Event> soon) const;
  void sort_notices();
  void hash_batch(std::span<const Event> batch);

  const Topology& topology_;
  NetworkSpec spec_;
  Options options_;
  Queue queue_;
  Network network_;
  std::vector<Communicator> comms_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<uint16_t> free_slots_;
  std::vector<Mailbox> mailboxes_;
  uint32_t first_mailbox_ = UINT16_MAX + 1;
  std::vector<Left> left_;  // by Event::id of kLeft
  std::vector<uint32_t> free_left_;
  std::vector<Alarm> alarms_;
  std::unique_ptr<LinkTimetable> timetable_;  // null: no link changes
  std::vector<double> slowed_;                // by link, by slow_link; empty: none
  const Router* router_;                      // of now
  size_t idle_ = 0;  // events in the queue that keep no run alive: stale alarms, changes of links
  std::vector<uint32_t> egresses_;   // by vertex: links that leave it
  std::vector<uint16_t> sharers_;    // by vertex: streams and parallel executions that use it
  std::vector<Time> endpoint_free_;  // by vertex, where messages have an overhead
  std::vector<Notice> notices_;
  size_t next_notice_ = 0;
  EngineObserver* observer_ = nullptr;
  FanOut nobody_;           // listens where there are queues to be kept: see serve_by_class
  bool order_all_ = false;  // every batch, not only what meets at a link
  std::string failure_;
  int64_t events_ = 0;
  uint64_t event_hash_ = 0;
};

extern template class Engine<PacketNetwork>;
extern template class Engine<FluidNetwork>;

}  // namespace brigade
