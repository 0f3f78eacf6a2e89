// Hybrid sharding and resharding to fewer ranks: what crosses the links, to the byte, and how long a step of
// two units takes, by hand. A unit of M bytes in shard groups of s of n ranks, g = n / s replicas: gathers
// send (s-1)/s M each, the reduce-scatter as much, the all-reduce 2 (g-1)/g M / s, over all ranks' sums.
#include <algorithm>

#include "sim/workload/shard_units.h"
#include "tests/workload/sharded_jobs.h"

using namespace brigade;

namespace {

ShardedJobSpec hybrid(const std::vector<int64_t>& layers, int group) {
  ShardedJobSpec job = fsdp_job(layers);
  job.shard_group = ShardGroup::kRanks;
  job.shard_group_ranks = group;
  return job;
}

ShardedJobSpec resharded(const std::vector<int64_t>& layers, int ranks) {
  ShardedJobSpec job = fsdp_job(layers);
  job.reshard_after_forward = Reshard::kToFewer;
  job.reshard_ranks = ranks;
  return job;
}

int64_t up(int64_t elements, int64_t n) { return (elements + n - 1) / n * n; }

Bytes sent_among(const ShardedResult& r, const std::string& among) {
  Bytes sum{};
  for (const ShardedResult::Sent& s : r.sent)
    if (s.among == among) sum += s.bytes;
  return sum;
}

}  // namespace

TEST_CASE("hybrid sharding sends what its closed forms say, padded to the shard group") {
  const std::vector<int64_t> layers = {1000, 1, 131, 4097};
  for (const auto& [shard, replicas] :
       std::vector<std::pair<int, int>>{{2, 2}, {3, 4}, {4, 3}, {8, 8}, {1, 6}, {6, 1}, {7, 5}}) {
    const int n = shard * replicas;
    const auto topology = small_cluster(static_cast<size_t>(n));
    for (const int accumulate : {1, 2}) {
      INFO(replicas << " replicas of " << shard << ", " << accumulate << " micro-batches");
      ShardedJobSpec job = hybrid(layers, shard);
      job.work.accumulate = accumulate;
      JobSpec spec = job_on("gpu[*]", job);
      spec.verify = true;
      const RunResult run = run_jobs(*topology, {spec});
      CHECK(run.failure == "");
      REQUIRE(run.jobs.front().verified);
      int64_t whole = 0, of_shards = 0, least = 0, most = 0;  // elements
      for (const int64_t layer : layers) {
        const int64_t of_shard = up(layer, shard) / shard;
        whole += up(layer, shard);
        of_shards += of_shard;
        // A ring cuts it into chunks that differ by one, and a rank sends all but one of them, twice.
        least += 2 * (of_shard - (of_shard + replicas - 1) / replicas);
        most += 2 * (of_shard - of_shard / replicas);
      }
      const int64_t in_groups = 3 * 4 * int64_t{replicas} * (shard - 1) * whole;
      const int64_t over_replicas = 2 * 4 * int64_t{shard} * (replicas - 1) * of_shards;
      CHECK(sent_by_all(*topology, run) == accumulate * (in_groups + over_replicas));
      int senders = 0;
      for (const LinkResult& link : run.links) {
        if (!topology->is_endpoint(topology->links()[link.link].from)) continue;
        const int64_t over = link.bytes.count / accumulate - 3 * 4 * int64_t{shard - 1} * whole / shard;
        CHECK(over >= 4 * least);
        CHECK(over <= 4 * most);
        ++senders;
      }
      CHECK(senders == n);
      const ShardedResult r = sharded_result(run);
      CHECK(r.shard_group == Rank(shard));
      CHECK(sent_among(r, "shard_group").count == accumulate * 3 * 4 * int64_t{shard - 1} * whole / shard);
      CHECK(sent_among(r, "shard_group") + sent_among(r, "replicas") == r.sent_per_step);
      CHECK(r.volume_psi.has_value() == (replicas == 1));
    }
  }
}

