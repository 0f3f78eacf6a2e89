#include "tests/property/random_scenario.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "sim/base/random.h"
#include "sim/collective/algorithm.h"

namespace brigade::property {
namespace {

// What is drawn for the pieces is drawn in their order (arguments of a function have none), so that a seed
// means the same scenario with every compiler.
std::string in_order(std::initializer_list<absl::AlphaNum> pieces) {
  std::string text;
  for (const absl::AlphaNum& piece : pieces) text.append(piece.data(), piece.size());
  return text;
}

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}
  int64_t between(int64_t low, int64_t high) { return random_.between(low, high); }
  bool one_in(uint64_t n) { return random_.below(n) == 0; }
  std::string among(std::vector<std::string> list) { return list[random_.below(list.size())]; }

 private:
  Random random_;
};

std::string cable(Draw& d) {
  return in_order({"bandwidth: ", d.among({"450 GB/s", "50 GB/s", "12.5 GB/s", "7.7 GB/s", "1 GB/s"}),
                   ", latency: ", d.between(0, 3000), " ns"});
}

// A number of GPUs in each of so many nodes.
struct Machine {
  int64_t nodes, gpus;
  bool hosts = false;
};

// For up to four nodes of up to four NICs each.
std::string other_fabric(Draw& d) {
  const std::string family =
      d.among({"rails of three tiers", "fat_tree", "torus", "hypercube", "ring", "full_mesh", "dragonfly"});
  if (family == "rails of three tiers") {
    return in_order(
        {"  fabric: {family: rail_optimised, nodes_per_leaf: 1, spines: 2, group_size: ", d.between(1, 2),
         ", cores: ", d.among({"2", "6"}), d.one_in(2) ? ", pxn: true" : "", "}\n"});
  }
  if (family == "fat_tree")
    return in_order({"  fabric: {family: fat_tree, ports: ", d.among({"4", "6", "8"}), "}\n"});
  const std::string rest = in_order({", link: {", cable(d), "}"});
  if (family == "torus") return in_order({"  fabric: {family: torus, sides: [2, 1, 3]", rest, "}\n"});
  if (family == "dragonfly") {
    return in_order({"  fabric: {family: dragonfly, routers: ", d.between(1, 2), ", global_links: 3", rest,
                     ", global_link: {", cable(d), "}}\n"});
  }
  // A hypercube has a power of two of points.
  const bool pairs = family == "hypercube";
  return in_order(
      {"  fabric: {family: ", family, ", nodes_per_leaf: ", pairs ? 4 : d.between(1, 2), rest, "}\n"});
}

std::string cluster(Draw& d, Machine& m) {
  m = {.nodes = d.between(1, 4), .gpus = d.between(1, 4)};
  if (m.nodes * m.gpus == 1) m.gpus = 2;
  const std::string family = m.gpus == 1 ? "switched" : d.among({"switched", "full_mesh", "ring"});
  std::string text = in_order({"cluster:\n  node_types:\n    n:\n      gpus: ", m.gpus,
                               "\n      nvlink: {family: ", family, ", ", cable(d), "}\n"});
  if (family == "ring") text += "      forward: true\n";
  if (m.nodes > 1)
    text += in_order({"      nics: {count: ", m.gpus, ", host: {", cable(d), "}, port: {", cable(d), "}}\n"});
  m.hosts = m.nodes > 1 && d.one_in(2);
  if (m.hosts) text += "      host: true\n";
  text += in_order({"  nodes: [{type: n, count: ", m.nodes, "}]\n"});
  if (m.nodes == 1) return text;
  if (d.one_in(3)) return text + other_fabric(d);
  const std::string fabric = d.among({"switch", "leaf_spine", "rail_optimised"});
  if (fabric == "switch") return in_order({text, "  fabric: {family: switch}\n"});
  return in_order({text, "  fabric: {family: ", fabric, ", nodes_per_leaf: ", m.nodes % 2 == 0 ? 2 : 1,
                   ", spines: ", d.between(1, 3), ", oversubscription: ", d.among({"1", "2"}), "}\n"});
}

