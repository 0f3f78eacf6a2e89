// Two units in place of many must not change a picosecond or a byte: random scenarios, folded and not, give
// the same JSON but for the word that says so; and whatever makes ranks unlike keeps a run from being folded.
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "sim/base/random.h"
#include "tests/report/small_scenarios.h"

using namespace brigade;

namespace {

constexpr uint64_t kSeed = 20261129;

struct Outcome {
  std::string json;
  bool folded;
};

// Without white space, and without the one key that says that it was folded.
std::string bare(std::string json) {
  json = absl::StrReplaceAll(json, {{" ", ""}, {"\n", ""}});
  const size_t begin = json.find(",\"folded\"");
  return begin == std::string::npos ? json : json.erase(begin, json.find('}', begin) + 1 - begin);
}

Outcome outcome(const std::string& file, std::optional<uint32_t> fold_from) {
  Diagnostics errors;
  const auto session = Session::open({.file = file, .fold_from = fold_from}, errors);
  INFO(errors.text());
  REQUIRE(session != nullptr);
  const RunResult result = session->run();
  REQUIRE(result.failure == "");
  const Report report{.scenario = session->scenario(), .topology = session->topology(), .result = result};
  return {print_json(report), result.fold.used()};
}

// Runs it both ways; returns whether it was folded.
bool same_both_ways(const std::string& yaml) {
  const Scratch scratch;
  const std::string file = scratch.write("a.yaml", yaml);
  INFO(yaml);
  const Outcome all = outcome(file, std::nullopt), few = outcome(file, 3);
  REQUIRE(!all.folded);
  REQUIRE(bare(few.json) == bare(all.json));
  return few.folded;
}

// One draw a line: the order in which arguments are worked out is the compiler's.
class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {}

  std::string scenario() {
    units_ =
        random_.below(2) == 0 ? 1u << (2 + random_.below(4)) : 3 + static_cast<uint32_t>(random_.below(30));
    std::string yaml = absl::StrCat("brigade: 1\nseed: ", 1 + random_.below(9), "\ncluster:\n");
    yaml += random_.below(3) == 0 ? one_switch() : nodes();
    absl::StrAppend(&yaml, "network: {segment: ", 1 + random_.below(8), " KiB");
    yaml += random_.below(3) == 0 ? ", window: 2}\n" : "}\n";
    return yaml + "jobs:\n" + collective();
  }

 private:
  std::string cable() {
    const uint64_t gb_per_s = 1 + random_.below(60);
    return absl::StrCat("bandwidth: ", gb_per_s, " GB/s, latency: ", random_.below(5000), " ns");
  }

  std::string one_switch() {
    per_unit_ = 1;
    return absl::StrCat("  node_types: {n: {gpus: ", units_, ", nvlink: {family: switched, ", cable(),
                        "}}}\n  nodes: [{type: n}]\n");
  }

  std::string nodes() {
    per_unit_ = 1 + static_cast<uint32_t>(random_.below(4));
    std::string yaml = absl::StrCat("  node_types: {n: {gpus: ", per_unit_, ", nvlink: {family: ");
    yaml += random_.below(2) == 0 ? "switched, " : "full_mesh, ";
    yaml += cable() + absl::StrCat("}, nics: {count: ", per_unit_, ", host: {");
    yaml += cable() + "}, port: {";
    yaml += cable() + absl::StrCat("}}}}\n  nodes: [{type: n, count: ", units_, "}]\n  fabric: {family: ");
    return yaml + (random_.below(2) == 0 ? "rail_optimised}\n" : "switch}\n");
  }

