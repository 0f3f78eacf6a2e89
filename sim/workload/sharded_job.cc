#include "sim/workload/sharded_job.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/workload/jitter.h"
#include "sim/workload/step_result.h"

namespace brigade {

std::unique_ptr<Job> ShardedJob::make(const ShardedJobSpec& spec, JobContext context, Diagnostics& errors) {
  std::optional<ShardedPlan> plan = plan_sharded(spec, context, errors);
  if (!plan) return nullptr;
  return std::unique_ptr<Job>(new ShardedJob(spec, std::move(context), std::move(*plan)));
}

ShardedJob::ShardedJob(const ShardedJobSpec& spec, JobContext context, ShardedPlan plan)
    : spec_(spec), context_(std::move(context)), plan_(std::move(plan)) {
  const std::vector<StepCall>& calls = plan_.program.calls;
  if (plan_.hosts) hosts_.emplace(*plan_.hosts);
  if (spec_.fetches_from_host()) waiting_.emplace(plan_.program, context_.ranks());
  for (uint32_t c = 0; c < calls.size(); ++c)
    calls_of_[static_cast<size_t>(calls[c].communicator)].push_back(c);
}

void ShardedJob::begin(Simulation& simulation, JobTrace* trace) {
  trace_ = trace;
  plan_.comms.begin(context_, simulation);
  if (hosts_) hosts_->begin(context_, simulation);
  ranks_.resize(context_.devices.size());
  for (Rank r = 0; r < ranks_.size(); ++r) {
    ranks_[r].memory = plan_.program.held;
    compute_.push_back(
        context_.compute_stream(r, {.work = HostServers::kRankTimer, .change = kChangeTimer}, 1, simulation));
    simulation.timer(context_.id, r, Time{} + context_.start + context_.late[r], HostServers::kRankTimer);
  }
}

void ShardedJob::on(const Notice& notice, Simulation& simulation) {
  if (notice.what == Notice::What::kTimer && notice.token == kChangeTimer)
    return compute_[notice.rank].changed();
  if (hosts_ && hosts_->concerns(notice)) {
    if (const std::optional<HostServers::Done> done = hosts_->on(notice, simulation))
      host_done(*done, simulation);
    return;
  }
  if (notice.what == Notice::What::kCollectiveDone) return call_done(notice, simulation);
  if (ranks_[notice.rank].phase == Phase::kNotStarted) return begin_step(notice.rank, simulation);
  end_op(notice.rank, simulation);
  advance(notice.rank, simulation);
}

void ShardedJob::host_done(HostServers::Done done, Simulation& simulation) {
  if (done.task < HostPlan::kOthers) {
    ranks_[done.rank].on_host = simulation.now() - ranks_[done.rank].op_begin;
    end_op(done.rank, simulation);
    return advance(done.rank, simulation);
  }
  if (const uint32_t first = hosts_->plan().task_of_gradients(0); done.task >= first)
    return gradients_there(done.rank, done.task - first, simulation);
  waiting_->ended(done.rank, done.task, hosts_->plan(), simulation.now());
  launch_waiting(done.rank, simulation);
}

void ShardedJob::gradients_there(Rank r, uint32_t call, Simulation& simulation) {
  RankState& s = ranks_[r];
  change_memory(r, {}, plan_.program.calls[call].given_back_at_host, simulation.now());
  if (--s.gradients_on_way > 0 || !s.update_waits) return;
  s.update_waits = false;
  hosts_->submit(r, HostPlan::kUpdate, simulation);
}

void ShardedJob::begin_step(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  ++s.step;
  if (steps_.size() == static_cast<size_t>(s.step)) {  // the first rank to get there
    StepRecord record;
    for (size_t c = 0; c < plan_.comms.count(); ++c)
      for (const uint32_t call : calls_of_[c]) {
        const uint32_t index = plan_.comms.add(c, plan_.labelled(call), simulation);
        if (call == calls_of_[c].front()) record.first_call[c] = index;
      }
    steps_.push_back(record);
  }
  s.step_begin = simulation.now();
  s.comm_free.fill(s.step_begin);
  s.at_begin = s.occupancy.totals(s.step_begin);
  if (waiting_) waiting_->begin_step(r, s.step_begin);
  s.calls.assign(plan_.program.calls.size(), {});
  s.op = 0;
  const JitterSpec& jitter = spec_.work.compute.jitter;
  if (jitter.kind != JitterKind::kNone)
    compute_[r].jitter(jitter_factor(jitter, context_.seed, context_.id, r, s.step));
  advance(r, simulation);
}

// Through all operations that take no time, to the next that does or cannot begin.
void ShardedJob::advance(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  for (; s.op < plan_.program.ops.size(); end_op(r, simulation)) {
    if (!can_begin(s)) {
      s.phase = Phase::kWaiting;
      compute(r, false, simulation.now());
      return;
    }
    begin_op(r, simulation);
    const Work work = plan_.program.ops[s.op].work;
    if (work == Work::kHostOptimizer || work == Work::kToHost) {
      s.phase = Phase::kOnHost;
      compute(r, false, s.op_begin);
      s.update_waits = work == Work::kHostOptimizer && s.gradients_on_way > 0;
      if (s.update_waits) return;
      return hosts_->submit(r, work == Work::kToHost ? HostPlan::kStore : HostPlan::kUpdate, simulation);
    }
    const Duration d = plan_.duration(r, s.op);
    if (d.ps == 0) continue;
    s.phase = Phase::kComputing;
    const bool on_gpu = work != Work::kGap;
    compute(r, on_gpu, s.op_begin);
    compute_[r].begin(on_gpu);
    return compute_[r].tell_at(d);
  }
  end_step(r, simulation);
}

void ShardedJob::compute(Rank r, bool busy, Time now) {
  ranks_[r].occupancy.compute(busy, now);
  if (waiting_) waiting_->computes(r, busy, now);
}

bool ShardedJob::can_begin(const RankState& s) const {
  const std::vector<uint32_t>& waits = plan_.program.ops[s.op].waits;
  return std::all_of(waits.begin(), waits.end(), [&](uint32_t call) { return s.calls[call].done; });
}

void ShardedJob::begin_op(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  const StepOp& op = plan_.program.ops[s.op];
  s.op_begin = simulation.now();
  change_memory(r, op.taken_at_begin, {}, s.op_begin);
  if (waiting_) waiting_->read(r, op.reads_at_begin, *hosts_, simulation);
  set_off(r, op.sets_off_at_begin, simulation);
}

void ShardedJob::end_op(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  const StepOp& op = plan_.program.ops[s.op];
  const Time now = simulation.now();
  if (trace_ != nullptr && s.op_begin < now) {
    Recorder& rec = trace_->recorder;
    rec.slice(trace_->ranks[r].compute, rec.name(op.name), rec.name("compute"), s.op_begin, now);
  }
  change_memory(r, {}, op.given_back_at_end, now);
  if (waiting_) waiting_->read(r, op.reads_at_end, *hosts_, simulation);
  set_off(r, op.sets_off_at_end, simulation);
  ++s.op;
}

void ShardedJob::set_off(Rank r, const std::vector<uint32_t>& calls, Simulation& simulation) {
  const Time now = simulation.now();
  for (const uint32_t call : calls) {
    ranks_[r].calls[call].set_off = now;
    change_memory(r, plan_.program.calls[call].taken_at_launch, {}, now);
    if (!waiting_) launch(r, call, simulation);
  }
  if (!waiting_) return;
  waiting_->set_off(r, calls, now);
  launch_waiting(r, simulation);
}

void ShardedJob::launch_waiting(Rank r, Simulation& simulation) {
  while (const std::optional<uint32_t> call = waiting_->take(r, *hosts_, simulation))
    launch(r, *call, simulation);
}

void ShardedJob::launch(Rank r, uint32_t call, Simulation& simulation) {
  ranks_[r].calls[call].launched = simulation.now();
  ranks_[r].occupancy.comm_launched(simulation.now());
  plan_.comms.launch(static_cast<size_t>(plan_.program.calls[call].communicator), r, simulation);
}

void ShardedJob::call_done(const Notice& notice, Simulation& simulation) {
  const auto [c, r] = plan_.comms.member(notice);
  RankState& s = ranks_[r];
  const Time now = simulation.now();
  const uint32_t call = calls_of_[c][notice.index - steps_[static_cast<size_t>(s.step)].first_call[c]];
  CallTimes& times = s.calls[call];
  times.start = std::max(times.launched, s.comm_free[c]);
  times.end = s.comm_free[c] = now;
  times.done = true;
  s.occupancy.comm_done(now);
  change_memory(r, {}, plan_.program.calls[call].given_back_at_end, now);
  if (plan_.program.calls[call].to_host.count > 0) {
    ++s.gradients_on_way;
    hosts_->submit(r, hosts_->plan().task_of_gradients(call), simulation);
  }
  set_off(r, plan_.program.calls[call].sets_off, simulation);
  if (s.phase == Phase::kWaiting && can_begin(s)) advance(r, simulation);
}

void ShardedJob::end_step(Rank r, Simulation& simulation) {
  RankState& s = ranks_[r];
  const Time now = simulation.now();
  StepRecord& step = steps_[static_cast<size_t>(s.step)];
  compute(r, false, now);
  if (trace_ != nullptr) {
    Recorder& rec = trace_->recorder;
    rec.slice(trace_->ranks[r].compute, rec.name(absl::StrCat("step ", s.step)), rec.name("step"),
              s.step_begin, now);
  }
  const bool last = static_cast<size_t>(s.step) + 1 == steps_total();
  if (++step.ended == ranks_.size()) {
    step.end = now;
    step.last_rank = s.occupancy.totals(now) - s.at_begin;
    if (last) last_calls_ = call_results(s);
    if (last && waiting_) {
      const Occupancy::Totals fetches = waiting_->totals(r, now);
      last_fetches_.under_way = fetches.comm;
      last_fetches_.exposed = fetches.exposed;
    }
  }
  if (last) last_on_host_ = std::max(last_on_host_, s.on_host);
  BRIGADE_CHECK(s.memory == plan_.program.held, "rank ", r, " ends a step with ", s.memory.count,
                " bytes, not ", plan_.program.held.count);
  if (!last) return begin_step(r, simulation);
  settle_memory(r);
  s.phase = Phase::kDone;
  compute_[r].close();
}

void ShardedJob::change_memory(Rank r, Bytes taken, Bytes given_back, Time now) {
  RankState& s = ranks_[r];
  if (taken == given_back) return;
  if (s.memory_since < now) settle_memory(r);
  s.memory = s.memory + taken - given_back;
  s.memory_since = now;
}

// What the rank has held since the last change is part of the record.
void ShardedJob::settle_memory(Rank r) {
  const RankState& s = ranks_[r];
  BRIGADE_CHECK(s.memory <= plan_.memory_bound, "rank ", r, " holds ", s.memory.count, " bytes, at most ",
                plan_.memory_bound.count);
  if (memory_peak_ < s.memory) {
    memory_peak_ = s.memory;
    memory_peak_at_ = s.memory_since;
  }
  if (trace_ == nullptr || trace_->ranks[r].compute == kNoTrack) return;
  constexpr double kGigabyte = 1e9;
  Recorder& rec = trace_->recorder;
  rec.counter(rec.tracks()[trace_->ranks[r].compute].process, rec.name("memory"), rec.name("GB"),
              s.memory_since, static_cast<double>(s.memory.count) / kGigabyte);
}

std::vector<ShardedResult::Call> ShardedJob::call_results(const RankState& s) const {
  std::vector<ShardedResult::Call> results;
  for (size_t i = 0; i < s.calls.size(); ++i) {
    const StepCall& call = plan_.program.calls[i];
    const CallTimes& times = s.calls[i];
    ShardedResult::Call result{.label = call.label,
                               .collective = call.collective,
                               .ranks = ranks_of(static_cast<size_t>(call.communicator)),
                               .bytes = call.elements * Bytes{bytes_of(call.dtype)},
                               .set_off = times.set_off - s.step_begin,
                               .start = times.start - s.step_begin,
                               .end = times.end - s.step_begin};
    const Duration d = times.end - times.start;
    const double n = result.ranks;
    const double share = (call.collective == Collective::kAllReduce ? 2 : 1) * (n - 1) / n;
    if (d.ps > 0) result.busbw_gb_per_s = share * static_cast<double>(result.bytes.count) / in_s(d) * 1e-9;
    results.push_back(std::move(result));
  }
  return results;
}

// Of a group; with a fold those that are not simulated count.
Rank ShardedJob::ranks_of(size_t comm) const {
  return plan_.comms[comm].groups ? static_cast<Rank>(plan_.comms[comm].groups->size) : context_.ranks();
}

std::string ShardedJob::comm_stream_name(uint32_t k) const {
  return k == 0 ? "comm" : absl::StrCat("comm ", plan_.comms[k].name);
}

void ShardedJob::add_sent(ShardedResult& result, const Simulation& simulation) const {
  const auto steps = static_cast<int64_t>(steps_total());
  const auto sent_by = [&](Rank r) {
    Bytes sent{};
    for (size_t c = 0; c < plan_.comms.count(); ++c) sent += plan_.comms.sent(c, r, simulation);
    return sent;
  };
  Rank busiest = 0;
  for (Rank r = 1; r < ranks_.size(); ++r)
    if (sent_by(r) > sent_by(busiest)) busiest = r;
  result.sent_per_step = Bytes{sent_by(busiest).count / steps};
  for (size_t c = 0; c < plan_.comms.count(); ++c) {
    const std::string& among = plan_.comms[c].among;
    const auto same = std::find_if(result.sent.begin(), result.sent.end(),
                                   [&](const ShardedResult::Sent& s) { return s.among == among; });
    const Bytes sent{plan_.comms.sent(c, busiest, simulation).count / steps};
    if (same == result.sent.end())
      result.sent.push_back({.among = among, .ranks = ranks_of(c), .bytes = sent});
    else
      same->bytes += sent;
  }
  const double n = context_.ranks();
  if (n > 1 && result.sent.size() == 1)
    result.volume_psi = static_cast<double>(result.sent_per_step.count) * n / (n - 1) /
                        (static_cast<double>(plan_.parameters) * static_cast<double>(plan_.parameter_bytes));
}

JobResult ShardedJob::result(const Simulation& simulation) const {
  StepsDone done{.begin = Time{} + context_.start,
                 .end = {},
                 .last_rank = {},
                 .ranks = context_.ranks(),
                 .batches = context_.ranks(),
                 .parameters = plan_.parameters,
                 .useful_flops = plan_.useful_flops,
                 .peak_flop_per_s = plan_.peak_flop_per_s,
                 .tokens_per_rank = plan_.tokens_per_rank};
  for (const StepRecord& step : steps_) {
    done.end.push_back(step.end);
    done.last_rank.push_back(step.last_rank);
  }
  ShardedResult result;
  result.step = step_result(spec_.work, done);
  result.preset = name_of(spec_.preset);
  result.stage = spec_.stage;
  result.calls = last_calls_;
  result.shard_group = plan_.groups.shard;
  add_sent(result, simulation);
  result.model_states = plan_.model_states;
  result.memory_held = plan_.program.held;
  result.memory_peak = memory_peak_;
  result.memory_peak_at = memory_peak_at_ - Time{};
  result.device_memory = plan_.device_memory;
  if (hosts_) {
    result.offload = last_on_host_;
    result.host_memory = hosts_->plan().host_memory;
    result.nvme_memory = hosts_->plan().nvme_memory;
  }
  if (waiting_) {
    result.fetches = last_fetches_;
    for (const StepCall& call : plan_.program.calls) result.fetches->copied += call.copied;
    for (const Bytes read : plan_.program.reads) result.fetches->read += read;
  }
  return {.name = context_.name,
          .kind = spec_.preset == ShardPreset::kFsdp2 ? "fsdp" : "zero",
          .ranks = context_.ranks(),
          .assumptions = plan_.assumptions,
          .result = std::move(result)};
}

}  // namespace brigade