std::string network(Draw& d) {
  std::string text =
      in_order({"network: {segment: ", d.among({"whole", "auto", "1000 B", "4 KiB", "1 MiB"})});
  if (d.one_in(3)) text += in_order({", window: ", d.between(1, 4)});
  if (d.one_in(4)) text += d.one_in(2) ? ", routing: spray" : ", routing: adaptive";
  if (d.one_in(4)) text += in_order({", overhead: ", d.between(1, 2000), " ns"});
  return text + "}\n";
}

std::string collective_job(Draw& d, const Machine& m) {
  const auto all = algorithms();
  const Algorithm* a = all[static_cast<size_t>(d.between(0, static_cast<int64_t>(all.size()) - 1))];
  const bool hierarchical = std::string(a->name) == "hierarchical";
  const int64_t ranks = m.nodes * m.gpus;
  std::string text = in_order({"collective: ", name_of(a->collective), ", dtype: fp32"});
  if (hierarchical)
    text += in_order(
        {", algorithm: {name: hierarchical, inner: ", d.among({"ring", "halving_doubling", "direct"}),
         ", outer: ", d.among({"ring", "tree", "butterfly", "halving_doubling", "direct", "naive"}), "}"});
  else
    text += in_order({", algorithm: ", a->name});
  if (a->collective != Collective::kBarrier)
    text += in_order({", sizes: [", 4 * d.between(0, 3000), " B, ", 4 * d.between(0, 3 * ranks), " B]"});
  if (a->collective == Collective::kBroadcast || a->collective == Collective::kReduce)
    text += in_order({", root: ", d.between(0, ranks - 1)});
  if (d.one_in(4)) text += ", rounds: lockstep";
  if (d.one_in(4)) text += in_order({", channels: ", d.between(2, 3)});
  const bool rooted = a->collective == Collective::kBroadcast || a->collective == Collective::kReduce;
  if (!hierarchical && !rooted && ranks % 2 == 0 && d.one_in(4))
    text += in_order({", groups: {size: 2, stride: ", ranks / 2, "}"});
  return in_order({text, ", run: {steps: ", d.between(1, 2), "}"});
}

std::string ddp_job(Draw& d) {
  std::string text = "model: {tensors: [";
  for (int64_t i = d.between(1, 5); i > 0; --i)
    text += in_order({"{name: t", i, ", elements: ", d.between(1, 2000), ", ready: ", 10 * (6 - i), " us}",
                      i > 1 ? ", " : ""});
  const std::string buckets =
      d.one_in(4) ? in_order({"rule: horovod, fusion: ", d.between(0, 16000), " B, cycle: ", d.between(0, 30),
                              " us, negotiation: ", d.between(0, 2), " us"})
                  : in_order({"rule: fixed, cap: ", d.between(1, 8000), " B"});
  return in_order({text, "], forward: 20 us, backward: 60 us}, optimizer: {kind: none}, buckets: {", buckets,
                   ", gradient_as_bucket_view: true}, all_reduce: {algorithm: ",
                   d.among({"ring", "tree", "butterfly", "halving_doubling", "direct", "double_binary_tree"}),
                   "}, run: {steps: 2}",
                   d.among({"", "", ", comm_streams: 2", ", interference: {compute: 60 %}"}),
                   d.among({"", "", ", compute: {jitter: {mean: 20 %}}"})});
}

std::string background_job(Draw& d) {
  return in_order({"pattern: ", d.among({"permutation", "all_to_all", "incast"}),
                   ", rate: ", d.between(1, 40), " GB/s, message: ", d.between(1, 9000),
                   " B, arrivals: ", d.among({"even", "poisson"}), ", window: ", d.between(1, 8),
                   ", duration: ", d.between(1, 60), " us"});
}

