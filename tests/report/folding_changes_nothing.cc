// Two units in place of many must not change a picosecond or a byte: random scenarios, folded and not, give
// the same JSON but for the words that say so; and whatever makes ranks unlike keeps what it touches from
// being folded, and nothing else.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "sim/base/random.h"
#include "sim/report/json.h"
#include "tests/effort.h"
#include "tests/report/small_scenarios.h"

using namespace brigade;

namespace {

constexpr uint64_t kSeed = 20261129;
constexpr int kCases = static_cast<int>(cases(150));
constexpr size_t kLinks = 1000;  // more than there are

// What was folded: nothing, everything, or some parts, of which these figures are told.
struct Folded {
  bool all = false;
  std::vector<std::string> parts;  // "c d: 8", "c: 12, 1 of 2 rows"
  bool operator==(const Folded&) const = default;
};
const Folded kNothing;

struct Outcome {
  nlohmann::ordered_json json;  // without the keys that say what was folded
  Folded folded;
};

Folded folded_of(const RunResult& result) {
  Folded folded{.all = result.fold.used(), .parts = {}};
  for (const FoldedPart& part : result.folded_parts) {
    std::vector<std::string> names;
    for (const size_t job : part.jobs) names.push_back(result.jobs[job].name);
    folded.parts.push_back(absl::StrCat(absl::StrJoin(names, " "), ": ", part.fold.units));
    if (part.rows > 0)
      absl::StrAppend(&folded.parts.back(), ", ", part.rows_folded, " of ", part.rows, " rows");
  }
  return folded;
}

Outcome outcome(const std::string& file, std::optional<uint32_t> fold_from) {
  Diagnostics errors;
  const auto session = Session::open({.file = file, .fold_from = fold_from}, errors);
  INFO(errors.text());
  REQUIRE(session != nullptr);
  const RunResult result = session->run();
  REQUIRE(result.failure == "");
  const Report report{
      .scenario = session->scenario(), .topology = session->topology(), .result = result, .links = kLinks};
  nlohmann::ordered_json json = json_of(report);
  json["simulation"].erase("folded");
  json["simulation"].erase("folded_parts");
  // Beside changes of a time queues are kept, which takes other events; what is folded has none.
  const auto timed = [](const LinkChange& change) { return change.timed(); };
  const auto& changes = session->scenario().link_changes;
  if (std::any_of(changes.begin(), changes.end(), timed)) json["simulation"].erase("events");
  return {std::move(json), folded_of(result)};
}

// Runs it both ways; returns what was folded.
Folded same_both_ways(const std::string& yaml) {
  const Scratch scratch;
  const std::string file = scratch.write("a.yaml", yaml);
  INFO(yaml);
  const Outcome all = outcome(file, std::nullopt), few = outcome(file, 3);
  REQUIRE(all.folded == kNothing);
  REQUIRE(few.json == all.json);
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
  for (int i = 0; i < kCases; ++i) folded += same_both_ways(writer.scenario()).all;
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
  CHECK(same_both_ways(kHead + kRing).all);
  CHECK(same_both_ways(kHead + kRing +
                       "  d: {kind: collective, ranks: \"node[*].gpu[1]\", algorithm: ring, "
                       "size: 12 KB, start: 3 us}\n")
            .all);
  CHECK(same_both_ways(
            kHead + "jobs:\n  train: {kind: ddp, ranks: \"node[*].gpu[*]\", model: {tensors: [{name: a, "
                    "elements: 12000, repeat: 6}], forward: 1 ms, backward: 1 ms}, optimizer: {kind: none}, "
                    "buckets: {rule: fixed, cap: 96 KB, broadcast_buffers: false, gradient_as_bucket_view: "
                    "true}, all_reduce: {algorithm: hierarchical}, run: {steps: 3}}\n")
            .all);
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
    CHECK(same_both_ways(head + rest + "}\n").all);
  }
  // Groups by node are, where their shards are cut evenly; others are not.
  const std::string even = absl::StrReplaceAll(
      head, {{"gpus: 2,", "gpus: 4,"}, {"nics: {count: 2", "nics: {count: 4"}, {"12001", "96000"}});
  for (const char* rest :
       {"shard_group: node", "shard_group: node, reshard_after_forward: 2, batch: {accumulate: 2}",
        "shard_group: node, communicators: 2"}) {
    INFO(rest);
    CHECK(same_both_ways(even + "kind: fsdp, " + rest + "}\n").all);
    CHECK(same_both_ways(absl::StrReplaceAll(even, {{"96000", "96001"}}) + "kind: fsdp, " + rest + "}\n") ==
          kNothing);
  }
  for (const char* rest : {"shard_group: 4", "shard_group: 8", "reshard_after_forward: 4"}) {
    INFO(rest);
    CHECK(same_both_ways(even + "kind: fsdp, " + rest + "}\n") == kNothing);
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
    CHECK(same_both_ways(kHead + change + kRing) == kNothing);
  }
  const std::string unlike_jobs[] = {
      "size: 24001 B, algorithm: ring}",                                    // unequal chunks
      "size: 24 KB, algorithm: tree}",                                      // a root
      "size: 24 KB, collective: broadcast, algorithm: chain}",              // a root
      "size: 24 KB, collective: all_reduce, algorithm: halving_doubling}",  // extra ranks
      "size: 24 KB, algorithm: ring}\n  d: {kind: collective, ranks: \"node[0-3].gpu[*]\", size: 8 KB}",
      "size: 24 KB, algorithm: ring, groups: {size: 2}}",
      "size: 24 KB, algorithm: ring}\n  d: {kind: background, ranks: \"node[*].gpu[*]\", rate: 1 GB/s}"};
  for (const std::string& job : unlike_jobs) {
    INFO(job);
    CHECK(same_both_ways(kHead + "jobs:\n  c: {kind: collective, ranks: \"node[*].gpu[*]\", " + job + "\n") ==
          kNothing);
  }
}