TEST_CASE("every rank sends the same where all shards divide evenly") {
  // 1440 divides by 3 x 4 x 8 x 5: each rank 4 bytes x (3 x 2/3 x 1440 + 2 x 3/4 x 480).
  const auto topology = small_cluster(12);
  const RunResult run = run_jobs(*topology, {job_on("gpu[*]", hybrid({1440}, 3))});
  int senders = 0;
  for (const LinkResult& link : run.links)
    if (topology->is_endpoint(topology->links()[link.link].from)) {
      CHECK(link.bytes.count == 4 * (3 * 960 + 720));
      ++senders;
    }
  CHECK(senders == 12);
  CHECK(sent_among(sharded_result(run), "shard_group").count == 4 * 3 * 960);
  CHECK(sent_among(sharded_result(run), "replicas").count == 4 * 720);
}

TEST_CASE("one replica is FSDP, to the picosecond") {
  for (const int n : {1, 2, 5, 8})
    for (const int communicators : {1, 2}) {
      const auto topology = small_cluster(static_cast<size_t>(n));
      ShardedJobSpec job = fsdp_job({999, 70, 4001}, microseconds(3), microseconds(4));
      job.communicators = communicators;
      job.work.accumulate = 2;
      job.work.gradient_norm = true;
      const RunResult plain = run_jobs(*topology, {job_on("gpu[*]", job)});
      job.shard_group = ShardGroup::kRanks;
      job.shard_group_ranks = n;
      const RunResult one = run_jobs(*topology, {job_on("gpu[*]", job)});
      CHECK(one.end == plain.end);
      const ShardedResult a = sharded_result(plain), b = sharded_result(one);
      REQUIRE(a.calls.size() == b.calls.size());
      for (size_t i = 0; i < a.calls.size(); ++i) {
        CHECK(a.calls[i].label == b.calls[i].label);
        CHECK(a.calls[i].set_off == b.calls[i].set_off);
        CHECK(a.calls[i].end == b.calls[i].end);
      }
      CHECK(a.memory_peak == b.memory_peak);
      CHECK(a.sent_per_step == b.sent_per_step);
    }
}

TEST_CASE("shard groups of one rank send what DDP does") {
  const auto topology = small_cluster(6);
  const RunResult hsdp = run_jobs(*topology, {job_on("gpu[*]", hybrid({600, 1200}, 1))});
  const RunResult ddp = run_jobs(*topology, {job_on("gpu[*]", zero_job(0, {600, 1200}))});
  CHECK(sent_by_all(*topology, hsdp) == sent_by_all(*topology, ddp));
  CHECK(sent_by_all(*topology, hsdp) == 2 * 5 * 4 * 1800);
}

TEST_CASE("two units on two replicas of two take what the closed form says") {
  // Alone, a gather or a reduce-scatter of 2000 elements in a group of two takes 4 us of wire and 1 us, the
  // all-reduce of a shard of 1000 elements twice 2 us of wire and 1 us. Let t be when the backward of the
  // second unit ends, b the backward of the first one:
  //   its reduce-scatter is over at t + 5, and its all-reduce is on the wire until t + 7 and from t + 8 to
  //   10; from t + b the first unit's reduce-scatter shares a rank's links with it.
  // b = 6: the all-reduce's last us of its first round takes two, to t + 8, and it goes on at t + 9, when the
  // reduce-scatter has 2 of its 4 us through; sharing, both end at t + 13.
  // b >= 10: they never meet. The first unit's all-reduce follows, alone.
  struct Case {
    int64_t b, all_reduced, reduced, end;  // us; since t
  };
  const auto topology = small_cluster(4);
  NetworkSpec fluid;
  fluid.model = NetworkModel::kFluid;
  for (const Case& c : {Case{6, 14, 14, 20}, Case{10, 11, 15, 21}, Case{50, 11, 55, 61}}) {
    INFO("backward of " << c.b << " us");
    ShardedJobSpec job = hybrid({2000, 2000}, 2);
    for (LayerSpec& layer : job.work.model.layers) layer.backward = microseconds(c.b);
    const ShardedResult r = sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)}, fluid));
    // The first unit's gather, forward, the second unit's gather again and its backward.
    const Duration t = microseconds(5 + 10 + 10 + 5 + c.b);
    REQUIRE(r.calls.size() == 8);
    CHECK(r.calls[4].label == "reduce layer1");
    CHECK(r.calls[4].end == t + microseconds(5));
    CHECK(r.calls[5].label == "reduce layer1 over replicas");
    CHECK(r.calls[5].ranks == 2);
    CHECK(r.calls[5].set_off == r.calls[4].end);
    CHECK(r.calls[5].end == t + microseconds(c.all_reduced));
    CHECK(r.calls[6].label == "reduce layer0");
    CHECK(r.calls[6].start == t + microseconds(c.b));
    CHECK(r.calls[6].end == t + microseconds(c.reduced));
    CHECK(r.calls[7].label == "reduce layer0 over replicas");
    CHECK(r.step.last_step == t + microseconds(c.end));
  }
}

