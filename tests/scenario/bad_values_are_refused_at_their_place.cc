// A mistake gives a line with its place, what was given and what is allowed.
#include <algorithm>

#include "tests/catch.h"
#include "tests/scenario/scratch.h"

using namespace brigade;

namespace {

struct Row {
  const char* from;
  const char* to;
  const char* error;
};

const Row kRows[] = {
    // Keys.
    {"network:", "netwrk:", R"(6:1: unknown key "netwrk"; did you mean "network"?)"},
    {"latency", "latnecy",
     R"(4:37: missing key "latency" in cluster.node_types.n.nvlink (of each direction); expected time (2.5 us))"},
    {"{kind: collective, ", "{",
     R"(8:3: missing key "kind" in jobs.a (what the job does); expected one of collective, ddp, training, parameter_server, zero, fsdp, replay, background)"},
    {"size: 1 KB", "size: 1 KB, size: 2 KB", R"(8:62: duplicate key "size"; the first is at line 8)"},
    {"  b: {", "  a: {", R"(9:3: duplicate key "a"; the first is at line 8)"},
    {"segment: 1 MiB",
     "segment: ", R"(6:11: key "segment" has no value; expected size (1 MiB), whole, or auto)"},
    {"{segment: 1 MiB}", "", R"(6:1: key "network" has no value; expected a map)"},
    {"  a: {", "  a.b: {", R"(8:3: name "a.b" in jobs; allowed: letters, digits, _ and -)"},
    {"brigade: 1", "seed: 1", R"(1:1: missing key "brigade": the format version, 1)"},
    {"brigade: 1", "brigade: 2", R"(1:10: unknown format version; allowed: 1)"},
    // Quantities.
    {"1 MiB", "1", R"(6:20: segment "1" needs a unit: B, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB)"},
    {"1 MiB", "0 B", R"(6:20: segment "0 B" is zero; allowed: 1 B or more)"},
    {"1 MiB", "-1 MiB", R"(6:20: segment "-1 MiB" is negative)"},
    {"1 MiB", "1e300 B", R"(6:20: segment "1e300 B" is beyond the limit of 2^60 bytes)"},
    {"1 MiB", ".nan", R"(6:20: segment ".nan" is not a number)"},
    {"1 MiB", ".inf", R"(6:20: segment ".inf" is not a number)"},
    {"1 MiB", "1 MX",
     R"(6:20: segment "1 MX" has an unknown unit "MX"; allowed: B, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB)"},
    {"1 GB/s", "0 GB/s", R"(4:71: bandwidth "0 GB/s" is zero; a bandwidth is above zero)"},
    {"latency: 1 us", "latency: 31 h days",
     R"(4:88: latency "31 h days" has an unknown unit "h days"; allowed: ps, ns, us, ms, s, min, h)"},
    {"1 TFLOP/s", "1 TFLOP",
     R"(3:29: fp32 "1 TFLOP" has an unknown unit "TFLOP"; allowed: FLOP/s, KFLOP/s, MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s)"},
    {"size: 1 KB", "size: 10 B, dtype: fp32",
     R"(8:56: size 10 B is not a whole number of fp32 elements of 4 B)"},
    // Numbers.
    {"gpus: 2", "gpus: -2", R"(4:26: gpus "-2" is out of range; allowed: 0 to 1048576)"},
    {"gpus: 2", "gpus: 2.5", R"(4:26: gpus "2.5" is not a whole number; allowed: 0 to 1048576)"},
    {"gpus: 2", "gpus: 99999999999999999999",
     R"(4:26: gpus "99999999999999999999" is out of range; allowed: 0 to 1048576)"},
    {"count: 1", "count: 0", R"(5:28: count "0" is out of range; allowed: 1 to 1048576)"},
    {"brigade: 1", "brigade: 1\nseed: -1",
     R"(2:7: seed "-1" is out of range; allowed: 0 to 9223372036854775807)"},
    // Choices.
    {"family: ring", "family: rng", R"(4:54: unknown family "rng"; did you mean "ring"?)"},
    {"type: n", "type: m", R"(5:18: unknown type "m"; allowed: n)"},
    {"gpu: g", "gpu: h", R"(4:34: unknown gpu "h"; allowed: g)"},
    {"kind: ddp", "kind: dpd", R"(9:13: unknown kind "dpd"; did you mean "ddp"?)"},
    {"resnet18", "resnet19", R"(9:57: unknown model "resnet19"; did you mean "resnet18"?)"},
    {"size: 1 KB", "size: 1 KB, algorithm: rng", R"(8:73: unknown algorithm "rng"; did you mean "ring"?)"},
    // Shapes.
    {"{segment: 1 MiB}", "[1 MiB]", R"(6:10: network is a list; expected a map)"},
    {"[{type: n, count: 1}]", "{type: n}", R"(5:10: nodes is a map; expected a list)"},
    {"[{type: n, count: 1}]", "[]", R"(5:10: nodes is an empty list)"},
    {"segment: 1 MiB", "segment: [1 MiB]",
     R"(6:20: segment is a list; expected size (1 MiB), whole, or auto)"},
    {"size: 1 KB", "sizes: []", R"(8:57: sizes is an empty list)"},
    {"size: 1 KB", "sizes: [1 KB, 2]",
     R"(8:64: sizes "2" needs a unit: B, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB)"},
    // What does not fit together.
    {"size: 1 KB", "dtype: uint8", R"(8:6: missing key "sizes": size (25 MB), or a list of them)"},
    {"{name: resnet18}", "{sequence: 4 tokens}",
     R"(9:50: the model is missing; allowed: one of name, layers, tensors)"},
    {"{name: resnet18}", "{name: resnet18, forward: 1 ms}",
     R"(9:76: the model's forward time needs tensors; layers have their own)"},
    {"{name: resnet18}", "{name: resnet18}, buckets: {rule: fixed}",
     R"(9:77: rule: fixed needs a cap: missing key "cap": size (25 MB), or one)"},
    {"{name: resnet18}", "{name: resnet18}, buckets: {cap: one}", R"(9:83: cap "one" needs rule: fixed)"},
    {"{name: resnet18}", "{name: resnet18}, buckets: {rule: horovod, cap: 25 MB}",
     R"(9:98: "cap" is DDP's; rule: horovod has fusion, cycle, negotiation)"},
    {"{name: resnet18}", "{name: resnet18}, buckets: {cycle: 5 ms}", R"(9:85: "cycle" needs rule: horovod)"},
    {"  nodes: [{type: n, count: 1}]\n", "",
     R"(3:3: the cluster has no devices: missing key "nodes" (with node_types), or "vertices")"},
    {"count: 1", "count: 1000000", R"()"},
    {"gpus: 2", "gpus: 1024", R"()"},
    {"jobs:\n", "changes: [{links: \"leaf[0]\"}]\njobs:\n",
     R"(7:11: the change changes nothing; allowed: bandwidth (25 %), or state: down)"},
    {"jobs:\n", "changes: [{bandwidth: 25 %}]\njobs:\n",
     R"(7:11: a change names what it is about; allowed: links, ranks or nodes)"},
    {"jobs:\n", "changes: [{links: \"leaf[0]\", state: down, at: 1 s, until: 1 s}]\njobs:\n",
     R"(7:59: ends at 1 s, and begins at 1 s; allowed: later)"},
    {"jobs:\n", "changes: [{ranks: 3}]\njobs:\n",
     R"(7:11: the change changes nothing; allowed: compute (50 %), start (2 ms), or pause (200 ms))"},
    {"jobs:\n", "changes: [{ranks: 3, pause: 1 s, until: 3 s}]\njobs:\n",
     R"(7:29: a pause stands alone, and lasts as long as it says; allowed: with at)"},
    {"jobs:\n", "changes: [{ranks: 3, start: 1 s, at: 3 s}]\njobs:\n",
     R"(7:29: a start has no time of its own; allowed: without at and until)"},
    {"jobs:\n", "changes: [{ranks: 3, compute: 0 %}]\njobs:\n",
     R"(7:31: compute "0 %" is out of range; allowed: above 0 % up to 100 %)"},
    {"jobs:\n", "changes: [{nodes: \"node[0]\"}]\njobs:\n",
     R"(7:11: missing key "state" in changes[0] (the node does not work); expected one of down)"},
    {"jobs:\n", "changes: [{nodes: \"node[0]\", ranks: 3, state: down}]\njobs:\n",
     R"(7:11: a change names what it is about; allowed: links, ranks or nodes)"},
    {"jobs:\n", "changes: [{ranks: 3, job: c, compute: 50 %}]\njobs:\n",
     R"(7:27: unknown job "c"; allowed: a, b)"},
    {"jobs:\n", "trace: {file: t.json, window: [2 s, 1 s]}\njobs:\n",
     R"(7:31: a window has a begin and a later end, such as [0 s, 5 ms])"},
    {"jobs:\n", "trace: {file: t.json, ranks: 7-3}\njobs:\n",
     R"(7:30: ranks "7-3" is not a list of ranks; allowed: 3, or 0-7, or 1,5-6)"},
};

}  // namespace

