// Offloaded parameters (ZeRO-Infinity) by hand, and against what must hold whatever the sizes.
#include "tests/workload/clusters_with_hosts.h"
#include "tests/workload/sharded_jobs.h"

using namespace brigade;

namespace {

ShardedJobSpec fetching(const std::vector<int64_t>& layers, Home parameters = Home::kHost) {
  ShardedJobSpec job = zero_job(3, layers);
  OffloadSpec offload;
  offload.parameters = parameters;
  offload.host_rate = Bandwidth::gb_per_s(4);
  offload.nvme_read = Bandwidth::gb_per_s(1);
  offload.nvme_write = Bandwidth::gb_per_s(2);
  offload.max_in_cpu = 0;
  job.offload = offload;
  return job;
}

ShardedResult run_on(const Topology& topology, const ShardedJobSpec& job) {
  return sharded_result(run_jobs(topology, {job_on("gpu[*]", job)}));
}

constexpr int64_t kMiB = 1 << 20;  // the least that NVMe takes, in bytes

}  // namespace

TEST_CASE("each module's share is copied before it is gathered, and goes back after the optimizer") {
  const auto topology = with_hosts(1, 1);
  ShardedJobSpec job = fetching({1000, 1000});
  // A copy takes 4 us and 1 us of latency. Nothing is kept: each use fetches, forward 10 us, backward 20 us.
  const ShardedResult each = run_on(*topology, job);
  CHECK(each.step.last_step == microseconds(5 + 10 + 5 + 10 + 5 + 20 + 5 + 20 + (8 + 1)));
  CHECK(each.fetches->copied.count == 4 * 4000);
  CHECK(each.fetches->under_way == microseconds(4 * 5));
  CHECK(each.fetches->exposed == microseconds(4 * 5));
  CHECK(each.offload == microseconds(9));
  // With prefetch only the first is waited for: the second comes beside the first, is kept for its backward,
  // and the first comes again beside the second.
  job.prefetch = 1;
  const ShardedResult ahead = run_on(*topology, job);
  CHECK(ahead.step.last_step == microseconds(5 + 10 + 10 + 20 + 20 + 9));
  CHECK(ahead.fetches->copied.count == 3 * 4000);
  CHECK(ahead.fetches->under_way == microseconds(3 * 5));
  CHECK(ahead.fetches->exposed == microseconds(5));
}

TEST_CASE("ranks share their host's cable, and gathers wait for the last of them") {
  // One module, a share of 1000 parameters on each of two ranks: 4 us on any cable, and 1 us from end to end.
  //            copies            gather                    compute
  //   rank 0   at 5              14: rank 1's, sent at 9   24
  //   rank 1   at 9, behind it   13: its own has left      23
  //   rank 1   28                37: rank 0's, sent at 32  57
  //   rank 0   32, behind it     36: its own has left      56
  // Gradients: rank 1 has rank 0's at 61, rank 0 has rank 1's at 62. Back to the host: rank 1 until 66, rank
  // 0 behind it until 70.
  const ShardedResult r =
      run_on(*with_host_apart(2, Bandwidth::gb_per_s(1), nanoseconds(500)), fetching({2000}));
  CHECK(r.step.last_step == microseconds(70));
  REQUIRE(r.calls.size() == 3);  // of rank 0, which ends last
  CHECK(r.calls[0].start == microseconds(5));
  CHECK(r.calls[0].end == microseconds(14));
  CHECK(r.calls[1].set_off == microseconds(24));
  CHECK(r.calls[1].start == microseconds(32));
  CHECK(r.calls[1].end == microseconds(36));
  CHECK(r.calls[2].end == microseconds(62));
  CHECK(r.fetches->under_way == microseconds(5 + 8));
}

TEST_CASE("NVMe reads one module ahead, into a buffer, and the copy follows the read") {
  const auto topology = with_hosts(1, 1);
  const int64_t elements = kMiB / 4;
  ShardedJobSpec job = fetching({elements, elements, elements}, Home::kNvme);
  job.prefetch = 1;
  const Duration read = nanoseconds(kMiB), copy = nanoseconds(kMiB) + microseconds(1);
  // Forward: a module's read begins with the compute of the one before, and its copy when compute has got
  // there. Forward of the last one sets off the read of the one before it (the last one is kept), its
  // backward the copy of that and the read of the first. So backward waits for one read, and then copies come
  // one after the other, each longer than compute. Then all goes up, and is written.
  const Duration store = nanoseconds(3 * kMiB) + microseconds(1) + nanoseconds(3 * kMiB / 2);
  const ShardedResult r = run_on(*topology, job);
  CHECK(r.step.last_step == 3 * (read + copy) + read + 2 * copy + microseconds(20) + store);
  CHECK(r.fetches->copied.count == 5 * kMiB);
  CHECK(r.fetches->read.count == 5 * kMiB);
  CHECK(r.nvme_memory.count == 3 * kMiB);
  CHECK(r.host_memory.count == 5 * 4 * 100'000'000LL);
  // Without prefetch every read and copy is waited for, of the last module twice.
  job.prefetch = 0;
  CHECK(run_on(*topology, job).step.last_step == 6 * (read + copy) + microseconds(3 * 30) + store);
}

