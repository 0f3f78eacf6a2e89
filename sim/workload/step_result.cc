#include "sim/workload/step_result.h"

#include "sim/workload/batch_size.h"

namespace brigade {
namespace {

void add_times(const DdpJobSpec& spec, const StepsDone& done, DdpResult& d) {
  std::vector<Duration> step_time, compute, comm, overlapped, exposed;
  Time before = done.begin;
  for (size_t i = 0; i < done.end.size(); ++i) {
    const Occupancy::Totals& t = done.last_rank[i];
    if (i >= static_cast<size_t>(spec.run.warmup)) {
      step_time.push_back(done.end[i] - before);
      compute.push_back(t.compute);
      comm.push_back(t.comm);
      overlapped.push_back(t.comm - t.exposed);
      exposed.push_back(t.exposed);
    }
    before = done.end[i];
  }
  d.last_step = step_time.back();
  d.last_compute = compute.back();
  d.last_communication = comm.back();
  d.last_exposed = exposed.back();
  d.step_time = statistic_of(step_time);
  d.compute = statistic_of(compute);
  d.communication = statistic_of(comm);
  d.overlapped = statistic_of(overlapped);
  d.exposed = statistic_of(exposed);
}

}  // namespace

DdpResult step_result(const DdpJobSpec& spec, const StepsDone& done) {
  DdpResult d;
  add_times(spec, done, d);
  d.parameters = done.parameters;
  d.global_batch_samples = spec.micro_batch_samples * spec.accumulate * int64_t{done.batches};
  if (done.tokens_per_rank) d.global_batch_tokens = *done.tokens_per_rank * int64_t{done.batches};
  d.very_large_batch = is_very_large_batch(d.global_batch_samples, d.global_batch_tokens);
  d.unit = done.tokens_per_rank ? "tokens" : "samples";
  const double step_s = d.step_time.mean_us * 1e-6;
  if (step_s == 0) return d;
  d.efficiency = d.compute.mean_us / d.step_time.mean_us;
  d.samples_per_s = static_cast<double>(d.global_batch_samples) / step_s;
  if (d.global_batch_tokens) d.tokens_per_s = static_cast<double>(*d.global_batch_tokens) / step_s;
  if (done.useful_flops && done.peak_flop_per_s > 0)
    d.mfu = *done.useful_flops * static_cast<double>(done.ranks) / (done.peak_flop_per_s * step_s);
  return d;
}

}  // namespace brigade