// In mid-run. A link that dies is back before all know: there may be no other way.
std::string timed_changes(Draw& d, const Machine& m, bool computes, bool deaths) {
  std::string text;
  const int64_t at = d.between(0, 60);
  if (d.one_in(3) && computes)
    text += in_order({"  - {ranks: ", d.between(0, m.nodes * m.gpus - 1), ", pause: ", d.between(1, 40),
                      " us, at: ", d.between(0, 80), " us}\n"});
  if (d.one_in(3))
    text += in_order({"  - {links: \"node[*].gpu[0]\", bandwidth: ", d.between(1, 99), " %, at: ", at,
                      " us, until: ", at + d.between(1, 60), " us}\n"});
  if (deaths)
    text += in_order({"  - {links: \"node[0].gpu[*]\", state: down, at: ", at + 1,
                      " us, until: ", at + d.between(2, 9), " us}\n"});
  return text;
}

std::string training_job(Draw& d) {
  return in_order(
      {"samples: 64 samples, steps: 3, comm_hook: ", d.among({"none", "fp16", "bf16", "topk", "powersgd"}),
       ", batch_norm: ", d.among({"none", "local", "synchronised"}),
       ", all_reduce: {algorithm: ", d.among({"ring", "tree", "butterfly", "naive"}), "}"});
}

std::string server_job(Draw& d) {
  std::string text = "model: {layers: [";
  for (int64_t i = d.between(1, 4); i > 0; --i)
    text += in_order({"{name: l", i, ", parameters: [{name: w, elements: ", d.between(1, 3000),
                      "}], forward: ", d.between(0, 20), " us, backward: ", d.between(0, 30), " us}",
                      i > 1 ? ", " : ""});
  text += in_order({"]}, servers: {on: \"node[", d.among({"0", "*"}), "].gpu[", d.among({"0", "*"}), "]\""});
  if (d.one_in(2)) text += in_order({", shards: ", d.between(1, 6)});
  if (d.one_in(3)) text += ", shard_by: tensors";
  if (d.one_in(2)) text += in_order({", update_rate: ", d.between(1, 100), " GB/s"});
  text += in_order({"}, mode: ", d.among({"synchronous", "asynchronous", "bounded"})});
  text += d.among({"", ", transfer: layers", ", transfer: layers, priorities: true"});
  return in_order({text, ", run: {steps: ", d.between(1, 3), "}"});
}

// A divisor of n from `least` on; 0 if there is none below n.
int64_t divisor(Draw& d, int64_t n, int64_t least) {
  std::vector<int64_t> all;
  for (int64_t i = least; i < n; ++i)
    if (n % i == 0) all.push_back(i);
  return all.empty() ? 0 : all[static_cast<size_t>(d.between(0, static_cast<int64_t>(all.size()) - 1))];
}

std::string groups(Draw& d, const Machine& m) {
  int64_t group = d.one_in(2) ? 0 : divisor(d, m.nodes * m.gpus, 1);
  std::string text;
  if (group > 0) {
    text = in_order({", shard_group: ", group});
  } else if (d.one_in(2)) {
    text = ", shard_group: node";
    group = m.gpus;
  } else {
    group = m.nodes * m.gpus;
  }
  text += d.among({"", ", reduce_over_replicas: last"});
  const int64_t fewer = d.one_in(3) ? divisor(d, group, 2) : 0;
  if (fewer > 0) return in_order({text, ", reshard_after_forward: ", fewer});
  return in_order({text, ", reshard_after_forward: ", d.among({"auto", "true", "false"})});
}