TEST_CASE(
    "each rank's copies are its shares times their fetches, in every micro-batch, and no more crosses") {
  for (const int ranks : {1, 2, 3, 4}) {
    for (const int accumulate : {1, 3}) {
      INFO(ranks << " ranks, " << accumulate << " micro-batches");
      ShardedJobSpec job = fetching({1001, 17, 2500});
      job.work.accumulate = accumulate;
      const auto topology = with_host_apart(ranks, Bandwidth::gb_per_s(3), nanoseconds(10));
      const RunResult run = run_jobs(*topology, {job_on("gpu[*]", job)});
      int64_t share = 0;
      for (const int64_t elements : {1001, 17, 2500}) share += 4 * ((elements + ranks - 1) / ranks);
      const ShardedResult r = sharded_result(run);
      CHECK(r.fetches->copied.count == 2 * accumulate * share);
      int64_t down = 0, up = 0;
      for (const LinkResult& link : run.links) {
        const Link& l = topology->links()[link.link];
        if (topology->vertex_name(l.from) == "host[0]") down += link.bytes.count;
        if (topology->vertex_name(l.to) == "host[0]") up += link.bytes.count;
      }
      CHECK(down == ranks * 2 * accumulate * share);
      CHECK(up == ranks * share);
    }
  }
}

TEST_CASE(
    "ranks of one host take as many times as long as one, where its cable or its drives are the limit") {
  const auto time_of = [](int ranks, Home home, Bandwidth cable) {
    ShardedJobSpec job = fetching({kMiB / 4 * ranks, kMiB / 4 * ranks}, home);
    for (LayerSpec& layer : job.work.model.layers) layer.forward = layer.backward = Duration{};
    job.offload->nvme_read = job.offload->nvme_write = Bandwidth::per_second(megabytes(1));
    const ShardedResult r = run_on(*with_host_apart(ranks, cable, nanoseconds(1)), job);
    return in_us(r.step.last_step);
  };
  const double cable = time_of(1, Home::kHost, Bandwidth::per_second(megabytes(1)));
  const double drives = time_of(1, Home::kNvme, Bandwidth::gb_per_s(1000));
  for (const int ranks : {2, 4, 7}) {
    INFO(ranks << " ranks");
    CHECK(time_of(ranks, Home::kHost, Bandwidth::per_second(megabytes(1))) / cable ==
          Approx(ranks).epsilon(0.02));
    CHECK(time_of(ranks, Home::kNvme, Bandwidth::gb_per_s(1000)) / drives == Approx(ranks).epsilon(0.02));
  }
}

