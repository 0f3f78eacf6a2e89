#include "sim/workload/collective_job.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/base/units.h"
#include "sim/engine/payload.h"
#include "sim/workload/busbw_limit.h"
#include "sim/workload/communicate.h"

namespace brigade {

std::unique_ptr<Job> CollectiveJob::make(const CollectiveJobSpec& spec, JobContext context,
                                         Diagnostics& errors) {
  std::unique_ptr<CollectiveJob> job(new CollectiveJob(spec, std::move(context)));
  const JobContext& c = job->context_;
  if (spec.callers && !job->check_ranks(*spec.callers, "callers", errors)) return nullptr;
  const int64_t element_bytes = bytes_of(spec.dtype);
  const std::vector<Bytes> sizes =
      spec.collective == Collective::kBarrier ? std::vector{Bytes{}} : spec.sizes;
  for (const Bytes size : sizes) {
    if (size.count % element_bytes != 0) {
      errors.error(c.at, absl::StrCat("job \"", c.name, "\": ", size.count, " B are not whole elements of ",
                                      name_of(spec.dtype), " (", element_bytes, " B)"));
      continue;
    }
    for (const AlgorithmSpec& algorithm : spec.algorithms) {
      CommunicateResult made = communicate({.collective = spec.collective,
                                            .algorithm = algorithm,
                                            .elements = size.count / element_bytes,
                                            .element_bytes = element_bytes,
                                            .root = spec.root,
                                            .sends = spec.sends,
                                            .receives = spec.receives,
                                            .fold = c.fold},
                                           c.devices, c.topology);
      if (!made.error.empty()) {
        errors.error(c.at, absl::StrCat("job \"", c.name, "\": ", made.error));
        continue;
      }
      CollectiveRow row{.collective = spec.collective,
                        .algorithm = algorithm.algorithm,
                        .ranks = c.ranks(),
                        .bytes = size,
                        .rounds_mode = algorithm.rounds};
      if (const std::string why = Payload::refusal(made.call); c.verify && !why.empty()) {
        errors.error(c.at, absl::StrCat("job \"", c.name, "\": ", why));
        return nullptr;  // once is enough
      }
      row.closed_form = closed_form_of(made.call, c.network, c.devices, c.topology);
      if (!job->add_other_sizes(algorithm, made.call, errors)) return nullptr;
      for (const auto& plan : made.call.plans) row.rounds = std::max(row.rounds, plan->rounds());
      made.call.label = to_string(size);
      job->rows_.push_back({.figures = std::move(row), .call = std::move(made.call), .times = {}});
    }
  }
  return job;
}

bool CollectiveJob::is_caller(Rank r) const {
  if (!spec_.callers) return true;
  return std::any_of(spec_.callers->begin(), spec_.callers->end(),
                     [&](const RankRange& range) { return range.first <= r && r <= range.last; });
}

bool CollectiveJob::check_ranks(const std::vector<RankRange>& ranges, const char* key,
                                Diagnostics& errors) const {
  for (const RankRange& range : ranges) {
    if (range.last < context_.devices.size()) continue;
    errors.error(context_.at, absl::StrCat("job \"", context_.name, "\": ", key, " names rank ", range.last,
                                           "; ranks are 0 to ", context_.devices.size() - 1));
    return false;
  }
  return true;
}

bool CollectiveJob::add_other_sizes(const AlgorithmSpec& algorithm, CollectiveCall& call,
                                    Diagnostics& errors) const {
  for (const CollectiveJobSpec::OtherSize& other : spec_.other_sizes) {
    if (!check_ranks(other.ranks, "other_sizes", errors)) return false;
    const CommunicateResult made = communicate({.collective = spec_.collective,
                                                .algorithm = algorithm,
                                                .elements = other.size.count / bytes_of(spec_.dtype),
                                                .element_bytes = bytes_of(spec_.dtype),
                                                .root = spec_.root,
                                                .sends = spec_.sends,
                                                .receives = spec_.receives},
                                               context_.devices, context_.topology);
    if (!made.error.empty()) {
      errors.error(context_.at, absl::StrCat("job \"", context_.name, "\": ", made.error));
      return false;
    }
    for (const RankRange& range : other.ranks)
      for (Rank r = range.first; r <= range.last; ++r) call.others[r] = made.call.plans.front();
  }
  return true;
}

void CollectiveJob::begin(Simulation& simulation, JobTrace*) {
  comm_ = simulation.add_communicator(context_.id, context_.devices, context_.name);
  begin_step(Time{} + context_.start, simulation);
}

void CollectiveJob::begin_step(Time at, Simulation& simulation) {
  step_begin_ = at;
  done_ = 0;
  const auto sent = simulation.sent(comm_);
  sent_before_.assign(sent.begin(), sent.end());
  simulation.add_collective(comm_, rows_[row_].call);
  rows_[row_].figures.rank_end.resize(context_.devices.size());
  for (Rank r = 0; r < context_.devices.size(); ++r)
    if (is_caller(r)) simulation.timer(context_.id, r, at + context_.late[r], 0);
}

void CollectiveJob::on(const Notice& notice, Simulation& simulation) {
  if (notice.what == Notice::What::kTimer) return simulation.launch(comm_, notice.rank);
  rows_[row_].figures.rank_end[notice.rank] = notice.at - step_begin_;
  if (++done_ == context_.devices.size()) end_step(simulation);
}

void CollectiveJob::end_step(Simulation& simulation) {
  Row& row = rows_[row_];
  CollectiveRow& f = row.figures;
  if (step_ >= spec_.run.warmup) row.times.push_back(simulation.now() - step_begin_);
  if (++step_ == spec_.run.warmup + spec_.run.steps) {
    const auto sent = simulation.sent(comm_);
    for (size_t r = 0; r < sent.size(); ++r) {
      const Bytes mine = sent[r] - sent_before_[r];
      f.bytes_sent_total += mine;
      f.bytes_sent_max = std::max(f.bytes_sent_max, mine);
    }
    f.bytes_sent_total.count = context_.fold.all(f.bytes_sent_total.count);
    f.last_time = row.times.back();
    f.time = statistic_of(row.times);
    if (f.time.mean_us > 0) {
      f.algbw_gb_per_s = static_cast<double>(f.bytes.count) / f.time.mean_us * 1e-3;
      f.busbw_gb_per_s = f.algbw_gb_per_s * busbw_factor(f.collective, f.ranks);
    }
    step_ = 0;
    if (++row_ == rows_.size()) return;
  }
  begin_step(simulation.now(), simulation);
}

JobResult CollectiveJob::result(const Simulation&) const {
  JobResult result{.name = context_.name,
                   .kind = "collective",
                   .ranks = context_.ranks(),
                   .assumptions = {},
                   .result = {}};
  CollectiveResult rows;
  for (const Row& row : rows_) {
    const CollectiveRow& f = row.figures;
    const double limit = busbw_limit_gb_per_s(f.collective, spec_.root, context_.devices, context_.topology);
    BRIGADE_CHECK(f.busbw_gb_per_s <= limit * (1 + 1e-9), f.algorithm, " of ", f.bytes.count, " B: busbw ",
                  f.busbw_gb_per_s, " GB/s, the links allow ", limit);
    const std::string why = busbw_above_wire(f, context_.devices, context_.topology);
    const auto& said = result.assumptions;
    if (!why.empty() && std::find(said.begin(), said.end(), why) == said.end())
      result.assumptions.push_back(why);
    rows.rows.push_back(f);
  }
  result.result = std::move(rows);
  return result;
}

}  // namespace brigade
