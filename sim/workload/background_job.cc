#include "sim/workload/background_job.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/workload/jitter.h"

namespace brigade {

std::unique_ptr<Job> BackgroundJob::make(const BackgroundJobSpec& spec, JobContext context,
                                         Diagnostics& errors) {
  const size_t n = context.devices.size();
  const auto refuse = [&](const std::string& why) {
    errors.error(context.at, absl::StrCat("job \"", context.name, "\": ", why));
    return nullptr;
  };
  if (n < 2) return refuse("background traffic needs two ranks");
  if (spec.pattern == TrafficPattern::kPairs && n % 2 != 0)
    return refuse(absl::StrCat("pattern pairs needs an even number of ranks, and it has ", n));
  if (context.verify) return refuse("background traffic carries no data to verify");
  return std::unique_ptr<Job>(new BackgroundJob(spec, std::move(context)));
}

BackgroundJob::BackgroundJob(const BackgroundJobSpec& spec, JobContext context)
    : spec_(spec), context_(std::move(context)), senders_(context_.devices.size()) {
  const uint64_t seed = mix(mix(context_.seed) ^ (uint64_t{context_.id} << 32));
  for (Rank r = 0; r < ranks(); ++r) senders_[r].random = Random(mix(seed + r + 1));
  if (spec_.pattern != TrafficPattern::kPermutation) return;
  std::vector<Rank> cycle(ranks());
  for (Rank r = 0; r < ranks(); ++r) cycle[r] = r;
  Random random(seed);
  for (size_t i = cycle.size(); i > 1; --i) std::swap(cycle[i - 1], cycle[random.below(i)]);
  next_of_.resize(ranks());
  for (size_t i = 0; i < cycle.size(); ++i) next_of_[cycle[i]] = cycle[(i + 1) % cycle.size()];
}

bool BackgroundJob::sends(Rank r) const { return spec_.pattern != TrafficPattern::kIncast || r != 0; }

void BackgroundJob::begin(Simulation& simulation, JobTrace*) {
  comm_ = simulation.add_communicator(context_.id, context_.devices, context_.name);
  for (Rank r = 0; r < ranks(); ++r) {
    Sender& s = senders_[r];
    switch (spec_.pattern) {
      case TrafficPattern::kPermutation:
        s.to = next_of_[r];
        break;
      case TrafficPattern::kAllToAll:
        s.to = (r + 1) % ranks();
        break;
      case TrafficPattern::kIncast:
        s.to = 0;
        break;
      case TrafficPattern::kPairs:
        s.to = r ^ 1;
        break;
    }
    s.due = simulation.add_alarm(context_.id, r, kDue);
    const bool at_once = spec_.arrivals == Arrivals::kEven;
    if (sends(r))
      simulation.set_alarm(s.due,
                           Time{} + context_.start + context_.late[r] + (at_once ? Duration{} : interval(s)));
  }
  end_ = simulation.add_alarm(context_.id, 0, kEnd);
  if (spec_.duration) simulation.set_alarm(end_, Time{} + context_.start + *spec_.duration);
}

Duration BackgroundJob::interval(Sender& s) {
  const Duration mean = spec_.rate.time(spec_.message);
  if (spec_.arrivals == Arrivals::kEven) return mean;
  return {std::llround(static_cast<double>(mean.ps) * exponential_of_mean_one(s.random))};
}

void BackgroundJob::on(const Notice& n, Simulation& simulation) {
  if (n.what == Notice::What::kMessage) {
    ++received_;
    const auto it = due_.find(n.index);
    BRIGADE_CHECK(it != due_.end(), "message ", n.index, " was not sent");
    latency_.push_back(n.at - it->second);
    due_.erase(it);
    Sender& s = senders_[n.peer];
    --s.under_way;
    if (stopped_ || s.next_held == s.held.size()) return;
    const Time due = s.held[s.next_held++];
    if (s.next_held == s.held.size()) {
      s.held.clear();
      s.next_held = 0;
    }
    return send(n.peer, due, simulation);
  }
  if (stopped_) return;
  if (n.token == kEnd) return stop(simulation);
  Sender& s = senders_[n.rank];
  simulation.set_alarm(s.due, n.at + interval(s));
  if (s.under_way < spec_.window) return send(n.rank, n.at, simulation);
  ++held_back_;
  s.held.push_back(n.at);
}

void BackgroundJob::send(Rank r, Time due, Simulation& simulation) {
  Sender& s = senders_[r];
  const uint32_t tag = next_tag_++;
  due_[tag] = due;
  ++sent_;
  ++s.under_way;
  simulation.send(comm_, {.from = r, .to = s.to, .bytes = spec_.message, .tag = tag});
  if (spec_.pattern != TrafficPattern::kAllToAll) return;
  s.to = (s.to + 1) % ranks();
  if (s.to == r) s.to = (s.to + 1) % ranks();
}

void BackgroundJob::others_ended(Simulation& simulation) {
  if (!stopped_ && !spec_.duration) stop(simulation);
}

void BackgroundJob::stop(Simulation& simulation) {
  stopped_ = true;
  stopped_at_ = simulation.now();
  for (const Sender& s : senders_) simulation.set_alarm(s.due, kNever);
  simulation.set_alarm(end_, kNever);
}

JobResult BackgroundJob::result(const Simulation&) const {
  BackgroundResult b;
  b.senders = ranks() - (spec_.pattern == TrafficPattern::kIncast ? 1 : 0);
  b.sent = sent_ * spec_.message;
  b.received = received_ * spec_.message;
  b.messages = received_;
  b.held_back = held_back_;
  const Time begin = Time{} + context_.start;
  b.window = stopped_at_ > begin ? stopped_at_ - begin : Duration{};
  b.offered_gb_per_s = static_cast<double>(spec_.rate.bytes_per_s().count) * b.senders * 1e-9;
  if (b.window.ps > 0) b.sent_gb_per_s = static_cast<double>(b.sent.count) / in_us(b.window) * 1e-3;
  b.latency = latency_.empty() ? Statistic{} : statistic_of(latency_);
  std::vector<std::string> assumptions;
  if (held_back_ > 0)
    assumptions.push_back(absl::StrCat(held_back_, " messages waited until one of their sender's ",
                                       spec_.window, " under way had arrived (window)"));
  return {.name = context_.name,
          .kind = "background",
          .ranks = ranks(),
          .assumptions = std::move(assumptions),
          .result = std::move(b)};
}

}  // namespace brigade