TEST_CASE("the all-reduce delays neither the next reduce-scatter's start nor backward") {
  const auto topology = small_cluster(4);
  ShardedJobSpec job = hybrid({2000, 2000, 2000}, 2);
  const ShardedResult r = sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)}));
  const auto call = [&](const std::string& label) {
    return *std::find_if(r.calls.begin(), r.calls.end(), [&](const auto& c) { return c.label == label; });
  };
  for (const char* layer : {"layer2", "layer1", "layer0"}) {
    const std::string reduce = std::string("reduce ") + layer;
    CHECK(call(reduce + " over replicas").set_off == call(reduce).end);
    CHECK(call(reduce).start == call(reduce).set_off);
  }
}

TEST_CASE("resharded to K ranks, backward gathers (K-1)/K") {
  const std::vector<int64_t> layers = {1000, 1, 131, 4097};
  for (const auto& [n, k] : std::vector<std::pair<int, int>>{{4, 2}, {6, 3}, {12, 4}, {9, 3}, {64, 8}}) {
    INFO(n << " ranks, to " << k);
    const auto topology = small_cluster(static_cast<size_t>(n));
    JobSpec spec = job_on("gpu[*]", resharded(layers, k));
    spec.verify = true;
    const RunResult run = run_jobs(*topology, {spec});
    CHECK(run.failure == "");
    int64_t whole = 0;
    for (const int64_t layer : layers) whole += up(layer, n);
    const ShardedResult r = sharded_result(run);
    CHECK(sent_by_all(*topology, run) == 4 * (2 * int64_t{n - 1} * whole + int64_t{n} / k * (k - 1) * whole));
    CHECK(sent_among(r, "after_forward").count == 4 * (k - 1) * whole / k);
    CHECK(r.calls.size() == 12);
    CHECK(r.calls[4].ranks == Rank(k));  // the last unit's, first in backward
  }
}

TEST_CASE("between forward and backward a rank keeps 1/K") {
  const auto topology = small_cluster(4);
  const auto peak = [&](const ShardedJobSpec& job) {
    const ShardedResult r = sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)}));
    return r.memory_peak.count - r.memory_held.count;
  };
  // In backward of the seventh of eight units: itself and its gradients, the sixth on its way, the eighth's
  // gradients on theirs, and the parts of six.
  const std::vector<int64_t> layers(8, 1000);
  CHECK(peak(resharded(layers, 2)) == 4 * 4000 + 6 * 2000);
  ShardedJobSpec all = fsdp_job(layers);
  all.reshard_after_forward = Reshard::kAlways;
  CHECK(peak(all) == 4 * 4000);
  all.reshard_after_forward = Reshard::kNever;
  // Of the eighth: all, and its gradients; of the seventh, gradients twice, but the eighth is given back.
  CHECK(peak(all) == 8 * 4000 + 4000);
}

TEST_CASE("a rank that reshards copies its part at memory rate, and frees it once backward has copied out") {
  // A unit of 4000 bytes: three copies of it as ever, and one of a half, read and written at 1 byte a ps.
  const auto topology = small_cluster(4);
  ShardedJobSpec job = resharded({1000, 1000}, 2);
  const ShardedResult without = sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)}));
  job.work.buckets.gradient_as_bucket_view = false;
  const ShardedResult with = sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)}));
  CHECK(with.step.last_compute == without.step.last_compute + Duration{2 * (3 * 8000 + 4000)});
}