  std::string collective() {
    const char* const algorithms[] = {"ring", "direct", "butterfly", "halving_doubling", "hierarchical"};
    const std::string algorithm = algorithms[random_.below(per_unit_ > 1 ? 5 : 4)];
    const uint64_t channels = 1 + random_.below(2);
    uint64_t size = uint64_t{units_} * per_unit_ * channels * (1 + random_.below(3000));
    if (random_.below(5) == 0) ++size;  // unequal chunks
    std::string job = absl::StrCat("  c: {kind: collective, ranks: \"node[*].gpu[*]\", size: ", size,
                                   " B, channels: ", channels, ", algorithm: {name: ", algorithm);
    if (algorithm == "hierarchical" && random_.below(2) == 0) job += ", inner: direct";
    if (algorithm == "hierarchical" && random_.below(2) == 0) job += ", outer: halving_doubling";
    job += "}";
    if (random_.below(4) == 0) job += ", rounds: lockstep";
    return job + "}\n";
  }

  Random random_;
  uint32_t units_ = 0, per_unit_ = 0;
};

}  // namespace

TEST_CASE("random scenarios of ranks alike take the same time folded and not") {
  INFO("seed " << kSeed);
  Writer writer(kSeed);
  int folded = 0;
  constexpr int kCases = 150;
  for (int i = 0; i < kCases; ++i) folded += same_both_ways(writer.scenario());
  CHECK(folded > kCases / 3);  // else nothing was tried
}

namespace {

const std::string kHead =
    "brigade: 1\ncluster:\n  node_types: {n: {gpus: 2, nvlink: {family: switched, bandwidth: 90 GB/s, "
    "latency: "
    "2 us}, nics: {count: 2, host: {bandwidth: 60 GB/s, latency: 0 s}, port: {bandwidth: 50 GB/s, latency: 3 "
    "us}}}}\n  nodes: [{type: n, count: 12}]\n  fabric: {family: switch}\n";
const std::string kRing =
    "jobs:\n  c: {kind: collective, ranks: \"node[*].gpu[*]\", algorithm: ring, size: 24 KB}\n";

}  // namespace

TEST_CASE("what is alike is folded") {
  CHECK(same_both_ways(kHead + kRing));
  CHECK(same_both_ways(kHead + kRing +
                       "  d: {kind: collective, ranks: \"node[*].gpu[1]\", algorithm: ring, "
                       "size: 12 KB, start: 3 us}\n"));
  CHECK(
      same_both_ways(kHead +
                     "jobs:\n  train: {kind: ddp, ranks: \"node[*].gpu[*]\", model: {tensors: [{name: a, "
                     "elements: 12000, repeat: 6}], forward: 1 ms, backward: 1 ms}, optimizer: {kind: none}, "
                     "buckets: {rule: fixed, cap: 96 KB, broadcast_buffers: false, gradient_as_bucket_view: "
                     "true}, all_reduce: {algorithm: hierarchical}, run: {steps: 3}}\n"));
}

TEST_CASE("sharded training is folded, and its warnings are said all the same") {
  const std::string head =
      kHead +
      "jobs:\n  train: {ranks: \"node[*].gpu[*]\", model: {layers: [{name: a, parameters: "
      "[{name: w, elements: 12001}], forward: 1 ms, backward: 1 ms, repeat: 4}]}, optimizer: "
      "{kind: none}, copies: false, run: {steps: 2}, ";
  for (const char* rest :
       {"kind: zero, stage: 1", "kind: zero, stage: 2, overlap: true, reduce_bucket: 20000 elements",
        "kind: zero, stage: 3, max_reuse_distance: 0 elements", "kind: fsdp", "kind: fsdp, communicators: 2",
        "kind: zero, preset: megatron, stage: 1"}) {
    INFO(rest);
    CHECK(same_both_ways(head + rest + "}\n"));
  }
  const Scratch scratch;
  const std::string small = absl::StrReplaceAll(
      head,
      {{"{gpus: 2,", "{gpus: 2, gpu: g,"}, {"cluster:\n", "cluster:\n  models: {g: {memory: 1 GB}}\n"}});
  const std::string file = scratch.write("a.yaml", small + "kind: fsdp}\n");
  for (const std::optional<uint32_t> fold_from : {std::optional<uint32_t>{}, std::optional<uint32_t>{3}}) {
    Diagnostics errors;
    const auto session = Session::open({.file = file, .fold_from = fold_from}, errors);
    REQUIRE(session != nullptr);
    REQUIRE(errors.list().size() == 1);
    CHECK(errors.list().front().message.find("does not fit: up to 1.5") != std::string::npos);
  }
}

