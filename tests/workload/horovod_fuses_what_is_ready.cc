// Rule horovod: what is reduced together follows from when gradients become ready, on all ranks, between two
// cycles. Worked out by hand on small_ddp(): gradients ready at 50, 70 and 90 us, a ring of b bytes on two
// ranks takes 2 (1 us + b / 2 ns), the first cycle begins at 0.
#include <algorithm>
#include <cmath>
#include <map>

#include "sim/base/random.h"
#include "sim/workload/fusion.h"
#include "tests/trace/checked_trace.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

DdpJobSpec horovod(Duration cycle, Bytes fusion = mebibytes(128)) {
  DdpJobSpec ddp = small_ddp();
  ddp.buckets.rule = BucketRule::kHorovod;
  ddp.buckets.cap.reset();
  ddp.buckets.cycle = cycle;
  ddp.buckets.fusion = fusion;
  return ddp;
}

std::vector<int64_t> sizes_of(const DdpResult& d) {
  std::vector<int64_t> sizes;
  for (const BucketResult& b : d.buckets) sizes.push_back(b.bytes.count);
  return sizes;
}

std::vector<int64_t> starts_us(const DdpResult& d) {
  std::vector<int64_t> starts;
  for (const BucketResult& b : d.buckets) starts.push_back(b.start.ps / 1'000'000);
  return starts;
}

using Sizes = std::vector<int64_t>;

}  // namespace

TEST_CASE("what becomes ready between two cycles is one all-reduce") {
  struct Case {
    int64_t cycle_us, fusion;
    Sizes sizes, starts_us;
    int64_t step_us, waiting_us, cycles_used;
  };
  const std::vector<Case> cases = {
      {100, 1 << 20, {12000}, {100}, 114, 10, 1},          // all in one cycle: the sum
      {80, 1 << 20, {8000, 4000}, {80, 160}, 166, 70, 2},  // two in one, the third in the next
      {60, 1 << 20, {4000, 8000}, {60, 120}, 130, 30, 2},  // the first alone
      {45, 1 << 20, {12000}, {90}, 104, 0, 1},  // ready at 90 us: in the cycle that begins at 90 us
      {20, 1 << 20, {4000, 4000, 4000}, {60, 80, 100}, 106, 10, 3},
      {0, 1 << 20, {4000, 4000, 4000}, {50, 70, 90}, 96, 0, 3},  // each when it is ready
      {100, 8000, {8000, 4000}, {100, 110}, 116, 10, 1},         // a threshold that splits
      {100, 7999, {4000, 4000, 4000}, {100, 106, 112}, 118, 10, 1},
      {100, 3999, {4000, 4000, 4000}, {100, 106, 112}, 118, 10, 1},  // larger than the threshold: alone
      {100, 0, {4000, 4000, 4000}, {100, 106, 112}, 118, 10, 1},
  };
  const auto topology = small_cluster(2);
  for (const Case& c : cases) {
    INFO("cycle " << c.cycle_us << " us, threshold " << c.fusion << " B");
    const DdpResult d = run_ddp(*topology, horovod(microseconds(c.cycle_us), {c.fusion}));
    CHECK(sizes_of(d) == c.sizes);
    CHECK(starts_us(d) == c.starts_us);
    CHECK(d.last_step.ps == microseconds(c.step_us).ps);
    REQUIRE(d.fusion);
    CHECK(d.fusion->last_waiting.ps == microseconds(c.waiting_us).ps);
    CHECK((d.last_compute + d.last_exposed + d.fusion->last_waiting).ps == d.last_step.ps);
    CHECK(d.fusion->tensors == 3);
    CHECK(d.fusion->buffers == Approx(static_cast<double>(c.sizes.size())));
    CHECK(d.fusion->cycles_used == Approx(static_cast<double>(c.cycles_used)));
    CHECK(d.fusion->cycles.has_value() == (c.cycle_us > 0));
    if (c.cycle_us > 0) CHECK(*d.fusion->cycles == Approx(std::ceil(double(c.step_us) / double(c.cycle_us))));
  }
}

