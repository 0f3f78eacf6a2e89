#include "sim/workload/training_job.h"

#include <algorithm>

#include "sim/base/check.h"

namespace brigade {

void TrainingJob::carry(Payload& payload) {
  payload_ = &payload;
  payload.carry(context_.id);
}

void TrainingJob::begin(Simulation& simulation, JobTrace*) {
  comm_ = simulation.add_communicator(context_.id, context_.devices, context_.name);
  int64_t first = 0;
  for (size_t r = 0; r < context_.devices.size(); ++r) {
    Worker w;
    w.shard = batch_.rows(first, spec_.shards[r]);
    first += spec_.shards[r];
    w.parameters = start_;
    w.hook = make_compression(spec_.comm_hook, shape_);
    workers_.push_back(std::move(w));
    simulation.timer(context_.id, static_cast<Rank>(r), Time{} + context_.start + context_.late[r], 0);
  }
  first_gradients_.resize(workers_.size());
  other_gradients_.resize(other_sums_);
}

void TrainingJob::on(const Notice& notice, Simulation& simulation) {
  Worker& w = workers_[notice.rank];
  if (notice.what == Notice::What::kTimer) {
    begin_step(w, simulation);
  } else {
    const Exchange& e = exchange(w);
    const std::vector<double> values = payload_->take(comm_, notice.index, notice.rank);
    ++w.next;
    receive(notice.rank, e, values);
  }
  advance(notice.rank, simulation);
}

void TrainingJob::begin_step(Worker& w, Simulation& simulation) {
  if (steps_.size() == static_cast<size_t>(w.step)) {  // the first worker to get there
    steps_.push_back({.first_call = calls_});
    for (w.next = 0; w.next < exchanges_of(w.step); ++w.next, ++calls_)
      simulation.add_collective(comm_, exchange(w).call);
  }
  w.next = 0;
  w.pass.emplace(shape_, w.shard, w.parameters);
  if (spec_.batch_norm == BatchNorm::kSynchronised) return;
  const bool normalised = spec_.batch_norm == BatchNorm::kLocal;
  local_gradient(w, normalised ? w.pass->normalise(w.pass->statistics(), w.shard.count()) : Vector());
}

// Until the worker has to wait, or has trained enough.
void TrainingJob::advance(Rank r, Simulation& simulation) {
  Worker& w = workers_[r];
  while (w.next == exchanges_of(w.step)) {
    end_step(r, simulation);
    if (w.step == spec_.steps) {
      ++finished_;
      return;
    }
    begin_step(w, simulation);
  }
  const Exchange& e = exchange(w);
  const uint32_t index = steps_[static_cast<size_t>(w.step)].first_call + static_cast<uint32_t>(w.next);
  payload_->put(comm_, index, r, outgoing(w, e), e.what == What::kGradient ? w.hook->rounding() : nullptr);
  simulation.launch(comm_, r);
}

// The gradient that the worker adds: the sum over all workers is what they use.
void TrainingJob::local_gradient(Worker& w, const Vector& norm_sums) {
  w.gradient = w.pass->gradient(norm_sums);
  const auto mine = static_cast<double>(w.shard.count());
  const double weight = !spec_.synchronise                 ? mine
                        : spec_.average == Average::kPlain ? mine * static_cast<double>(workers_.size())
                                                           : static_cast<double>(spec_.samples);
  if (left_out_) {
    const double kept = weight / mine;  // its own mean, whatever the others do
    w.gradient.segment(left_out_->first, left_out_->count()) *= kept;
  }
  w.gradient /= weight;
}

std::vector<double> TrainingJob::outgoing(Worker& w, const Exchange& e) {
  const auto list = [](const Vector& v) { return std::vector<double>(v.data(), v.data() + v.size()); };
  switch (e.what) {
    case What::kStatistics:
      return list(w.pass->statistics());
    case What::kNormSums:
      return list(w.norm_sums);
    case What::kOtherSum:
      return without_left_out(list(w.gradient));
    case What::kGradient:
      return without_left_out(w.hook->send(e.number, w.gradient));
  }
  BRIGADE_CHECK(false, "exchange ", static_cast<int>(e.what));
}

void TrainingJob::receive(Rank r, const Exchange& e, const std::vector<double>& values) {
  Worker& w = workers_[r];
  const auto vector = [&] {
    return Vector(Eigen::Map<const Vector>(values.data(), static_cast<int64_t>(values.size())));
  };
  switch (e.what) {
    case What::kStatistics:
      w.norm_sums = w.pass->normalise(vector(), spec_.samples);
      return;
    case What::kNormSums:
      return local_gradient(w, vector());
    case What::kOtherSum:
      if (r == 0) other_gradients_[static_cast<size_t>(e.number)] = values;
      return;
    case What::kGradient:
      w.hook->receive(e.number, with_left_out(values));
      return;
  }
}

void TrainingJob::end_step(Rank r, Simulation& simulation) {
  Worker& w = workers_[r];
  Vector used = spec_.synchronise ? w.hook->result() : w.gradient;
  if (left_out_)
    used.segment(left_out_->first, left_out_->count()) =
        w.gradient.segment(left_out_->first, left_out_->count());
  if (w.step == 0) first_gradients_[r] = used;
  w.parameters -= spec_.learning_rate * used;
  Step& step = steps_[static_cast<size_t>(w.step)];
  if (++step.ended == workers_.size()) step.end = simulation.now();
  ++w.step;
  const auto& at = spec_.report_at;
  if (w.step == spec_.steps || std::find(at.begin(), at.end(), w.step) != at.end()) {
    auto& snapshot = snapshots_[w.step];
    snapshot.resize(workers_.size());
    snapshot[r] = w.parameters;
  }
}

std::vector<double> TrainingJob::without_left_out(std::vector<double> values) const {
  if (!left_out_) return values;
  const auto first = values.begin() + left_out_->first;
  values.erase(first, first + left_out_->count());
  return values;
}

std::vector<double> TrainingJob::with_left_out(const std::vector<double>& values) const {
  std::vector<double> all = values;
  if (left_out_) all.insert(all.begin() + left_out_->first, static_cast<size_t>(left_out_->count()), 0.0);
  return all;
}

}  // namespace brigade
