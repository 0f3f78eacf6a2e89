#include "sim/workload/collective_job.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/base/units.h"
#include "sim/engine/payload.h"
#include "sim/workload/busbw_limit.h"
#include "sim/workload/communicate.h"
#include "sim/workload/placement.h"

namespace brigade {

std::unique_ptr<Job> CollectiveJob::make(const CollectiveJobSpec& spec, JobContext context,
                                         Diagnostics& errors) {
  std::unique_ptr<CollectiveJob> job(new CollectiveJob(spec, std::move(context)));
  const JobContext& c = job->context_;
  if (spec.callers && !job->check_ranks(*spec.callers, "callers", errors)) return nullptr;
  if (!job->make_groups(errors)) return nullptr;
  const int64_t element_bytes = bytes_of(spec.dtype);
  const std::vector<Bytes> sizes =
      spec.collective == Collective::kBarrier ? std::vector{Bytes{}} : spec.sizes;
  for (const Bytes size : sizes) {
    if (size.count % element_bytes != 0) {
      errors.error(c.at, absl::StrCat("job \"", c.name, "\": ", size.count, " B are not whole elements of ",
                                      name_of(spec.dtype), " (", element_bytes, " B)"));
      continue;
    }
    for (const AlgorithmSpec& algorithm : spec.algorithms)
      if (!job->add_row(size, algorithm, errors)) return nullptr;
  }
  return job;
}

bool CollectiveJob::make_groups(Diagnostics& errors) {
  const Rank n = static_cast<Rank>(context_.devices.size());
  const GroupSpec spec = spec_.groups.value_or(GroupSpec{.size = static_cast<int>(n), .stride = 1});
  const auto groups = groups_of(n, spec);
  if (groups.empty()) {
    errors.error(context_.at, absl::StrCat("job \"", context_.name, "\": ", n, " ranks are not groups of ",
                                           spec.size, " by ", spec.stride, "; allowed: a multiple of ",
                                           int64_t{spec.size} * spec.stride, " ranks"));
    return false;
  }
  group_of_.resize(n);
  rank_in_group_.resize(n);
  for (const std::vector<Rank>& ranks : groups) {
    Group group{.ranks = ranks, .devices = {}};
    for (Rank i = 0; i < ranks.size(); ++i) {
      group.devices.push_back(context_.devices[ranks[i]]);
      group_of_[ranks[i]] = static_cast<uint32_t>(groups_.size());
      rank_in_group_[ranks[i]] = i;
    }
    groups_.push_back(std::move(group));
  }
  return true;
}

// False: not even the next one can be tried.
bool CollectiveJob::add_row(Bytes size, const AlgorithmSpec& algorithm, Diagnostics& errors) {
  const JobContext& c = context_;
  const int64_t element_bytes = bytes_of(spec_.dtype);
  Row row{
      .figures = {.collective = spec_.collective,
                  .algorithm = algorithm.algorithm,
                  .ranks = groups_.size() > 1 ? static_cast<Rank>(groups_.front().ranks.size()) : c.ranks(),
                  .bytes = size,
                  .rounds_mode = algorithm.rounds},
      .calls = {},
      .times = {}};
  for (const Group& group : groups_) {
    CommunicateResult made = communicate({.collective = spec_.collective,
                                          .algorithm = algorithm,
                                          .elements = size.count / element_bytes,
                                          .element_bytes = element_bytes,
                                          .root = spec_.root,
                                          .sends = spec_.sends,
                                          .receives = spec_.receives,
                                          .fold = c.fold},
                                         group.devices, c.topology);
    if (!made.error.empty()) {
      errors.error(c.at, absl::StrCat("job \"", c.name, "\": ", made.error));
      return true;
    }
    if (const std::string why = Payload::refusal(made.call); c.verify && !why.empty()) {
      errors.error(c.at, absl::StrCat("job \"", c.name, "\": ", why));
      return false;  // once is enough
    }
    // Of groups, the slowest, each as if it were alone.
    const auto form = closed_form_of(made.call, c.network, group.devices, c.topology);
    const bool first = row.calls.empty();
    auto& slowest = row.figures.closed_form;
    slowest = first ? form : slowest && form ? std::max(slowest, form) : std::nullopt;
    if (!add_other_sizes(algorithm, made.call, errors)) return false;
    for (const auto& plan : made.call.plans)
      row.figures.rounds = std::max(row.figures.rounds, plan->rounds());
    made.call.label = to_string(size);
    row.calls.push_back(std::move(made.call));
  }
  rows_.push_back(std::move(row));
  return true;
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
  const bool grouped = groups_.size() > 1;
  for (size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    group.comm = simulation.add_communicator(
        context_.id, group.devices, grouped ? absl::StrCat(context_.name, " group ", g) : context_.name,
        {.ranks = grouped ? group.ranks : std::vector<Rank>(), .stream = 0});
  }
  begin_step(Time{} + context_.start, simulation);
}

void CollectiveJob::begin_step(Time at, Simulation& simulation) {
  step_begin_ = at;
  done_ = 0;
  for (size_t g = 0; g < groups_.size(); ++g) {
    const auto sent = simulation.sent(groups_[g].comm);
    groups_[g].sent_before.assign(sent.begin(), sent.end());
    simulation.add_collective(groups_[g].comm, rows_[row_].calls[g]);
  }
  rows_[row_].figures.rank_end.resize(context_.devices.size());
  for (Rank r = 0; r < context_.devices.size(); ++r)
    if (is_caller(r)) simulation.timer(context_.id, r, at + context_.late[r], 0);
}

void CollectiveJob::on(const Notice& notice, Simulation& simulation) {
  if (notice.what == Notice::What::kTimer)
    return simulation.launch(groups_[group_of_[notice.rank]].comm, rank_in_group_[notice.rank]);
  const Rank r = groups_[notice.comm - groups_.front().comm].ranks[notice.rank];
  rows_[row_].figures.rank_end[r] = notice.at - step_begin_;
  if (++done_ == context_.devices.size()) end_step(simulation);
}

void CollectiveJob::count_sent(CollectiveRow& row, const Simulation& simulation) const {
  for (const Group& group : groups_) {
    const auto sent = simulation.sent(group.comm);
    for (size_t r = 0; r < sent.size(); ++r) {
      const Bytes mine = sent[r] - group.sent_before[r];
      row.bytes_sent_total += mine;
      row.bytes_sent_max = std::max(row.bytes_sent_max, mine);
    }
  }
  row.bytes_sent_total.count = context_.fold.all(row.bytes_sent_total.count);
}

void CollectiveJob::end_step(Simulation& simulation) {
  Row& row = rows_[row_];
  CollectiveRow& f = row.figures;
  if (step_ >= spec_.run.warmup) row.times.push_back(simulation.now() - step_begin_);
  if (++step_ == spec_.run.warmup + spec_.run.steps) {
    count_sent(f, simulation);
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
  rows.groups = static_cast<int>(groups_.size());
  for (const Row& row : rows_) {
    const CollectiveRow& f = row.figures;
    for (const Group& group : groups_) {
      const double limit = busbw_limit_gb_per_s(f.collective, spec_.root, group.devices, context_.topology);
      BRIGADE_CHECK(f.busbw_gb_per_s <= limit * (1 + 1e-9), f.algorithm, " of ", f.bytes.count, " B: busbw ",
                    f.busbw_gb_per_s, " GB/s, the links allow ", limit);
    }
    const std::string why = busbw_above_wire(f, groups_.front().devices, context_.topology);
    const auto& said = result.assumptions;
    if (!why.empty() && std::find(said.begin(), said.end(), why) == said.end())
      result.assumptions.push_back(why);
    rows.rows.push_back(f);
  }
  result.result = std::move(rows);
  return result;
}

}  // namespace brigade