TEST_CASE("cycles go on from one step to the next") {
  DdpJobSpec ddp = horovod(microseconds(100));
  ddp.run.steps = 2;
  // The first step ends at 114 us. In the second gradients are ready at 164, 184 and 204 us.
  const DdpResult d = run_ddp(*small_cluster(2), ddp);
  CHECK(sizes_of(d) == Sizes{8000, 4000});
  CHECK(starts_us(d) == std::vector<int64_t>{200 - 114, 300 - 114});
  CHECK(d.last_step.ps == microseconds(306 - 114).ps);
  CHECK(d.fusion->buffers == Approx(1.5));
  CHECK(d.fusion->buffers_min == 1);
  CHECK(d.fusion->buffers_max == 2);
  CHECK(*d.fusion->cycles == Approx(2));  // 0, 100, 200 and 300 us
}

TEST_CASE("a straggler holds a tensor back on all ranks until it reports it") {
  for (const size_t ranks : {2, 3, 5}) {
    // At half speed gradients are ready at 100, 140 and 180 us.
    const DdpResult d = run_ddp(*small_cluster(ranks), horovod(microseconds(30)), {change("1", 0.5)});
    INFO(ranks << " ranks");
    CHECK(sizes_of(d) == Sizes{4000, 4000, 4000});
    CHECK(starts_us(d) == std::vector<int64_t>{120, 150, 180});
  }
}

TEST_CASE("a host that stands still keeps all from agreeing") {
  // Two tensors are ready on both ranks when one stands still from 75 to 85 us: the cycle of 80 us begins at
  // 85 us, the next ones at 125 us.
  RankChange pause = change("1", {});
  pause.stops = true;
  pause.begins = Time{} + microseconds(75);
  pause.ends = Time{} + microseconds(85);
  const DdpResult d = run_ddp(*small_cluster(2), horovod(microseconds(40)), {pause});
  CHECK(sizes_of(d) == Sizes{8000, 4000});
  CHECK(starts_us(d) == std::vector<int64_t>{85, 125});
  CHECK(d.last_step.ps == microseconds(131).ps);
}

TEST_CASE("agreeing takes its time in every cycle, which can make cycles longer") {
  struct Case {
    int64_t cycle_us, negotiation_us;
    std::vector<int64_t> starts_us;
  };
  const std::vector<Case> cases = {
      {80, 5, {85, 165}}, {80, 80, {160, 240}}, {20, 80, {160, 240}}, {0, 100, {200}}};
  for (const Case& c : cases) {
    DdpJobSpec ddp = horovod(microseconds(c.cycle_us));
    ddp.buckets.negotiation = microseconds(c.negotiation_us);
    INFO("cycle " << c.cycle_us << " us, negotiation " << c.negotiation_us << " us");
    CHECK(starts_us(run_ddp(*small_cluster(2), ddp)) == c.starts_us);
  }
}

TEST_CASE("the gradient norm is agreed upon in a cycle of its own") {
  DdpJobSpec ddp = horovod(microseconds(100));
  ddp.gradient_norm = true;
  const DdpResult d = run_ddp(*small_cluster(2), ddp);
  CHECK(sizes_of(d) == Sizes{12000});
  // 4 bytes in the cycle of 200 us, in two rounds.
  CHECK(d.last_step.ps == (microseconds(200) + 2 * (microseconds(1) + nanoseconds(4))).ps);
}

TEST_CASE("buffers of a cycle take the streams in turn") {
  DdpJobSpec ddp = horovod(microseconds(100), Bytes{4000});
  ddp.comm_streams = 2;
  const DdpResult d = run_ddp(*small_cluster(2), ddp);
  REQUIRE(d.buckets.size() == 3);
  CHECK(d.buckets[0].start.ps == microseconds(100).ps);
  CHECK(d.buckets[1].start.ps == microseconds(100).ps);
  CHECK(d.buckets[2].start.ps == std::min(d.buckets[0].end, d.buckets[1].end).ps);
}