std::string sharded_job(Draw& d, const Machine& m, bool fsdp, bool hosts) {
  std::string text = "model: {layers: [";
  for (int64_t i = d.between(1, 5); i > 0; --i)
    text += in_order({"{name: l", i, ", parameters: [{name: w, elements: ", d.between(1, 3000),
                      "}], forward: ", d.between(0, 20), " us, backward: ", d.between(0, 30),
                      " us, activations: ", d.between(0, 2000), " B}", i > 1 ? ", " : ""});
  text +=
      in_order({"]}, batch: {accumulate: ", d.between(1, 3), "}, copies: false, optimizer: {kind: none}"});
  text += d.among({"", ", recompute: full", ", all_gather: {algorithm: direct}"});
  if (fsdp) {
    text += groups(d, m);
    text += in_order({", forward_prefetch: ", d.between(0, 3), ", backward_prefetch: ", d.between(0, 3)});
    text += in_order({", communicators: ", d.between(1, 2)});
  } else if (d.one_in(3)) {
    text += in_order({", preset: megatron, stage: ", d.between(0, 1), ", reduce_bucket: ", d.between(1, 4000),
                      " elements, overlap: ", d.among({"true", "false"})});
  } else {
    const int64_t stage = d.between(0, 3);
    text += in_order({", stage: ", stage, ", reduce_bucket: ", d.between(1, 4000), " elements"});
    text += in_order({", gather_bucket: ", d.between(1, 4000), " elements, prefetch: ", d.between(0, 4000)});
    text += in_order(
        {" elements, persistence_threshold: ", d.between(0, 1000), " elements, max_reuse_distance: "});
    text += in_order({d.between(0, 9000), " elements, overlap: ", d.among({"true", "false"})});
    const bool fetches = hosts && stage == 3 && d.one_in(2), updates = hosts && stage > 0 && d.one_in(2);
    constexpr std::string_view kNoOptimizer = ", optimizer: {kind: none}";
    if (updates) text.erase(text.find(kNoOptimizer), kNoOptimizer.size());
    if (updates) text += in_order({", offload: {host_rate: ", d.between(1, 9), " GB/s, optimizer: cpu"});
    if (fetches) text += updates ? ", parameters: cpu" : ", offload: {parameters: cpu";
    if (updates || fetches) text += "}";
  }
  return in_order({text, ", run: {steps: ", d.between(1, 3), "}"});
}

// The hand-made trace, where this runs at the root of the repository, as ctest does.
std::string replay_job(Draw& d) {
  const auto trace = std::filesystem::absolute("scenarios/traces/two_steps.json");
  return in_order({"trace: \"", trace.string(), "\", durations: ",
                   d.among({"simulated", "simulated", "simulated", "traced", "none", "never"}),
                   ", all_reduce: {algorithm: ", d.among({"ring", "tree", "butterfly", "naive"}), "}"});
}
bool has_trace() { return std::filesystem::exists("scenarios/traces/two_steps.json"); }

std::string job(Draw& d, const Machine& m, size_t number) {
  const int64_t kind = d.between(0, has_trace() ? 16 : 15);
  const char* name = kind < 7    ? "collective"
                     : kind < 9  ? "ddp"
                     : kind < 10 ? "training"
                     : kind < 12 ? "parameter_server"
                     : kind < 13 ? "fsdp"
                     : kind < 15 ? "zero"
                     : kind < 16 ? "background"
                                 : "replay";
  return in_order({"  job", number, ": {kind: ", name, ", ranks: \"node[*].gpu[*]\", ",
                   kind < 10 || (kind > 11 && kind < 15) ? "verify: true, " : "",
                   "start: ", d.one_in(2) ? 0 : d.between(0, 50), " us, ",
                   kind < 7    ? collective_job(d, m)
                   : kind < 9  ? ddp_job(d)
                   : kind < 10 ? training_job(d)
                   : kind < 12 ? server_job(d)
                   : kind < 15 ? sharded_job(d, m, kind == 12, m.hosts)
                   : kind < 16 ? background_job(d)
                               : replay_job(d),
                   "}\n"});
}