TEST_CASE(
    "reduced gradients are kept until the end of backward where they are not the gradients themselves") {
  const auto topology = small_cluster(4);
  const auto held_more = [&](ShardedJobSpec job) {
    const ShardedResult plain = sharded_result(run_jobs(*small_cluster(2), {job_on("gpu[*]", job)}));
    job.shard_group = ShardGroup::kRanks;
    job.shard_group_ranks = 2;
    const ShardedResult r = sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)}));
    CHECK(r.model_states == plain.model_states);
    // One communicator's buffers more.
    const int64_t buffers = 16 * ((4 << 20) + (512 << 10) + (4800 << 10));
    CHECK(r.memory_held.count == plain.memory_held.count + buffers);
    return r.memory_peak.count - plain.memory_peak.count - buffers;
  };
  // Backward of the first of three units, at the peak: shards of the third and the second, 500 x 4 bytes
  // each.
  ShardedJobSpec job = fsdp_job({1000, 1000, 1000});
  job.reshard_after_forward = Reshard::kAlways;
  CHECK(held_more(job) == 0);
  job.work.accumulate = 2;
  CHECK(held_more(job) == 2000);
}

TEST_CASE("over replicas the last micro-batch alone may be reduced") {
  const auto topology = small_cluster(6);
  ShardedJobSpec job = hybrid({600, 1200}, 3);
  job.work.accumulate = 4;
  job.replicas_last = true;
  const RunResult run = run_jobs(*topology, {job_on("gpu[*]", job)});
  const ShardedResult r = sharded_result(run);
  CHECK(sent_among(r, "shard_group").count == 4 * 3 * 4 * 1200);  // 4 times 3 x 2/3 x 1800 elements
  CHECK(sent_among(r, "replicas").count == 4 * 600);              // 2 x 1/2 x 1800 / 3
  CHECK(std::count_if(r.calls.begin(), r.calls.end(),
                      [](const auto& c) { return c.collective == Collective::kAllReduce; }) == 2);
  CHECK(r.calls.back().label == "reduce layer0 over replicas");
  // Their sum is kept in its own type where that is not the gradients'.
  job.reshard_after_forward = Reshard::kAlways;
  const auto beyond_held = [&] {
    const ShardedResult result = sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)}));
    return result.memory_peak.count - result.memory_held.count;
  };
  const int64_t same = beyond_held();
  job.work.precision.parameters = job.work.precision.gradients = DType::kBf16;
  job.work.precision.has_master = true;
  // Half the bytes of all that is gathered and reduced, and 2 bytes of a third of both units from the first
  // micro-batch on.
  CHECK(beyond_held() == same / 2 + 2 * 600);
}

TEST_CASE("the gradient norm is summed within shard groups") {
  const auto topology = small_cluster(6);
  ShardedJobSpec job = hybrid({600}, 3);
  job.work.gradient_norm = true;
  const ShardedResult r = sharded_result(run_jobs(*topology, {job_on("gpu[*]", job)}));
  CHECK(r.calls.back().label == "gradient norm");
  CHECK(r.calls.back().ranks == 3);
}

TEST_CASE("what cannot be cut is refused, with what can") {
  const auto twelve = small_cluster(12);
  CHECK(holds(refusal_of(*twelve, {job_on("gpu[*]", hybrid({8}, 5))}),
              "12 ranks are not shard groups of 5; allowed: 1, 2, 3, 4, 6, 12"));
  CHECK(holds(refusal_of(*twelve, {job_on("gpu[*]", resharded({8}, 12))}),
              "reshard_after_forward: 12 of a shard group of 12; allowed: auto, true, false, 2, 3, 4, 6"));
  ShardedJobSpec both = resharded({8}, 2);
  both.shard_group = ShardGroup::kRanks;
  both.shard_group_ranks = 3;
  CHECK(holds(refusal_of(*twelve, {job_on("gpu[*]", both)}),
              "reshard_after_forward: 2 of a shard group of 3; allowed: auto, true, false\n"));
  ShardedJobSpec node = fsdp_job({8});
  node.shard_group = ShardGroup::kNode;
  CHECK(holds(refusal_of(*twelve, {job_on("gpu[*]", node)}),
              "shard_group: node needs equal nodes, one after the other: gpu[0] belongs to no node"));
}
