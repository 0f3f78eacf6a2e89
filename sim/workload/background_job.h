// `kind: background`: traffic that others meet on the links, message by message, without any collective.
//
// Each sender offers messages at its rate, from the job's start on: at equal intervals (all senders at the
// same instants), or at exponential ones (Poisson). Who sends to whom:
//   permutation  to one other each, and each receives from one: a cycle through all ranks, drawn by the seed
//   all_to_all   to all others in turn, beginning with the next rank
//   incast       all to rank 0, which sends nothing
//   pairs        0 and 1, 2 and 3, ... to each other
// At most `window` messages of a sender are under way; what is due beyond that is held back until one has
// arrived, and counts as late. It stops when all other jobs have ended, or after its duration; what is under
// way then still arrives.
//
// Left out: sizes that vary, congestion control of its own.
#pragma once
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "sim/base/random.h"
#include "sim/workload/job.h"

namespace brigade {

class BackgroundJob final : public Job {
 public:
  static std::unique_ptr<Job> make(const BackgroundJobSpec& spec, JobContext context, Diagnostics& errors);
  void begin(Simulation& simulation, JobTrace* trace) override;
  void on(const Notice& notice, Simulation& simulation) override;
  bool finished() const override { return stopped_ && received_ == sent_; }
  bool lasts_as_long_as_others() const override { return !spec_.duration; }
  void others_ended(Simulation& simulation) override;
  JobResult result(const Simulation& simulation) const override;

 private:
  enum Token : uint8_t { kEnd, kDue };  // what is due at the end is not sent
  struct Sender {
    Rank to = 0;  // of the next message
    AlarmId due = 0;
    Random random{0};
    int under_way = 0;
    std::vector<Time> held;  // when they were due, oldest first from `next_held`
    size_t next_held = 0;
  };
  BackgroundJob(const BackgroundJobSpec& spec, JobContext context);
  Rank ranks() const { return static_cast<Rank>(context_.devices.size()); }
  bool sends(Rank r) const;
  Duration interval(Sender& s);
  void send(Rank r, Time due, Simulation& simulation);
  void stop(Simulation& simulation);

  BackgroundJobSpec spec_;
  JobContext context_;
  CommId comm_ = 0;
  AlarmId end_ = 0;
  std::vector<Sender> senders_;              // by rank
  std::vector<Rank> next_of_;                // permutation
  absl::flat_hash_map<uint32_t, Time> due_;  // by tag, of messages under way; never iterated
  uint32_t next_tag_ = 0;
  int64_t sent_ = 0, received_ = 0, held_back_ = 0;
  std::vector<Duration> latency_;
  bool stopped_ = false;
  Time stopped_at_{};
};

}  // namespace brigade