// Pieces of a job, and what is simpler.
constexpr std::pair<const char*, const char*> kPieces[] = {{", rounds: lockstep", ""},
                                                           {", channels: 2", ""},
                                                           {", channels: 3", ""},
                                                           {"steps: 2", "steps: 1"},
                                                           {"steps: 3", "steps: 1"},
                                                           {", batch_norm: local", ""},
                                                           {", batch_norm: synchronised", ""},
                                                           {", priorities: true", ""},
                                                           {", transfer: layers, run", ", run"},
                                                           {", shard_by: tensors", ""},
                                                           {", recompute: full", ""},
                                                           {", offload: {parameters: cpu}", ""},
                                                           {", shard_group: node", ""},
                                                           {", reduce_over_replicas: last", ""},
                                                           {", parameters: cpu}", "}"},
                                                           {", comm_streams: 2", ""},
                                                           {", interference: {compute: 60 %}", ""},
                                                           {", compute: {jitter: {mean: 20 %}}", ""}};

// With one piece less, or simpler.
std::vector<RandomScenario> simpler(const RandomScenario& scenario) {
  std::vector<RandomScenario> list;
  for (size_t i = 0; i < scenario.changes.size(); ++i) {
    list.push_back(scenario);
    list.back().changes.erase(list.back().changes.begin() + static_cast<ptrdiff_t>(i));
  }
  for (size_t i = 0; i < scenario.jobs.size() && scenario.jobs.size() > 1; ++i) {
    list.push_back(scenario);
    list.back().jobs.erase(list.back().jobs.begin() + static_cast<ptrdiff_t>(i));
  }
  if (!scenario.network.empty()) {
    list.push_back(scenario);
    list.back().network.clear();
  }
  for (size_t i = 0; i < scenario.jobs.size(); ++i) {
    for (const auto& [piece, plainer] : kPieces) {
      const size_t at = scenario.jobs[i].find(piece);
      if (at == std::string::npos) continue;
      list.push_back(scenario);
      list.back().jobs[i].replace(at, std::string(piece).size(), plainer);
    }
  }
  return list;
}

}  // namespace

std::string RandomScenario::yaml() const {
  return in_order({"brigade: 1\nseed: ", seed, "\n", cluster, network, "jobs:\n", absl::StrJoin(jobs, ""),
                   changes.empty() ? "" : "changes:\n", absl::StrJoin(changes, "")});
}

RandomScenario draw(uint64_t seed) {
  Draw d(seed);
  RandomScenario s;
  s.seed = seed;
  Machine m{};
  s.cluster = cluster(d, m);
  s.network = network(d);
  const bool adapts = s.network.find("adaptive") != std::string::npos;
  for (int64_t i = d.between(1, 3); i > 0; --i) {
    s.jobs.push_back(job(d, m, s.jobs.size()));
    // Adaptive routes refuse priorities.
    if (adapts) s.jobs.back() = absl::StrReplaceAll(s.jobs.back(), {{", priorities: true", ""}});
  }
  if (d.one_in(2))
    s.changes.push_back(in_order(
        {"  - {ranks: ", d.between(0, m.nodes * m.gpus - 1), ", start: ", d.between(1, 40), " us}\n"}));
  if (d.one_in(3)) s.changes.push_back("  - {links: \"node[0].gpu[0]\", bandwidth: 25 %}\n");
  if (!adapts && d.one_in(3)) {
    const bool deaths = d.one_in(2);
    const bool computes = std::any_of(s.jobs.begin(), s.jobs.end(), [](const std::string& job) {
      return job.find("kind: ddp") != std::string::npos;
    });
    const std::string timed = timed_changes(d, m, computes, deaths);
    if (!timed.empty()) s.changes.push_back(timed);
    if (deaths) s.network.insert(s.network.find('}'), ", detection: 10 us");
  }
  return s;
}

RandomScenario smallest(RandomScenario scenario, const std::function<bool(const RandomScenario&)>& fails) {
  for (;;) {
    const std::vector<RandomScenario> candidates = simpler(scenario);
    const auto next = std::find_if(candidates.begin(), candidates.end(), fails);
    if (next == candidates.end()) return scenario;
    scenario = *next;
  }
}

}  // namespace brigade::property