TEST_CASE("a bad value is refused at its place") {
  REQUIRE(errors_of(kGood).empty());
  for (const Row& row : kRows) {
    CAPTURE(row.from, row.to);
    const std::string text = good_with(row.from, row.to);
    REQUIRE(!text.empty());
    const std::vector<std::string> errors = errors_of(text);
    CAPTURE(errors);
    if (row.error[0] == '\0') {
      CHECK(errors.empty());
    } else {
      CHECK(std::find(errors.begin(), errors.end(), row.error) != errors.end());
      CHECK(errors.size() <= 2);  // a misspelt required key is unknown, and missing under its name
    }
  }
}

TEST_CASE("offload that DeepSpeed refuses is refused at its place") {
  const std::string file =
      "brigade: 1\n"
      "cluster: {vertices: [{name: g, kind: gpu}, {name: h, kind: host}], cables: [{between: [g, h], "
      "bandwidth: 1 GB/s, latency: 1 us}]}\n"
      "jobs:\n"
      "  z: {kind: zero, ranks: g, model: {name: gpt2},\n"
      "      ";
  REQUIRE(errors_of(file + "stage: 3, offload: {parameters: cpu}}\n").empty());
  REQUIRE(errors_of(file + "stage: 0, offload: {optimizer: device}}\n").empty());
  CHECK(errors_of(file + "stage: 2, offload: {parameters: cpu}}\n") ==
        std::vector<std::string>{
            "5:39: parameters are offloaded at stage 3 only, not at stage 2, where every device "
            "holds them all; allowed: stage: 3, or offload.optimizer alone"});
  CHECK(errors_of(file + "stage: 3, offload: {}}\n") ==
        std::vector<std::string>{
            "5:26: offload of nothing; allowed: optimizer, parameters (at stage 3), or both, each "
            "cpu or nvme"});
  CHECK(errors_of(file + "stage: 3, offload: {parameters: disk}}\n") ==
        std::vector<std::string>{R"(5:39: unknown parameters "disk"; allowed: device, cpu, nvme)"});
  CHECK(errors_of(file + "stage: 3, offload: {parameters: cpu, buffer_count: 3}}\n").size() == 1);
}

TEST_CASE("no jobs, and an empty list of them, are errors") {
  const std::string none = kGood.substr(0, kGood.find("jobs:"));
  CHECK(errors_of(none) ==
        std::vector<std::string>{
            R"(1:1: missing key "jobs" (what runs, all at once); expected a map of maps)"});
  CHECK(errors_of(none + "jobs: {}\n") == std::vector<std::string>{"7:7: jobs is empty"});
  CHECK(errors_of(none + "jobs: []\n") == std::vector<std::string>{"7:7: jobs is a list; expected a map"});
  CHECK(errors_of(none + "jobs:\n") ==
        std::vector<std::string>{R"(7:1: key "jobs" has no value; expected a map of maps)"});
}

TEST_CASE("a cluster that would fill the memory is refused") {
  const std::vector<std::string> errors =
      errors_of(kGood, {"cluster.node_types.n.gpus=1024", "cluster.nodes[0].count=1048576"});
  CHECK(errors ==
        std::vector<std::string>{"5:11: the cluster grows beyond the limit of 4194304 devices and switches"});
}
