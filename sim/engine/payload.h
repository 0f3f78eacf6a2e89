// Real float64 data that travels with the simulated messages, in event order. The network never sees it.
//
// What a message carries is copied when it is launched; what has arrived is applied when its receiver leaves
// the round, as algorithm.h has it. That instant needs no event of its own: before rank r launches a message
// of round k, or finishes, everything of the rounds before is applied. Several arrivals of one round and the
// rank's own contents are added in the order of ranks, so that ranks that add the same numbers end with the
// same bits.
//
// Of a job that is verified each collective carries two buffers: whole numbers, whose sum is exact in any
// order, and random numbers in [-0.5, 0.5), multiples of 2^-53, whose exact sum is known as well. Every rank
// is compared element by element when it finishes. Elements that a rank does not bring are NaN: who adds them
// is found out. A job that carries data of its own (training) puts it in and takes it out.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "sim/engine/observer.h"
#include "sim/engine/verification.h"

namespace brigade {

class Payload final : public EngineObserver {
 public:
  static constexpr double kTolerance = 1e-14;  // in sums of magnitudes

  // Values that a collective may have, over all its ranks: with both buffers and what is under way some GiB.
  static constexpr int64_t kValuesMax = int64_t{1} << 26;
  // Why a collective cannot be verified, or "".
  static std::string refusal(const CollectiveCall& call);

  Payload(const Observable& engine, uint64_t seed) : engine_(engine), seed_(seed) {}

  // Collectives of this job carry generated values, and are compared.
  void verify(JobId job) { role(job).verifies = true; }
  bool verifies(JobId job) { return role(job).verifies; }
  // Collectives of this job carry what the job puts in; whether they end right is the job's to know.
  void carry(JobId job) {
    role(job).carries = true;
    role(job).verifies = false;
  }
  bool wanted() const { return !roles_.empty(); }
  // Before rank r launches the collective: what it brings, in the order of the buffer (all-reduce, or an
  // all-gather in one execution). `rounding` is applied to each sum on the way; null: float64 as it is.
  void put(CommId comm, uint32_t index, Rank r, std::span<const double> values,
           double (*rounding)(double) = nullptr);
  // Once rank r has finished it: the values that it holds then.
  std::vector<double> take(CommId comm, uint32_t index, Rank r);

  // After the run. A collective that has not ended on every rank is not counted.
  const Verification& verification(JobId job) { return role(job).found; }

  void collective_started(CommId comm, uint32_t index, Rank r, Time at) override;
  void collective_finished(CommId comm, uint32_t index, Rank r, Time at) override;
  void message_launched(uint32_t flight, const MessageTag& tag, Bytes bytes, Time at) override;
  void message_received(const MessageTag& tag, Time at) override;
  void served(uint32_t, int, LinkId, Time, Duration, Time) override {}
  void waits(LinkId, Bytes, Time) override {}
  void died(LinkId, Time, Time) override {}
  void carried(LinkId, Time, Time, double) override {}

 private:
  using Contents = std::shared_ptr<const std::vector<double>>;
  struct Arrival {
    Rank from;
    Range range;
    Contents contents;
  };
  struct RankData {
    std::vector<double> values;  // buffer after buffer
    std::map<Round, std::vector<Arrival>> inbox;
    // Of the last message sent: several ranks may be sent the same range in one round.
    Round sent_round = kNone;
    Range sent_range;
    Contents sent;
  };
  struct Execution {
    std::shared_ptr<const Plan> plan;
    double (*rounding)(double) = nullptr;
    std::vector<RankData> ranks;
    std::map<std::tuple<Rank, Round, uint32_t>, Arrival> under_way;
    std::vector<__int128> sums,
        magnitudes;  // verified: per value, in units of 1 and of 2^-53; made on demand
  };
  struct Call {
    std::vector<Execution> executions;
    Rank finished = 0, taken = 0;
  };
  struct Role {
    bool verifies = false, carries = false;
    Verification found;
  };
  using Key = std::pair<CommId, uint32_t>;

  Role& role(JobId job) {
    if (roles_.size() <= job) roles_.resize(size_t{job} + 1);
    return roles_[job];
  }
  bool wanted(CommId comm) {
    const Role& r = role(engine_.job_of(comm));
    return r.verifies || r.carries;
  }
  // Messages outside of collectives (to a host, a server) carry nothing.
  bool wanted(const MessageTag& tag) { return tag.index != kNone && wanted(tag.comm); }
  int buffers(CommId comm) { return role(engine_.job_of(comm)).verifies ? 2 : 1; }
  Call& call(CommId comm, uint32_t index);
  void apply_before(Execution& x, Rank r, Round k, int buffers) const;
  double value(const Key& key, uint32_t execution, Rank r, int64_t element, int buffer) const;
  void add_up(const Key& key, uint32_t execution, Execution& x) const;
  struct Judgement {
    double expected, difference;  // infinite where it must not be
  };
  Judgement judge(const Key& key, uint32_t execution, const Execution& x, Rank of, int64_t element,
                  int buffer, double got) const;
  void compare(const Key& key, uint32_t execution, Rank r, Verification& found);

  const Observable& engine_;
  uint64_t seed_;
  std::vector<Role> roles_;
  std::map<Key, Call> calls_;  // under way
};

}  // namespace brigade
