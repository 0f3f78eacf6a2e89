// Layer by layer: a gradient is pushed when backward has it, and pulled beside the next forward, which needs
// the front layers first. The closed forms are those of two layers, one worker and one server at 1 GB/s (a
// byte lasts 1 ns, a message waits 1 us besides). From the begin of backward on, with gradients m, forward f
// and backward b of the front (0) and the back (1) layer, in segments of s:
//   by readiness: the front waits for the back's push, and then for the back's pull
//   by priority:  the front's push waits for one segment of the back's, and its pull for nobody
#include "tests/workload/server_jobs.h"

using namespace brigade;

namespace {

constexpr Duration kTrip = microseconds(1);

struct TwoLayers {
  int64_t f0, f1, b0, b1, m0, m1, s;  // ns, bytes

  ParameterServerJobSpec job(bool priorities) const {
    ParameterServerJobSpec job = server_job(1);
    job.work.model = {};
    const auto add = [&](const char* name, int64_t forward, int64_t backward, int64_t bytes) {
      LayerSpec layer;
      layer.name = name;
      TensorSpec tensor;
      tensor.name = "weight";
      tensor.elements = bytes;
      layer.parameters = {tensor};
      layer.forward = nanoseconds(forward);
      layer.backward = nanoseconds(backward);
      job.work.model.layers.push_back(layer);
    };
    add("front", f0, b0, m0);
    add("back", f1, b1, m1);
    job.servers = {"gpu[1]"};
    job.transfer = Transfer::kLayers;
    job.priorities = priorities;
    job.run = {.steps = 3, .warmup = 1};
    return job;
  }
  Duration until_next_backward(Duration front_pulled, Duration back_pulled) const {
    return std::max(front_pulled + nanoseconds(f0), back_pulled) + nanoseconds(f1);
  }
  static int64_t up(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

  // Needs: b0 < m1 and no multiple of s, so that the front becomes ready within a segment of the back's push;
  // 2 m0 < m1 - b0, so that the front is back before the back is pushed.
  Duration by_priority() const {
    const Duration front_push = nanoseconds(b1 + up(b0, s) + m0);
    const Duration back_push = nanoseconds(b1 + m1 + m0);
    return until_next_backward(front_push + kTrip + nanoseconds(m0) + kTrip,
                               back_push + kTrip + nanoseconds(m1) + kTrip);
  }
  // Needs: b0 < m1 and m0 < m1, so that the front waits for the back's push, and again for its pull.
  Duration by_readiness() const {
    const Duration back_pulled = nanoseconds(b1 + 2 * m1) + 2 * kTrip;
    return until_next_backward(back_pulled + nanoseconds(m0), back_pulled);
  }
};

Duration period(const TwoLayers& c, bool priorities) {
  NetworkSpec network;
  network.segment = {c.s};
  const auto topology = small_cluster(2);
  const RunResult run =
      run_jobs(*topology, {job_on("gpu[0]", c.job(priorities))}, network, {}, {.paranoid = true});
  const ParameterServerResult r = server_result(run);
  CHECK(r.step_time.samples == 3);
  CHECK(r.step_time.p50_us == r.step_time.p99_us);
  return r.last_step;
}

}  // namespace

TEST_CASE("two layers: the closed forms by readiness and by priority") {
  const TwoLayers cases[] = {
      {.f0 = 100'000, .f1 = 10'000, .b0 = 15'000, .b1 = 10'000, .m0 = 15'000, .m1 = 100'000, .s = 10'000},
      {.f0 = 10'000, .f1 = 10'000, .b0 = 15'000, .b1 = 10'000, .m0 = 15'000, .m1 = 100'000, .s = 10'000},
      {.f0 = 300'000, .f1 = 20'000, .b0 = 33'333, .b1 = 7'000, .m0 = 11'000, .m1 = 200'000, .s = 10'000},
      {.f0 = 150'000, .f1 = 1'000, .b0 = 1'001, .b1 = 50'000, .m0 = 7'777, .m1 = 91'000, .s = 4'000},
  };
  for (const TwoLayers& c : cases) {
    INFO("f0 " << c.f0 << " b0 " << c.b0 << " m0 " << c.m0 << " m1 " << c.m1);
    CHECK(period(c, false) == c.by_readiness());
    CHECK(period(c, true) == c.by_priority());
    CHECK(c.by_priority() <= c.by_readiness());
  }
}

TEST_CASE("whole gradients wait for the end of backward, and forward for all of them") {
  const TwoLayers c{
      .f0 = 20'000, .f1 = 10'000, .b0 = 15'000, .b1 = 10'000, .m0 = 15'000, .m1 = 60'000, .s = 5'000};
  ParameterServerJobSpec job = c.job(false);
  job.transfer = Transfer::kWhole;
  const auto topology = small_cluster(2);
  const RunResult run = run_jobs(*topology, {job_on("gpu[0]", job)});
  const ParameterServerResult r = server_result(run);
  CHECK(r.last_step == nanoseconds(55'000 + 2 * 75'000) + 2 * kTrip);
  CHECK(r.step_time.p50_us == in_us(r.last_step));
  CHECK(r.compute.mean_us == 55.0);
  CHECK(r.communication.mean_us == Approx(152.0));
  CHECK(r.exposed.mean_us == Approx(152.0));
  CHECK(r.efficiency == Approx(55.0 / 207.0));
  CHECK(period(c, false) < r.last_step);
}

TEST_CASE("priorities among jobs change nothing for a job that has none") {
  // The queues of all links are kept once one job has classes; a ring on other links takes the same time.
  const auto topology = small_cluster(6);
  const TwoLayers c{
      .f0 = 20'000, .f1 = 10'000, .b0 = 15'000, .b1 = 10'000, .m0 = 15'000, .m1 = 60'000, .s = 5'000};
  const JobSpec ring = job_on("gpu[2-5]", collective_job("ring", {Bytes{1'000'000}}), "ring");
  const auto alone = rows_of(run_jobs(*topology, {ring}));
  const auto beside = rows_of(run_jobs(*topology, {ring, job_on("gpu[0]", c.job(true))}));
  CHECK(alone[0].last_time == beside[0].last_time);
}