TEST_CASE("a host that is fast enough changes nothing but memory") {
  for (const int64_t prefetch : {0, 1000, 100'000}) {
    INFO("prefetch " << prefetch);
    ShardedJobSpec job = fetching({4000, 700, 9000, 123});
    job.prefetch = prefetch;
    job.persistence_threshold = 200;
    job.work.accumulate = 2;
    const auto topology = with_host_apart(4, Bandwidth::gb_per_s(1'000'000), picoseconds(1));
    const ShardedResult off = run_on(*topology, job);
    job.offload.reset();
    const ShardedResult on = run_on(*topology, job);
    CHECK(!on.fetches);
    const int64_t later = (off.step.last_step - on.step.last_step).ps;
    CHECK(later >= 0);
    CHECK(later < 1000);  // 17 copies and the way back, a few picoseconds each
    CHECK(off.sent_per_step == on.sent_per_step);
    CHECK(off.calls.size() == on.calls.size());
  }
}

TEST_CASE("the device holds no shares of parameters that its host has") {
  const auto topology = with_hosts(2, 1);
  ShardedJobSpec job = fetching({4000, 4000});
  job.work.optimizer = OptimizerKind::kAdamW;
  const auto held = [&](Home optimizer, Home parameters, bool master) {
    job.offload->optimizer = optimizer;
    job.offload->parameters = parameters;
    job.work.precision.has_master = master;
    return run_on(*topology, job);
  };
  // A share of 4000, fp32: 16 KB of parameters.
  const ShardedResult optimizer = held(Home::kHost, Home::kDevice, false);
  const ShardedResult both = held(Home::kHost, Home::kHost, false);
  CHECK(optimizer.memory_held.count - both.memory_held.count == 16'000);
  CHECK(optimizer.memory_peak.count - both.memory_peak.count == 16'000);
  CHECK(both.host_memory.count - optimizer.host_memory.count == 2 * 16'000);
  // With an optimizer on the device its copy stays there, and is the parameters' where there is no other.
  const ShardedResult master = held(Home::kDevice, Home::kHost, true);
  const ShardedResult none = held(Home::kDevice, Home::kHost, false);
  CHECK(master.model_states == none.model_states);
}

TEST_CASE("an optimizer on the host leaves the parameters there") {
  const auto topology = with_hosts(1, 1);
  ShardedJobSpec job = fetching({4000, 4000});
  job.work.optimizer = OptimizerKind::kAdamW;
  job.offload->optimizer = Home::kHost;
  // Gradients of 32 KB go up, 224 KB are moved at 4 GB/s, nothing comes down.
  CHECK(run_on(*topology, job).offload == microseconds(33 + 56));
  // On the drives: states of 64 KB; parameters of 1 MiB each are read, as they have no master copy, and
  // written.
  job = fetching({kMiB / 4}, Home::kNvme);
  job.work.optimizer = OptimizerKind::kAdamW;
  job.offload->optimizer = Home::kNvme;
  const Duration update = nanoseconds(kMiB) + microseconds(1) +  // up
                          nanoseconds(3 * kMiB) +                // states and parameters read
                          nanoseconds(28 * kMiB / 4 / 4) +       // updated
                          nanoseconds(3 * kMiB / 2);             // written
  CHECK(run_on(*topology, job).offload == update);
}

TEST_CASE("what is small, or comes first within max_in_cpu, stays in the host's memory") {
  struct Case {
    int64_t max_in_cpu, sub_group_size;
    std::vector<int64_t> layers;  // in MiB
    int64_t on_nvme;              // in MiB
  };
  const auto topology = with_hosts(1, 1);
  constexpr int64_t kMega = kMiB / 4;  // elements of a MiB
  for (const Case& c : std::vector<Case>{{0, 0, {1, 2, 3}, 6},
                                         {1 * kMega, 0, {1, 2, 3}, 5},
                                         {3 * kMega, 0, {1, 2, 3}, 3},
                                         {6 * kMega - 1, 0, {1, 2, 3}, 3},
                                         {6 * kMega, 0, {1, 2, 3}, 0},
                                         {5 * kMega, 100 * kMega, {1, 2, 3}, 6},
                                         {5 * kMega, 2 * kMega, {1, 2, 3}, 3},
                                         {2 * kMega, 2 * kMega, {1, 2, 3}, 6}}) {
    INFO("max_in_cpu " << c.max_in_cpu << ", sub_group_size " << c.sub_group_size);
    std::vector<int64_t> layers;
    for (const int64_t size : c.layers) layers.push_back(size * kMega);
    ShardedJobSpec job = fetching(layers, Home::kNvme);
    job.offload->max_in_cpu = c.max_in_cpu;
    job.offload->sub_group_size = c.sub_group_size;
    CHECK(run_on(*topology, job).nvme_memory.count == c.on_nvme * kMiB);
  }
  CHECK(run_on(*topology, fetching({kMega - 1, 2 * kMega}, Home::kNvme)).nvme_memory.count == 2 * kMiB);
  ShardedJobSpec job = fetching({kMega, 2 * kMega}, Home::kNvme);
  job.persistence_threshold = kMega;
  CHECK(run_on(*topology, job).nvme_memory.count == 2 * kMiB);
}

TEST_CASE("buffers that are too small or too few are refused, with what is needed") {
  const auto topology = with_hosts(1, 1);
  ShardedJobSpec job = fetching({kMiB, kMiB, kMiB, kMiB}, Home::kNvme);
  job.offload->buffer_size = kMiB;
  CHECK(holds(refusal_of(*topology, {job_on("gpu[*]", job)}), "allowed: more than 1048576 elements"));
  job.offload->buffer_size = kMiB + 1;
  job.offload->buffer_count = 2;
  run_on(*topology, job);
  job.offload->buffer_count = 1 << 20;
  job.offload->buffer_size = int64_t{1} << 50;
  CHECK(holds(refusal_of(*topology, {job_on("gpu[*]", job)}), "more than 2^60 bytes"));
  job.offload->buffer_size = kMiB + 1;
  job.offload->buffer_count = 2;
  // All four are kept, each in its buffer.
  job.max_reuse_distance = 1'000'000'000;
  CHECK(
      holds(refusal_of(*topology, {job_on("gpu[*]", job)}), "offload.buffer_count of 2 is too few: up to 4"));
  job.offload->buffer_count = 4;
  run_on(*topology, job);
}

TEST_CASE("data travels as before") {
  ShardedJobSpec job = fetching({1001, 17, 2500});
  job.prefetch = 1000;
  job.work.accumulate = 2;
  for (const Home optimizer : {Home::kDevice, Home::kHost}) {
    job.offload->optimizer = optimizer;
    job.work.optimizer = OptimizerKind::kAdamW;
    JobSpec verified = job_on("gpu[*]", job);
    verified.verify = true;
    const RunResult run = run_jobs(*with_hosts(4, 1), {verified});
    REQUIRE(run.jobs.front().verified);
    CHECK(run.jobs.front().verified->failure.empty());
  }
}
