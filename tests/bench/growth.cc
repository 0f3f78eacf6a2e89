// How cost grows with the number of ranks: messages/s, events/s and peak memory for N = 64 to 65,536, by
// algorithm, on routes of 2, 4 and 8 links, even and uneven; and the ratio to the plain engine. Prints the
// tables of tests/bench/README.md. CPU time, one process a row.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/bench/child.h"
#include "tests/engine/run_calls.h"
#include "tests/oracle/machines.h"
#include "tests/oracle/plain_engine.h"

namespace brigade::bench {
namespace {

constexpr double kSecondsMin = 0.2;          // a row is repeated until its loop has run so long
constexpr int64_t kMessagesMax = 2'000'000;  // a ring is cut short about here
constexpr Rank kNodesALeaf = 8, kLeavesAGroup = 4;
const Duration kLatency = nanoseconds(2500);

CableSpec cable(Bandwidth bandwidth) {
  CableSpec c;
  c.bandwidth = bandwidth;
  c.latency = kLatency;
  return c;
}

// `gpus` of 50 GB/s a node on a switch of their own. links 2: one node of all; 4: a NIC each, all on one
// switch; 8: NICs on leaves, spines and cores, as many as go down. Uneven: the second third of the nodes (or
// GPUs) is slower by 2 %, the third one by 5.4 %.
std::unique_ptr<const Topology> machine(Rank ranks, int links, int gpus, bool uneven) {
  NodeType node;
  node.name = "node";
  node.gpus = links == 2 ? static_cast<int>(ranks) : gpus;
  node.family = NodeFamily::kSwitched;
  node.nvlink = cable(Bandwidth::gb_per_s(50));
  const int count = static_cast<int>(ranks) / node.gpus;
  ClusterSpec spec;
  spec.name = "growth";
  if (links > 2) {
    node.nics = gpus;
    node.nic_host = node.nic_port = node.nvlink;
    spec.fabric.family = FabricFamily::kSwitch;
  }
  if (links == 8) {
    spec.fabric.family = FabricFamily::kLeafSpine;
    spec.fabric.nodes_per_leaf = std::max(1, static_cast<int>(kNodesALeaf) / gpus);
    spec.fabric.spines = kNodesALeaf;
    spec.fabric.group_size = kLeavesAGroup;
    spec.fabric.cores = kNodesALeaf * kLeavesAGroup;
    spec.fabric.uplink_latency = kLatency;
  }
  spec.types.push_back(node);
  spec.nodes.push_back({.type = "node", .count = count, .at = {}});
  std::vector<LinkChange> changes;
  if (uneven) {
    const auto third = [&](int i) {
      const int all = links == 2 ? node.gpus : count;
      const std::string range =
          "[" + std::to_string(all * i / 3) + "-" + std::to_string(all * (i + 1) / 3 - 1) + "]";
      return links == 2 ? "node[0].gpu" + range : "node" + range + ".gpu[*]";
    };
    changes.push_back({.links = third(1), .bandwidth_share = 0.98, .down = false, .at = {}});
    changes.push_back({.links = third(2), .bandwidth_share = 0.946, .down = false, .at = {}});
  }
  Diagnostics errors;
  auto topology = build_topology(spec, changes, errors);
  BRIGADE_CHECK(topology != nullptr, errors.text());
  return topology;
}

// In rank order; on eight links neighbours lie in different groups of leaves, so that all of a ring's
// messages cross all tiers.
std::vector<VertexId> devices_of(const Topology& topology, int links, int gpus) {
  const std::vector<VertexId> gpu = oracle::gpus_of(topology);
  const Rank group = kNodesALeaf * kLeavesAGroup, n = static_cast<Rank>(gpu.size());
  if (links != 8 || gpus != 1) return gpu;
  std::vector<VertexId> devices;
  for (Rank i = 0; i < n; ++i) devices.push_back(gpu[i % (n / group) * group + i / (n / group)]);
  return devices;
}

struct Case {
  const char* algorithm;
  Rank ranks;
  int links;
  bool uneven;
  int gpus_a_node() const { return std::strcmp(algorithm, "hierarchical") == 0 ? 8 : 1; }
};

oracle::PlainJob job_of(const Case& c, const Topology& topology) {
  PlanRequest request{.algorithm = find_algorithm(Collective::kAllReduce, c.algorithm), .ranks = c.ranks};
  const bool ring = std::strcmp(c.algorithm, "ring") == 0;
  request.elements = ring ? c.ranks * megabytes(1).count : int64_t{8} << 20;
  request.group = 8;
  request.outer = "halving_doubling";
  oracle::PlainJob job = brigade::job_of(devices_of(topology, c.links, c.gpus_a_node()), request);
  if (c.uneven)
    for (size_t r = 0; r < job.start.size(); ++r)
      job.start[r] = Time{} + nanoseconds(static_cast<int64_t>(r * 7919 % job.start.size()));
  return job;
}

struct Row {
  double cpu_s = 0;
  int64_t messages = 0, events = 0;
  double topology_s = 0;
  bool cut = false;
  double rss_mb = 0;  // filled in by the parent
};

// Runs the job, or of a long ring as many rounds as give about kMessagesMax messages.
void run_once(const Case& c, const Topology& topology, const oracle::PlainJob& job, Row& row) {
  FastEngine engine(topology, {}, {});
  const double begin = cpu_seconds();
  const CommId comm = engine.add_communicator(0, job.devices, c.algorithm);
  engine.add_collective(comm, {job.plans, false, ""});
  for (Rank r = 0; r < c.ranks; ++r) engine.timer(0, r, job.start[r], 0);
  const int64_t rounds = kMessagesMax / c.ranks;
  if (std::strcmp(c.algorithm, "ring") == 0 && rounds < 2 * int64_t{c.ranks}) {
    row.cut = true;
    const Duration round = c.links * kLatency + Bandwidth::gb_per_s(50).time(megabytes(1));
    engine.timer(0, 0, Time{} + rounds * round, 1);
  }
  while (const auto n = engine.next()) {
    if (n->what != Notice::What::kTimer) continue;
    if (n->token == 1) break;
    engine.launch(comm, n->rank);
  }
  row.cpu_s += cpu_seconds() - begin;
  row.messages += engine.counts().messages;
  row.events += engine.counts().events;
}

Row measure(const Case& c) {
  int ends[2];
  BRIGADE_CHECK(pipe(ends) == 0, "pipe failed");
  const Process process = in_child([&] {
    Row row;
    const double begin = cpu_seconds();
    const auto topology = machine(c.ranks, c.links, c.gpus_a_node(), c.uneven);
    row.topology_s = cpu_seconds() - begin;
    const oracle::PlainJob job = job_of(c, *topology);
    while (row.cpu_s < kSecondsMin) run_once(c, *topology, job, row);
    return write(ends[1], &row, sizeof row) == sizeof row ? 0 : 1;
  });
  Row row;
  BRIGADE_CHECK(process.exit_code == 0 && read(ends[0], &row, sizeof row) == sizeof row, "a row failed");
  close(ends[0]);
  close(ends[1]);
  row.rss_mb = process.rss_mb;
  return row;
}

void print_cells(const Row& row) {
  std::printf(" %.1f%s | %.1f | %.0f |", static_cast<double>(row.messages) / row.cpu_s / 1e6,
              row.cut ? " *" : "", static_cast<double>(row.events) / row.cpu_s / 1e6, row.rss_mb);
  std::fflush(stdout);
}

void print_growth() {
  for (int links : {2, 4, 8}) {
    std::printf(
        "\nRoutes of %d links: M messages/s, M events/s, peak MB; then the same with uneven links and "
        "starts\n\n",
        links);
    std::puts("| algorithm | ranks | messages/s | events/s | MB | uneven: messages/s | events/s | MB |");
    std::puts("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for (const char* algorithm : {"ring", "halving_doubling", "butterfly", "hierarchical", "direct"}) {
      const Rank most = std::strcmp(algorithm, "direct") == 0 ? 1024 : 65'536;
      if (links == 2 && std::strcmp(algorithm, "hierarchical") == 0) continue;  // one node: no levels
      for (Rank ranks = 64; ranks <= most; ranks *= 4) {
        std::printf("| %s | %u |", algorithm, ranks);
        for (bool uneven : {false, true}) print_cells(measure({algorithm, ranks, links, uneven}));
        std::puts("");
      }
    }
  }
}

// The same job on both engines, whose results must be equal.
void print_ratio(const Case& c) {
  const auto topology = machine(c.ranks, c.links, c.gpus_a_node(), c.uneven);
  const oracle::PlainJob job = job_of(c, *topology);
  Row row;
  while (row.cpu_s < kSecondsMin) run_once(c, *topology, job, row);
  double begin = cpu_seconds();
  const oracle::PlainResult plain = oracle::run_plain(*topology, {}, {job});
  const double plain_rate = static_cast<double>(plain.messages) / (cpu_seconds() - begin);
  FastEngine engine(*topology, {}, {});
  const Ends fast = run_fast(engine, {job});
  BRIGADE_CHECK(fast.end == plain.end, c.algorithm, " of ", c.ranks, " ranks: the engines disagree");
  const double rate = static_cast<double>(row.messages) / row.cpu_s;
  std::printf("| %s | %u | %d | %s | %.1f | %.2f | %.0f |\n", c.algorithm, c.ranks, c.links,
              c.uneven ? "uneven" : "even", rate / 1e6, plain_rate / 1e6, rate / plain_rate);
  std::fflush(stdout);
}

void print_ratios() {
  std::puts(
      "\nAgainst std::priority_queue and std::function (tests/oracle/plain_engine.h), every end equal:\n");
  std::puts("| algorithm | ranks | links | | M messages/s | plain | ratio |");
  std::puts("| --- | --- | --- | --- | --- | --- | --- |");
  for (const Case& c : {Case{"ring", 256, 2, false}, Case{"ring", 256, 2, true}, Case{"ring", 256, 8, false},
                        Case{"halving_doubling", 1024, 4, false}, Case{"hierarchical", 512, 8, true}})
    print_ratio(c);
}

}  // namespace
}  // namespace brigade::bench

int main() {
  brigade::bench::print_load();
  brigade::bench::print_growth();  // first: its processes would inherit the peak memory of this one
  std::puts("\n* cut short after about 2 M messages");
  brigade::bench::print_ratios();
  brigade::bench::print_load();
}