TEST_CASE(
    "ddp that draws or does not plan, or whose links change with compute, is not folded; what all do alike "
    "may be") {
  const std::string fixed = "rule: fixed, cap: 96 KB, broadcast_buffers: false";
  const auto ddp = [&](const std::string& more, const std::string& buckets) {
    return kHead +
           "jobs:\n  train: {kind: ddp, ranks: \"node[*].gpu[*]\", model: {tensors: [{name: a, elements: "
           "12000, repeat: 6}], forward: 1 ms, backward: 1 ms}, optimizer: {kind: none}, buckets: {" +
           buckets + ", gradient_as_bucket_view: true}, all_reduce: {algorithm: hierarchical}, " + more +
           "}\n";
  };
  CHECK(same_both_ways(ddp("compute: {jitter: {mean: 5 %}}", fixed)) == kNothing);
  CHECK(same_both_ways(ddp("interference: {communication: 50 %}", fixed)) == kNothing);
  CHECK(same_both_ways(ddp("model_parallel: {tensor: 2}", fixed)) == kNothing);
  CHECK(same_both_ways(ddp("interference: {compute: 50 %}", fixed)).all);
  same_both_ways(ddp("comm_streams: 2", fixed));
  CHECK(same_both_ways(ddp("comm_streams: 1", "rule: horovod")) == kNothing);
}

TEST_CASE("routes that a flow hash decides are not alike") {
  const std::string two_switches =
      "brigade: 1\ncluster:\n  node_types: {n: {gpus: 2, nvlink: {family: switched, switches: 2, bandwidth: "
      "90 "
      "GB/s, latency: 2 us}, nics: {count: 2, host: {bandwidth: 60 GB/s, latency: 0 s}, port: {bandwidth: 50 "
      "GB/s, latency: 3 us}}}}\n  nodes: [{type: n, count: 12}]\n  fabric: {family: switch}\n";
  CHECK(same_both_ways(two_switches + kRing) == kNothing);
}

namespace {

std::string on(const std::string& name, const std::string& nodes, const std::string& rest) {
  return absl::StrCat("  ", name, ": {kind: collective, ranks: \"node[", nodes, "].gpu[*]\", ", rest, "}\n");
}
const std::string kEven = "size: 240 KB, algorithm: ring";

}  // namespace

