// What a training job consists of, worked out and checked before it runs; and what it found out, compared
// with one worker that trains on the whole batch.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "sim/workload/communicate.h"
#include "sim/workload/training_job.h"

namespace brigade {
namespace {

double largest(const Vector& v) { return v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff(); }

}  // namespace

std::unique_ptr<Job> TrainingJob::make(const TrainingJobSpec& spec, JobContext context, Diagnostics& errors) {
  std::unique_ptr<TrainingJob> job(new TrainingJob(spec, std::move(context)));
  if (!job->check(errors) || !job->plan(errors)) return nullptr;
  Random random(job->context_.seed);
  job->batch_ = synthetic_samples(job->shape_, job->spec_.samples, random);
  job->start_ = initial_parameters(job->shape_, random);
  return job;
}

bool TrainingJob::check(Diagnostics& errors) {
  const auto refuse = [&](const std::string& why) {
    errors.error(context_.at, absl::StrCat("job \"", context_.name, "\": ", why));
    return false;
  };
  shape_ = {
      .features = spec_.features, .hidden = spec_.hidden, .batch_norm = spec_.batch_norm != BatchNorm::kNone};
  const auto workers = static_cast<int64_t>(context_.devices.size());
  if (spec_.samples < workers)
    return refuse(absl::StrCat(spec_.samples, " samples for ", workers, " workers; each needs one"));
  if (spec_.shards.empty()) {
    for (int64_t r = 0; r < workers; ++r)
      spec_.shards.push_back(spec_.samples / workers + (r < spec_.samples % workers));
  }
  if (static_cast<int64_t>(spec_.shards.size()) != workers)
    return refuse(absl::StrCat(spec_.shards.size(), " shards for ", workers, " workers; one each is needed"));
  const int64_t sum = std::accumulate(spec_.shards.begin(), spec_.shards.end(), int64_t{0});
  if (sum != spec_.samples)
    return refuse(absl::StrCat("shards of ", sum, " samples together; the batch has ", spec_.samples));
  if (spec_.left_out.empty()) return true;
  std::vector<std::string> names;
  for (const MlpParameter& p : parameters_of(shape_)) {
    names.push_back(p.name);
    if (p.name == spec_.left_out) left_out_ = p;
  }
  if (!left_out_)
    return refuse(
        absl::StrCat("unknown parameter \"", spec_.left_out, "\"", suggestion(spec_.left_out, names)));
  return true;
}

bool TrainingJob::add_exchange(What what, int number, Collective collective, const AlgorithmSpec& algorithm,
                               int64_t elements, int64_t element_bytes, const std::string& label,
                               Diagnostics& errors) {
  CommunicateResult made = communicate({.collective = collective,
                                        .algorithm = algorithm,
                                        .elements = elements,
                                        .element_bytes = element_bytes,
                                        .root = 0,
                                        .sends = {},
                                        .receives = {}},
                                       context_.devices, context_.topology);
  if (made.error.empty()) made.error = Payload::refusal(made.call);
  if (!made.error.empty()) {
    errors.error(context_.at, absl::StrCat("job \"", context_.name, "\": ", made.error));
    return false;
  }
  made.call.label = label;
  exchanges_.push_back({what, number, std::move(made.call)});
  return true;
}

bool TrainingJob::plan(Diagnostics& errors) {
  constexpr int64_t kDoubleBytes = 8;
  const auto workers = static_cast<int64_t>(context_.devices.size());
  const int64_t count = parameter_count(shape_) - (left_out_ ? left_out_->count() : 0);
  const auto sum = [&](What what, int number, const AlgorithmSpec& algorithm, int64_t elements,
                       const char* label) {
    return add_exchange(what, number, Collective::kAllReduce, algorithm, elements, kDoubleBytes, label,
                        errors);
  };
  if (spec_.batch_norm == BatchNorm::kSynchronised &&
      (!sum(What::kStatistics, 0, spec_.all_reduce, 2 * shape_.hidden, "batch norm statistics") ||
       !sum(What::kNormSums, 0, spec_.all_reduce, 2 * shape_.hidden, "batch norm backward")))
    return false;
  before_others_ = exchanges_.size();
  if (!spec_.synchronise) return true;
  for (const std::string& name : spec_.also_sum_by) {
    AlgorithmSpec other = spec_.all_reduce;
    other.algorithm = name;
    if (!sum(What::kOtherSum, static_cast<int>(other_sums_), other, count, name.c_str())) return false;
    ++other_sums_;
  }
  const std::unique_ptr<Compression> hook = make_compression(spec_.comm_hook, shape_);
  for (int i = 0; i < hook->exchanges(); ++i) {
    const bool gathers = hook->collective() == Collective::kAllGather;
    AlgorithmSpec algorithm = spec_.all_reduce;
    if (gathers) algorithm = AlgorithmSpec{};  // a ring, in one execution
    const int64_t values = hook->values(i) - (left_out_ ? left_out_->count() : 0);
    if (!add_exchange(What::kGradient, i, hook->collective(), algorithm, gathers ? values * workers : values,
                      hook->value_bytes(), "gradient", errors))
      return false;
  }
  return true;
}

JobResult TrainingJob::result(const Simulation& simulation) const {
  TrainingResult t;
  t.parameters = parameter_count(shape_);
  t.samples = spec_.samples;
  t.shards = spec_.shards;
  t.steps = spec_.steps;
  std::vector<Duration> times;
  Time before = Time{} + context_.start;
  for (const Step& step : steps_) {
    times.push_back(step.end - before);
    before = step.end;
  }
  t.last_step = times.back();
  t.step_time = statistic_of(times);
  for (const Bytes sent : simulation.sent(comm_)) t.sent_per_step = std::max(t.sent_per_step, sent);
  t.sent_per_step = {t.sent_per_step.count / spec_.steps};

  const auto n = static_cast<double>(spec_.samples);
  Vector single = start_;
  for (int step = 1; step <= spec_.steps; ++step) {
    const Vector exact = whole_gradient(shape_, batch_, single).sum / n;
    if (step == 1) {
      double apart = 0;
      for (const Vector& used : first_gradients_) {
        t.gradient_difference = std::max(t.gradient_difference, largest(used - exact));
        apart = std::max(apart, (used - exact).squaredNorm());
      }
      t.gradient_relative = std::sqrt(apart / exact.squaredNorm());
    }
    single -= spec_.learning_rate * exact;
    const auto at = snapshots_.find(step);
    if (at == snapshots_.end()) continue;
    TrainingResult::Comparison c{.step = step};
    for (const Vector& a : at->second) {
      c.single = std::max(c.single, largest(a - single));
      for (const Vector& b : at->second) c.replicas = std::max(c.replicas, largest(a - b));
    }
    t.compared.push_back(c);
  }
  for (size_t i = 0; i < other_sums_; ++i) {
    const std::vector<double> mine = without_left_out(
        {first_gradients_[0].data(), first_gradients_[0].data() + first_gradients_[0].size()});
    TrainingResult::OtherSum other{.algorithm = spec_.also_sum_by[i]};
    for (size_t e = 0; e < mine.size(); ++e) {
      const double apart = std::fabs(mine[e] - other_gradients_[i][e]);
      other.difference = std::max(other.difference, apart);
      other.elements += apart > 0;
    }
    t.other_sums.push_back(other);
  }
  t.loss = whole_gradient(shape_, batch_, workers_[0].parameters).loss / n;
  t.single_loss = whole_gradient(shape_, batch_, single).loss / n;
  return {.name = context_.name,
          .kind = "training",
          .ranks = static_cast<Rank>(workers_.size()),
          .assumptions = {"computing takes no simulated time: a step is what its exchanges take"},
          .result = std::move(t)};
}

}  // namespace brigade