TEST_CASE("two layers: the step ends at its closed form, to the picosecond") {
  const Bandwidth b = Bandwidth::gb_per_s(1);
  const auto topology = small_cluster(2);  // memory moves a byte in 1 ps
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Duration c1{random.between(1, 50'000'000)}, c2 = c1 + Duration{random.between(1, 50'000'000)};
    const Duration cycle{random.between(1, 80'000'000)};
    const int64_t e1 = random.between(1, 5000), e2 = random.between(1, 5000);
    const int64_t fusion = random.between(0, 4) * 10000;
    DdpJobSpec ddp = horovod(cycle, {fusion});
    ddp.buckets.gradient_as_bucket_view = false;
    ddp.model = {};
    ddp.model.tensors = {tensor_ready("second", c2, e2), tensor_ready("first", c1, e1)};
    ddp.model.forward = Duration{};
    ddp.model.backward = c2;

    const auto ring = [&](int64_t e) { return 2 * (microseconds(1) + b.time({4 * ((e + 1) / 2)})); };
    const auto begins = [&](Duration ready) {
      return Duration{(ready.ps + cycle.ps - 1) / cycle.ps * cycle.ps};
    };
    Duration step;
    const Duration copy{2 * 4 * (e1 + e2)};  // read and written
    if (begins(c1) == begins(c2) && 4 * (e1 + e2) <= fusion)
      step = begins(c2) + copy + ring(e1 + e2) + copy;
    else
      step = std::max(begins(c2), begins(c1) + ring(e1)) + ring(e2);
    INFO("seed " << seed << " c1 " << c1.ps << " c2 " << c2.ps << " cycle " << cycle.ps);
    CHECK(run_ddp(*topology, ddp).last_step.ps == step.ps);
  }
}

TEST_CASE("a ring sends 2 (N - 1) / N of the gradients, whatever is fused") {
  for (size_t n = 1; n <= 9; ++n)
    for (const int64_t cycle_us : {0, 30, 80, 1000})
      for (const int64_t fusion : {0, 8000, 1 << 20}) {
        JobSpec job = job_on("gpu[*]", horovod(microseconds(cycle_us), {fusion}));
        job.verify = true;
        const RunResult run = run_jobs(*small_cluster(n), {job});
        int64_t sent = 0;
        for (const LinkResult& l : run.links) sent += l.bytes.count;
        INFO(n << " ranks, cycle " << cycle_us << " us, threshold " << fusion);
        // Of all ranks, and each byte crosses two links.
        CHECK(sent == 2 * 2 * static_cast<int64_t>(n - 1) * 12000);
        REQUIRE(run.jobs[0].verified);
        CHECK(run.jobs[0].verified->largest_difference < 1e-14);
        CHECK(run.jobs[0].verified->values == 2 * static_cast<int64_t>(n) * 3000);
      }
}

TEST_CASE("tensors are fused in order, a dtype at a time, as long as they fit") {
  struct Case {
    std::vector<std::pair<DType, int64_t>> tensors;  // bytes
    int64_t threshold;
    std::vector<std::vector<TensorIndex>> buffers;
  };
  const DType f = DType::kFp32, h = DType::kFp16;
  const std::vector<Case> cases = {
      {{}, 100, {}},
      {{{f, 40}, {f, 60}}, 100, {{0, 1}}},
      {{{f, 40}, {f, 64}}, 100, {{0}, {1}}},
      {{{f, 400}, {f, 40}, {f, 60}}, 100, {{0}, {1, 2}}},
      {{{f, 40}, {f, 400}, {f, 40}}, 100, {{0}, {1}, {2}}},  // nothing of the same dtype is skipped
      {{{f, 40}, {h, 20}, {f, 40}, {h, 20}}, 100, {{0, 2}, {1, 3}}},
      {{{f, 40}, {h, 80}, {f, 40}, {h, 20}}, 100, {{0}, {1}, {2}, {3}}},  // what is skipped must fit too
      {{{f, 8}, {f, 8}, {f, 8}}, 0, {{0}, {1}, {2}}},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    INFO("case " << i);
    std::vector<TensorInfo> infos;
    for (const auto& [dtype, bytes] : cases[i].tensors) infos.push_back({bytes / bytes_of(dtype), dtype});
    std::vector<std::vector<TensorIndex>> buffers;
    for (const Bucket& b : fuse(infos, 0, static_cast<uint32_t>(infos.size()), {cases[i].threshold})) {
      int64_t bytes = 0;
      for (const TensorIndex t : b.tensors) bytes += infos[t].elements * bytes_of(infos[t].dtype);
      CHECK(b.bytes.count == bytes);
      buffers.push_back(b.tensors);
    }
    CHECK(buffers == cases[i].buffers);
  }
}