TEST_CASE("the first asymmetry keeps a run from being folded, and the result right") {
  for (const char* change :
       {"changes: [{links: \"node[5].nic[1]\", bandwidth: 50 %}]\n", "changes: [{ranks: 7, start: 1 us}]\n",
        "changes: [{ranks: 3, compute: 90 %}]\n", "network: {overhead: 1 us}\n", "alone: true\n",
        "changes: [{links: \"node[5].nic[1]\", bandwidth: 50 %, at: 1 us}]\n",
        "changes: [{links: \"node[*].nic[*]\", bandwidth: 50 %, at: 1 us, until: 2 us}]\n"}) {
    INFO(change);
    CHECK(!same_both_ways(kHead + change + kRing));
  }
  const std::string unlike_jobs[] = {
      "size: 24001 B, algorithm: ring}",                                    // unequal chunks
      "size: 24 KB, algorithm: tree}",                                      // a root
      "size: 24 KB, collective: broadcast, algorithm: chain}",              // a root
      "size: 24 KB, algorithm: [ring, tree]}",                              // one of two
      "size: 24 KB, collective: all_reduce, algorithm: halving_doubling}",  // extra ranks
      "size: 24 KB, algorithm: ring}\n  d: {kind: collective, ranks: \"node[0-3].gpu[*]\", size: 8 KB}",
      "size: 24 KB, algorithm: ring, groups: {size: 2}}",
      "size: 24 KB, algorithm: ring, placement: {count: 6, rule: spread}}",
      "size: 24 KB, algorithm: ring}\n  d: {kind: background, ranks: \"node[*].gpu[*]\", rate: 1 GB/s}"};
  for (const std::string& job : unlike_jobs) {
    INFO(job);
    CHECK(!same_both_ways(kHead + "jobs:\n  c: {kind: collective, ranks: \"node[*].gpu[*]\", " + job + "\n"));
  }
}

TEST_CASE("ddp that draws, or whose links change with compute, is not folded; what all do alike may be") {
  const auto ddp = [](const std::string& more) {
    return kHead +
           "jobs:\n  train: {kind: ddp, ranks: \"node[*].gpu[*]\", model: {tensors: [{name: a, elements: "
           "12000, "
           "repeat: 6}], forward: 1 ms, backward: 1 ms}, optimizer: {kind: none}, buckets: {rule: fixed, "
           "cap: 96 "
           "KB, broadcast_buffers: false, gradient_as_bucket_view: true}, all_reduce: {algorithm: "
           "hierarchical}, " +
           more + "}\n";
  };
  CHECK(!same_both_ways(ddp("compute: {jitter: {mean: 5 %}}")));
  CHECK(!same_both_ways(ddp("interference: {communication: 50 %}")));
  CHECK(!same_both_ways(ddp("model_parallel: {tensor: 2}")));
  CHECK(same_both_ways(ddp("interference: {compute: 50 %}")));
  same_both_ways(ddp("comm_streams: 2"));
}

TEST_CASE("routes that a flow hash decides are not alike") {
  const std::string two_switches =
      "brigade: 1\ncluster:\n  node_types: {n: {gpus: 2, nvlink: {family: switched, switches: 2, bandwidth: "
      "90 "
      "GB/s, latency: 2 us}, nics: {count: 2, host: {bandwidth: 60 GB/s, latency: 0 s}, port: {bandwidth: 50 "
      "GB/s, latency: 3 us}}}}\n  nodes: [{type: n, count: 12}]\n  fabric: {family: switch}\n";
  CHECK(!same_both_ways(two_switches + kRing));
}