TEST_CASE("what an asymmetry does not touch is folded") {
  const auto jobs = [](const std::string& a, const std::string& b) { return "jobs:\n" + a + b; };
  const std::string two = jobs(on("c", "0-4", kEven), on("d", "5-10", kEven + ", start: 3 us"));
  using Parts = std::vector<std::string>;
  CHECK(same_both_ways(kHead + two).parts == Parts{"c: 5", "d: 6"});
  // A slow link, of the one job, of the other, of neither.
  const auto slow = [&](int node) {
    return same_both_ways(
               absl::StrCat(kHead, "changes: [{links: \"node[", node, "].nic[1]\", bandwidth: 50 %}]\n", two))
        .parts;
  };
  CHECK(slow(4) == Parts{"d: 6"});
  CHECK(slow(5) == Parts{"c: 5"});
  CHECK(slow(11) == Parts{"c: 5", "d: 6"});
  // Of a time; and what all may cross.
  const auto changed = [&](const std::string& change) {
    return same_both_ways(kHead + "changes: [" + change + "]\n" + two);
  };
  CHECK(changed("{links: \"node[0]\", bandwidth: 50 %, at: 1 us, until: 5 us}").parts == Parts{"d: 6"});
  CHECK(changed("{links: \"node[11]\", bandwidth: 50 %, at: 9 ms}").parts == Parts{"c: 5", "d: 6"});
  CHECK(changed("{links: \"switch[0]\", bandwidth: 50 %}") == kNothing);
  // Stragglers, by number and by device.
  CHECK(changed("{job: d, ranks: 3, start: 1 us}").parts == Parts{"c: 5"});
  CHECK(changed("{ranks: \"node[2]\", start: 1 us}").parts == Parts{"d: 6"});
  CHECK(changed("{ranks: 3, start: 1 us}") == kNothing);  // of every job
  // A job that shares nodes, directly or by way of another.
  CHECK(same_both_ways(kHead + two + on("e", "8-9", kEven)).parts == Parts{"c: 5"});
  CHECK(same_both_ways(kHead + two + on("e", "4-5", kEven)) == kNothing);
  CHECK(same_both_ways(kHead + two + on("e", "0-4", kEven + ", start: 30 us")).parts ==
        Parts{"c e: 5", "d: 6"});
  // Every second node, in a placement's order; not in another order of ranks.
  CHECK(same_both_ways(kHead + "jobs:\n" + on("c", "0,2,4,6", kEven)).parts == Parts{"c: 4"});
  CHECK(same_both_ways(kHead + "jobs:\n" + on("c", "*", kEven + ", placement: {count: 8}")).parts ==
        Parts{"c: 4"});
  CHECK(same_both_ways(kHead + "jobs:\n" + on("c", "*", kEven + ", placement: {count: 6, rule: spread}"))
            .parts == Parts{"c: 6"});
  // Background traffic that ends with the others, one that does not, and servers on somebody's node.
  const std::string background = "  b: {kind: background, ranks: \"node[11].gpu[*]\", rate: 1 GB/s";
  CHECK(same_both_ways(kHead + two + background + "}\n") == kNothing);
  CHECK(same_both_ways(kHead + two + background + ", duration: 2 ms}\n").parts == Parts{"c: 5", "d: 6"});
}

TEST_CASE("rows that are alike are folded beside rows that are not") {
  using Parts = std::vector<std::string>;
  const auto rows = [](const std::string& rest) {
    return same_both_ways(kHead + "jobs:\n" + on("c", "*", rest)).parts;
  };
  CHECK(rows("size: 24 KB, algorithm: [ring, tree]") == Parts{"c: 12, 1 of 2 rows"});
  // That the units of `direct` are not alike shows when it has run.
  CHECK(rows("size: 24 KB, algorithm: [ring, direct]") == Parts{"c: 12, 1 of 2 rows"});
  CHECK(rows("sizes: [24 KB, 24001 B, 48 KB], algorithm: [ring, tree], start: 2 us, run: {steps: 2, warmup: "
             "1}") == Parts{"c: 12, 2 of 6 rows"});
  CHECK(rows("size: 24 KB, collective: barrier").empty());
  CHECK(rows("size: 24001 B, algorithm: [ring, direct]").empty());
  // Beside another job on the same nodes rows overlap with its own.
  CHECK(same_both_ways(kHead + "jobs:\n" + on("c", "*", "size: 24 KB, algorithm: [ring, tree]") +
                       on("d", "*", kEven)) == kNothing);
}

TEST_CASE("random jobs and changes on some nodes take the same time folded and not") {
  Random random(kSeed);
  int parts = 0, rows = 0;
  for (int i = 0; i < kCases; ++i) {
    std::string yaml = kHead;
    if (random.below(2) == 0) {
      const uint64_t node = random.below(12), what = random.below(3);
      absl::StrAppend(&yaml, "changes: [{",
                      what == 0 ? absl::StrCat("ranks: \"node[", node, "]\", start: 2 us")
                                : absl::StrCat("links: \"node[", node, "].nic[1]\", bandwidth: 30 %"),
                      what == 2 ? ", at: 3 us, until: 8 us" : "", "}]\n");
    }
    yaml += "jobs:\n";
    uint64_t next = 0;
    for (int job = 0; next < 10; ++job) {
      const uint64_t last = next + 1 + random.below(10);
      const char* const algorithms[] = {
          "ring", "direct", "tree", "halving_doubling", "[ring, tree]", "[tree, direct, ring]"};
      const uint64_t ranks = 2 * (std::min<uint64_t>(last, 11) - next + 1);
      const uint64_t bytes = ranks * (1 + random.below(9000)) + (random.below(4) == 0 ? 1 : 0);
      std::string rest = absl::StrCat("size: ", bytes, " B, algorithm: ", algorithms[random.below(6)]);
      absl::StrAppend(&rest, ", start: ", random.below(3), " us");
      yaml += on(absl::StrCat("j", job), absl::StrCat(next, "-", std::min<uint64_t>(last, 11)), rest);
      next = last + (random.below(6) == 0 ? 0 : 1);  // sometimes a node is shared
    }
    const Folded folded = same_both_ways(yaml);
    for (const std::string& part : folded.parts) {
      ++parts;
      rows += part.ends_with("rows");
    }
  }
  CHECK(parts > kCases / 3);
  CHECK(rows > kCases / 15);
}