TEST_CASE("each shard of a model is agreed upon by the ranks that hold it") {
  // Ranks 0 and 2 hold one half, 1 and 3 the other. Rank 3 is slow: that does not hold up 0 and 2.
  DdpJobSpec ddp = horovod(microseconds(60));
  ddp.model_parallel.tensor = 2;
  const RunResult run = run_jobs(*small_cluster(4), {job_on("gpu[*]", ddp)}, {}, {change("3", 0.5)});
  const DdpResult d = ddp_result(run);
  CHECK(d.groups == 2);
  CHECK(starts_us(d) == std::vector<int64_t>{120, 180});  // of the slow group: ready at 100, 140, 180 us
  CHECK(d.fusion->buffers == Approx(2));                  // of the first group: 60 and 120 us
}

TEST_CASE("compute that communication slows is reported when it is done") {
  // The first gradient is reduced from 60 to 66 us, in which the rank computes at half speed: the next ones
  // are ready at 73 and, after its own all-reduce from 80 to 86 us, at 96 us.
  DdpJobSpec ddp = horovod(microseconds(20));
  ddp.compute.interference.compute_share = 0.5;
  const DdpResult d = run_ddp(*small_cluster(2), ddp);
  REQUIRE(d.buckets.size() == 3);
  CHECK(d.buckets[1].ready.ps == microseconds(73).ps);
  CHECK(d.buckets[2].ready.ps == microseconds(96).ps);
  CHECK(starts_us(d) == std::vector<int64_t>{60, 80, 100});
}

TEST_CASE("hooks on buckets are refused") {
  DdpJobSpec ddp = horovod(microseconds(20));
  ddp.comm_hook.kind = CommHook::kFp16;
  CHECK(holds(refusal_of(*small_cluster(2), {job_on("gpu[*]", ddp)}), "a comm_hook works on DDP's buckets"));
}

TEST_CASE("the timeline shows cycles, copies and fused buffers") {
  DdpJobSpec ddp = horovod(microseconds(80));
  ddp.buckets.gradient_as_bucket_view = false;
  ddp.buckets.negotiation = microseconds(2);
  ddp.gradient_norm = true;
  ddp.comm_streams = 2;
  ddp.run.steps = 2;
  Recorder recorder;
  run_jobs(*small_cluster(2), {job_on("gpu[*]", ddp)}, {}, {change("1", 0.9)}, {.recorder = &recorder});
  std::map<std::string, int> slices;
  for (const Recorder::Slice& s : recorder.slices())
    if (recorder.processes()[recorder.tracks()[s.track].process].name == "rank 0 gpu[0]")
      ++slices[recorder.text(s.name)];
  // Of the first step on two ranks: 80 us (two tensors) and 160 us (one); of the second step the same at
  // other instants.
  CHECK(slices["cycle"] >= 3);
  CHECK(slices["copy into fused buffer 0"] >= 1);
  CHECK(slices["copy into fused buffer 0"] == slices["copy out of fused buffer 0"]);
  CHECK(slices["all_reduce ring fused buffer 0"] == 2);
  CHECK(slices["all_reduce ring gradient norm"] == 2);
  CHECK(checked_trace(recorder).flows > 0);
}
