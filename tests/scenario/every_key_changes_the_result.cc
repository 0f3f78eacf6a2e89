// Walks the schema: each documented key has a row here, and its row changes the scenario that is read. So no
// key is read and dropped, and none is undocumented (the reader refuses it).
#include <map>
#include <set>

#include "absl/strings/str_split.h"
#include "sim/scenario/schema.h"
#include "tests/catch.h"
#include "tests/scenario/dump.h"
#include "tests/scenario/scratch.h"

using namespace brigade;

namespace {

constexpr const char* kNodes =
    "brigade: 1\n"
    "cluster:\n"
    "  models: {g: {peak: {fp32: 1 TFLOP/s}}, h: {}}\n"
    "  node_types:\n"
    "    n:\n"
    "      gpus: 2\n"
    "      nvlink: {family: switched, bandwidth: 1 GB/s, latency: 1 us}\n"
    "      pcie: {switches: 1, bandwidth: 1 GB/s, latency: 1 us, socket_link: {bandwidth: 1 GB/s, latency: 1 "
    "us}}\n"
    "      nics: {count: 1, host: {bandwidth: 1 GB/s, latency: 1 us}, port: {bandwidth: 1 GB/s, latency: 1 "
    "us}}\n"
    "    m: {gpus: 1}\n"
    "  nodes: [{type: n}]\n"
    "  fabric: {family: switch, uplink: {bandwidth: 1 GB/s, latency: 1 us}}\n"
    "jobs:\n"
    "  c: {kind: collective, ranks: x, sizes: [1 KB], algorithm: {name: hierarchical}}\n"
    "  d: {kind: ddp, ranks: x, model: {name: gpt2}, all_reduce: {algorithm: hierarchical}}\n"
    "  l: {kind: ddp, ranks: x, model: {layers: [{name: a, parameters: [{name: w, elements: 1}]}]}}\n"
    "  t: {kind: ddp, ranks: x, model: {tensors: [{name: w, elements: 1}]}}\n"
    "  s: {kind: collective, ranks: x, size: 1 B, collective: send_recv,\n"
    "      sends: [{from: 1, to: 0}], receives: [{from: 1, to: 0}], other_sizes: [{ranks: 0, size: 2 B}]}\n"
    "  n: {kind: training, ranks: x, all_reduce: {algorithm: hierarchical}}\n"
    "  k: {kind: training, ranks: x, comm_hook: topk}\n"
    "  p: {kind: training, ranks: x, comm_hook: powersgd}\n"
    "  i: {kind: ddp, ranks: x, model: {name: gpt2}, interference: {compute: 90 %}}\n"
    "  b: {kind: background, ranks: x, rate: 1 GB/s, placement: {count: 2}}\n"
    "  v: {kind: parameter_server, ranks: x, model: {name: gpt2}, servers: {on: y}, mode: bounded,\n"
    "      transfer: layers}\n"
    "  z: {kind: zero, ranks: x, stage: 1, model: {layers: [{name: a, parameters: [{name: w, elements: "
    "1}]}]}}\n"
    "  f: {kind: fsdp, ranks: x, model: {name: gpt2}}\n"
    "  o: {kind: zero, ranks: x, stage: 1, model: {name: gpt2},\n"
    "      offload: {optimizer: nvme, host_rate: 1 GB/s, nvme_read: 1 GB/s, nvme_write: 1 GB/s}}\n"
    "  w: {kind: zero, ranks: x, stage: 3, model: {name: gpt2},\n"
    "      offload: {parameters: nvme, nvme_read: 1 GB/s, nvme_write: 1 GB/s}}\n"
    "  r: {kind: replay, ranks: x, trace: t.json, all_reduce: {algorithm: hierarchical}}\n"
    "changes: [{links: x, bandwidth: 25 %}, {ranks: 3, compute: 50 %}]\n"
    "trace: {file: t.json}\n";

constexpr const char* kWritten =
    "brigade: 1\n"
    "cluster:\n"
    "  models: {g: {}}\n"
    "  vertices: [{name: a, kind: gpu}, {name: b, kind: gpu}]\n"
    "  cables: [{between: [a, b], bandwidth: 1 GB/s, latency: 1 us}]\n"
    "  routes: [{from: a, to: b, via: [s]}]\n"
    "jobs: {c: {kind: collective, ranks: x, size: 1 B}}\n";

// Key of the schema -> override; where the key exists only beside others, what makes them so comes first, ";
// ".
using Rows = std::map<std::string, std::string>;

void add_cable(Rows& rows, const std::string& key, const std::string& path) {
  rows[key + ".bandwidth"] = path + ".bandwidth=2 GB/s";
  rows[key + ".latency"] = path + ".latency=2 us";
  rows[key + ".cables"] = path + ".cables=2";
  rows[key + ".cost"] = path + ".cost=3";
}

Rows rows() {
  Rows rows = {
      {"name", "name=other"},
      {"seed", "seed=2"},
      {"alone", "alone=true"},
      {"network.detection", "network.detection=1 ms"},
      {"jobs.NAME.placement.count", "jobs.b.placement.count=3"},
      {"jobs.NAME.placement.rule", "jobs.b.placement.rule=spread"},
      {"jobs.NAME.groups.size", "jobs.c.groups={size: 2}; jobs.c.groups.size=4"},
      {"jobs.NAME.groups.stride", "jobs.c.groups={size: 2}; jobs.c.groups.stride=2"},
      {"jobs.NAME.pattern", "jobs.b.pattern=incast"},
      {"jobs.NAME.rate", "jobs.b.rate=2 GB/s"},
      {"jobs.NAME.message", "jobs.b.message=1 KB"},
      {"jobs.NAME.arrivals", "jobs.b.arrivals=poisson"},
      {"jobs.NAME.window", "jobs.b.window=2"},
      {"jobs.NAME.duration", "jobs.b.duration=1 ms"},
      {"jobs.NAME.compute.jitter.kind",
       "jobs.d.compute.jitter={mean: 1 %}; jobs.d.compute.jitter.kind=uniform"},
      {"jobs.NAME.compute.jitter.mean",
       "jobs.d.compute.jitter={kind: pareto}; jobs.d.compute.jitter.mean=7 %"},
      {"jobs.NAME.interference.compute", "jobs.i.interference.compute=80 %"},
      {"jobs.NAME.interference.communication", "jobs.i.interference.communication=80 %"},
      {"jobs.NAME.interference.communication_sms",
       "jobs.d.interference={device_sms: 100}; jobs.d.interference.communication_sms=8"},
      {"jobs.NAME.interference.device_sms",
       "jobs.d.interference={communication_sms: 8}; jobs.d.interference.device_sms=100"},
      {"jobs.NAME.powersgd_start", "jobs.d.comm_hook=powersgd; jobs.d.powersgd_start=5"},
      {"jobs.NAME.local_sgd_every", "jobs.d.comm_hook=local_sgd; jobs.d.local_sgd_every=9"},
      {"jobs.NAME.model_parallel.tensor",
       "jobs.d.model_parallel={pipeline: 2}; jobs.d.model_parallel.tensor=2"},
      {"jobs.NAME.model_parallel.pipeline",
       "jobs.d.model_parallel={tensor: 2}; jobs.d.model_parallel.pipeline=2"},
      {"jobs.NAME.model_parallel.time", "jobs.d.model_parallel={tensor: 2}; jobs.d.model_parallel.time=1 ms"},
      {"jobs.NAME.comm_streams", "jobs.d.comm_streams=2"},
      {"changes[].at", "changes[0].at=1 s"},
      {"changes[].until", "changes[0].until=2 s"},
      {"changes[].pause", "changes[1]={ranks: 3, pause: 1 s}"},
      {"cluster.name", "cluster.name=other"},
      {"cluster.models.NAME.name", "cluster.models.g.name=other"},
      {"cluster.models.NAME.memory", "cluster.models.g.memory=1 GB"},
      {"cluster.models.NAME.memory_bandwidth", "cluster.models.g.memory_bandwidth=1 GB/s"},
      {"cluster.node_types.NAME.gpus", "cluster.node_types.n.gpus=3"},
      {"cluster.node_types.NAME.gpu", "cluster.node_types.n.gpu=g"},
      {"cluster.node_types.NAME.nvlink.family", "cluster.node_types.n.nvlink.family=ring"},
      {"cluster.node_types.NAME.nvlink.switches", "cluster.node_types.n.nvlink.switches=4"},
      {"cluster.node_types.NAME.pcie.switches", "cluster.node_types.n.pcie.switches=2"},
      {"cluster.node_types.NAME.pcie.sockets", "cluster.node_types.n.pcie.sockets=2"},
      {"cluster.node_types.NAME.nics.count", "cluster.node_types.n.nics.count=2"},
      {"cluster.node_types.NAME.nics.affinity", "cluster.node_types.n.nics.affinity=own"},
      {"cluster.node_types.NAME.host", "cluster.node_types.n.host=true"},
      {"cluster.node_types.NAME.host_model", "cluster.node_types.n.host_model=h"},
      {"cluster.node_types.NAME.forward", "cluster.node_types.n.forward=true"},
      {"cluster.nodes[].type", "cluster.nodes[0].type=m"},
      {"cluster.nodes[].count", "cluster.nodes[0].count=2"},
      {"cluster.fabric.family", "cluster.fabric.family=leaf_spine"},
      {"cluster.fabric.nodes_per_leaf", "cluster.fabric.nodes_per_leaf=2"},
      {"cluster.fabric.spines", "cluster.fabric.spines=2"},
      {"cluster.fabric.oversubscription", "cluster.fabric.oversubscription=1.5"},
      {"cluster.fabric.uplink_latency", "cluster.fabric.uplink_latency=1 us"},
      {"cluster.fabric.group_size", "cluster.fabric.family=leaf_spine; cluster.fabric.group_size=2"},
      {"cluster.fabric.cores", "cluster.fabric.family=leaf_spine; cluster.fabric.cores=2"},
      {"cluster.fabric.group_by_rail",
       "cluster.fabric.family=rail_optimised; cluster.fabric.group_by_rail=true"},
      {"cluster.fabric.core_oversubscription",
       "cluster.fabric.family=leaf_spine; cluster.fabric.core_oversubscription=2"},
      {"cluster.fabric.pxn", "cluster.fabric.family=rail_optimised; cluster.fabric.pxn=true"},
      {"cluster.fabric.sides", "cluster.fabric.family=torus; cluster.fabric.sides=2"},
      {"cluster.fabric.routers", "cluster.fabric={family: dragonfly, routers: 2}; cluster.fabric.routers=3"},
      {"cluster.fabric.global_links",
       "cluster.fabric={family: dragonfly, routers: 2}; cluster.fabric.global_links=3"},
      {"cluster.fabric.ports", "cluster.fabric.family=fat_tree; cluster.fabric.ports=4"},
      {"cluster.fabric.tiers", "cluster.fabric.family=fat_tree; cluster.fabric.tiers=2"},
      {"cluster.fabric.down", "cluster.fabric.family=fat_tree; cluster.fabric.down=2"},
      {"cluster.fabric.up", "cluster.fabric.family=fat_tree; cluster.fabric.up=2"},
      {"cluster.vertices[].name", "cluster.vertices[0].name=c"},
      {"cluster.vertices[].kind", "cluster.vertices[0].kind=nic"},
      {"cluster.vertices[].model", "cluster.vertices[0].model=g"},
      {"cluster.vertices[].forward", "cluster.vertices[0].forward=true"},
      {"cluster.cables[].between", "cluster.cables[0].between[0]=c"},
      {"cluster.routes[].from", "cluster.routes[0].from=c"},
      {"cluster.routes[].to", "cluster.routes[0].to=c"},
      {"cluster.routes[].via", "cluster.routes[0].via[0]=c"},
      {"network.model", "network={model: fluid}"},
      {"network.segment", "network.segment=whole"},
      {"network.routing", "network.routing=spray"},
      {"network.window", "network.window=8"},
      {"network.overhead", "network.overhead=1 us"},
      {"jobs.NAME.kind", "jobs.c={kind: ddp, ranks: x, model: {name: gpt2}}"},
      {"jobs.NAME.ranks", "jobs.c.ranks=y"},
      {"jobs.NAME.start", "jobs.c.start=1 s"},
      {"jobs.NAME.collective", "jobs.s={kind: collective, ranks: x, size: 1 B, collective: broadcast}"},
      {"jobs.NAME.algorithm", "jobs.c.algorithm=tree"},
      {"jobs.NAME.algorithm.name", "jobs.c.algorithm.name=tree"},
      {"jobs.NAME.algorithm.inner", "jobs.c.algorithm.inner=tree"},
      {"jobs.NAME.algorithm.outer", "jobs.c.algorithm.outer=tree"},
      {"jobs.NAME.rounds", "jobs.c.rounds=lockstep"},
      {"jobs.NAME.channels", "jobs.c.channels=2"},
      {"jobs.NAME.dtype", "jobs.c.dtype=fp32"},
      {"jobs.NAME.sizes", "jobs.c.sizes=[1 KB, 2 KB]"},
      {"jobs.NAME.size", "jobs.s.size=2 B"},
      {"jobs.NAME.root", "jobs.c.root=1"},
      {"jobs.NAME.sends[].from", "jobs.s.sends[0].from=1-3"},
      {"jobs.NAME.sends[].to", "jobs.s.sends[0].to=2"},
      {"jobs.NAME.receives[].from", "jobs.s.receives[0].from=2"},
      {"jobs.NAME.receives[].to", "jobs.s.receives[0].to=2"},
      {"jobs.NAME.run.steps", "jobs.d.run.steps=6"},
      {"jobs.NAME.run.warmup", "jobs.c.run.warmup=1"},
      {"jobs.NAME.model.name", "jobs.d.model.name=gpt2-xl"},
      {"jobs.NAME.model.sequence", "jobs.d.model.sequence=8 tokens"},
      {"jobs.NAME.model.image", "jobs.d.model.image=224"},
      {"jobs.NAME.model.layers[].name", "jobs.l.model.layers[0].name=b"},
      {"jobs.NAME.model.layers[].parameters[].name", "jobs.l.model.layers[0].parameters[0].name=b"},
      {"jobs.NAME.model.layers[].parameters[].elements", "jobs.l.model.layers[0].parameters[0].elements=2"},
      {"jobs.NAME.model.layers[].repeat", "jobs.l.model.layers[0].repeat=2"},
      {"jobs.NAME.model.layers[].forward", "jobs.l.model.layers[0].forward=1 us"},
      {"jobs.NAME.model.layers[].backward", "jobs.l.model.layers[0].backward=1 us"},
      {"jobs.NAME.model.layers[].forward_flops", "jobs.l.model.layers[0].forward_flops=1 GFLOP"},
      {"jobs.NAME.model.layers[].backward_flops", "jobs.l.model.layers[0].backward_flops=1 GFLOP"},
      {"jobs.NAME.model.layers[].forward_bytes", "jobs.l.model.layers[0].forward_bytes=1 GB"},
      {"jobs.NAME.model.layers[].backward_bytes", "jobs.l.model.layers[0].backward_bytes=1 GB"},
      {"jobs.NAME.model.tensors[].name", "jobs.t.model.tensors[0].name=b"},
      {"jobs.NAME.model.tensors[].elements", "jobs.t.model.tensors[0].elements=2"},
      {"jobs.NAME.model.tensors[].ready", "jobs.t.model.tensors[0].ready=1 ms"},
      {"jobs.NAME.model.tensors[].repeat", "jobs.t.model.tensors[0].repeat=3"},
      {"jobs.NAME.model.forward", "jobs.t.model.forward=1 ms"},
      {"jobs.NAME.model.backward", "jobs.t.model.backward=1 ms"},
      {"jobs.NAME.batch.micro", "jobs.d.batch.micro=8 samples"},
      {"jobs.NAME.batch.accumulate", "jobs.d.batch.accumulate=4"},
      {"jobs.NAME.precision.parameters", "jobs.d.precision.parameters=bf16"},
      {"jobs.NAME.precision.gradients", "jobs.d.precision.gradients=bf16"},
      {"jobs.NAME.precision.master", "jobs.d.precision.master=fp32"},
      {"jobs.NAME.precision.autocast", "jobs.d.precision.autocast=bf16"},
      {"jobs.NAME.compute.kernel_efficiency", "jobs.d.compute.kernel_efficiency=45 %"},
      {"jobs.NAME.compute.memory_efficiency", "jobs.d.compute.memory_efficiency=80 %"},
      {"jobs.NAME.compute.spread", "jobs.d.compute.spread=parameters"},
      {"jobs.NAME.compute.tokens", "jobs.d.compute.tokens=4096 tokens"},
      {"jobs.NAME.optimizer.kind", "jobs.d.optimizer.kind=sgd"},
      {"jobs.NAME.gradient_norm", "jobs.d.gradient_norm=true"},
      {"jobs.NAME.host_gap", "jobs.d.host_gap=1 us"},
      {"jobs.NAME.buckets.rule", "jobs.d.buckets={rule: fixed, cap: one}"},
      {"jobs.NAME.buckets.fusion", "jobs.d.buckets={rule: horovod}; jobs.d.buckets.fusion=64 MiB"},
      {"jobs.NAME.buckets.cycle", "jobs.d.buckets={rule: horovod}; jobs.d.buckets.cycle=5 ms"},
      {"jobs.NAME.buckets.negotiation", "jobs.d.buckets={rule: horovod}; jobs.d.buckets.negotiation=1 us"},
      {"jobs.NAME.buckets.version", "jobs.d.buckets.version=legacy"},
      {"jobs.NAME.buckets.cap", "jobs.d.buckets.cap=50MB"},
      {"jobs.NAME.buckets.order", "jobs.d.buckets.order=registration"},
      {"jobs.NAME.buckets.find_unused_parameters", "jobs.d.buckets.find_unused_parameters=true"},
      {"jobs.NAME.buckets.find_unused_cpu_time", "jobs.d.buckets.find_unused_cpu_time=1 ms"},
      {"jobs.NAME.buckets.static_graph", "jobs.d.buckets.static_graph=true"},
      {"jobs.NAME.buckets.broadcast_buffers", "jobs.d.buckets.broadcast_buffers=false"},
      {"jobs.NAME.buckets.gradient_as_bucket_view", "jobs.d.buckets.gradient_as_bucket_view=true"},
      {"jobs.NAME.trace", "jobs.r.trace=[t.json, u.json]"},
      {"jobs.NAME.durations", "jobs.r.durations=traced"},
      {"jobs.NAME.unnamed_groups", "jobs.r.unnamed_groups=strided"},
      {"jobs.NAME.all_reduce.algorithm", "jobs.d.all_reduce.algorithm=tree"},
      {"jobs.NAME.all_reduce.inner", "jobs.d.all_reduce.inner=tree"},
      {"jobs.NAME.all_reduce.outer", "jobs.d.all_reduce.outer=tree"},
      {"jobs.NAME.all_reduce.rounds", "jobs.d.all_reduce.rounds=lockstep"},
      {"jobs.NAME.all_reduce.channels", "jobs.d.all_reduce.channels=2"},
      {"jobs.NAME.callers", "jobs.c.callers=0-2"},
      {"jobs.NAME.other_sizes[].ranks", "jobs.s.other_sizes[0].ranks=1"},
      {"jobs.NAME.other_sizes[].size", "jobs.s.other_sizes[0].size=3 B"},
      {"jobs.NAME.verify", "jobs.c.verify=true"},
      {"jobs.NAME.samples", "jobs.n.samples=8 samples"},
      {"jobs.NAME.shards", "jobs.n.shards=[100 samples, 156 samples]"},
      {"jobs.NAME.features", "jobs.n.features=3"},
      {"jobs.NAME.hidden", "jobs.n.hidden=3"},
      {"jobs.NAME.learning_rate", "jobs.n.learning_rate=0.2"},
      {"jobs.NAME.steps", "jobs.n.steps=3"},
      {"jobs.NAME.report_at", "jobs.n.report_at=[1, 2]"},
      {"jobs.NAME.average", "jobs.n.average=plain"},
      {"jobs.NAME.synchronise", "jobs.n.synchronise=false"},
      {"jobs.NAME.left_out", "jobs.n.left_out=w2"},
      {"jobs.NAME.batch_norm", "jobs.n.batch_norm=local"},
      {"jobs.NAME.comm_hook", "jobs.n.comm_hook=fp16"},
      {"jobs.NAME.topk_share", "jobs.k.topk_share=20 %"},
      {"jobs.NAME.powersgd_rank", "jobs.p.powersgd_rank=2"},
      {"jobs.NAME.also_sum_by", "jobs.n.also_sum_by=tree"},
      {"jobs.NAME.servers.on", "jobs.v.servers.on=z"},
      {"jobs.NAME.servers.shards", "jobs.v.servers.shards=3"},
      {"jobs.NAME.servers.shard_by", "jobs.v.servers.shard_by=tensors"},
      {"jobs.NAME.servers.update_rate", "jobs.v.servers.update_rate=1 GB/s"},
      {"jobs.NAME.mode", "jobs.v.mode=asynchronous"},
      {"jobs.NAME.staleness_bound", "jobs.v.staleness_bound=3"},
      {"jobs.NAME.transfer", "jobs.v.transfer=whole"},
      {"jobs.NAME.priorities", "jobs.v.priorities=true"},
      {"jobs.NAME.run.until.updates", "jobs.v.run={until: {updates: 5}}"},
      {"jobs.NAME.run.until.time", "jobs.v.run={until: {time: 1 s}}"},
      {"jobs.NAME.model.layers[].activations", "jobs.z.model.layers[0].activations=1 MB"},
      {"jobs.NAME.preset", "jobs.z.preset=megatron"},
      {"jobs.NAME.stage", "jobs.z.stage=3"},
      {"jobs.NAME.overlap", "jobs.z.overlap=true"},
      {"jobs.NAME.reduce_bucket", "jobs.z.reduce_bucket=1000 elements"},
      {"jobs.NAME.gather_bucket", "jobs.z.gather_bucket=1000 elements"},
      {"jobs.NAME.prefetch", "jobs.z.prefetch=0 elements"},
      {"jobs.NAME.persistence_threshold", "jobs.z.persistence_threshold=0 elements"},
      {"jobs.NAME.max_live_parameters", "jobs.z.max_live_parameters=1000 elements"},
      {"jobs.NAME.max_reuse_distance", "jobs.z.max_reuse_distance=1000 elements"},
      {"jobs.NAME.offload.optimizer", "jobs.z.offload={optimizer: cpu, host_rate: 1 GB/s}"},
      {"jobs.NAME.offload.parameters", "jobs.w.offload={parameters: cpu}"},
      {"jobs.NAME.offload.max_in_cpu", "jobs.w.offload.max_in_cpu=0 elements"},
      {"jobs.NAME.offload.sub_group_size", "jobs.w.offload.sub_group_size=1 elements"},
      {"jobs.NAME.offload.buffer_count", "jobs.w.offload.buffer_count=4"},
      {"jobs.NAME.offload.buffer_size", "jobs.w.offload.buffer_size=1 elements"},
      {"jobs.NAME.offload.host_rate", "jobs.o.offload.host_rate=2 GB/s"},
      {"jobs.NAME.offload.nvme_read", "jobs.o.offload.nvme_read=2 GB/s"},
      {"jobs.NAME.offload.nvme_write", "jobs.o.offload.nvme_write=2 GB/s"},
      {"jobs.NAME.shard_group", "jobs.f.shard_group=node"},
      {"jobs.NAME.shard_group", "jobs.f.shard_group=8"},
      {"jobs.NAME.reduce_over_replicas", "jobs.f.reduce_over_replicas=last"},
      {"jobs.NAME.reshard_after_forward", "jobs.f.reshard_after_forward=false"},
      {"jobs.NAME.reshard_after_forward", "jobs.f.reshard_after_forward=8"},
      {"jobs.NAME.forward_prefetch", "jobs.f.forward_prefetch=0"},
      {"jobs.NAME.backward_prefetch", "jobs.f.backward_prefetch=2"},
      {"jobs.NAME.communicators", "jobs.f.communicators=2"},
      {"jobs.NAME.activations", "jobs.f.activations=standard"},
      {"jobs.NAME.recompute", "jobs.f.recompute=full"},
      {"jobs.NAME.copies", "jobs.f.copies=false"},
      {"jobs.NAME.all_gather.algorithm", "jobs.f.all_gather.algorithm=direct"},
      {"jobs.NAME.all_gather.rounds", "jobs.f.all_gather.rounds=lockstep"},
      {"jobs.NAME.all_gather.channels", "jobs.f.all_gather.channels=2"},
      {"jobs.NAME.reduce_scatter.algorithm", "jobs.f.reduce_scatter.algorithm=direct"},
      {"jobs.NAME.reduce_scatter.rounds", "jobs.f.reduce_scatter.rounds=lockstep"},
      {"jobs.NAME.reduce_scatter.channels", "jobs.f.reduce_scatter.channels=2"},
      {"changes[].links", "changes[0].links=y"},
      {"changes[].bandwidth", "changes[0].bandwidth=50 %"},
      {"changes[].state", "changes[0]={links: x, state: down}"},
      {"changes[].ranks", "changes[1].ranks=4"},
      {"changes[].nodes", "changes[1]={nodes: x, state: down}; changes[1].nodes=y"},
      {"changes[].job", "changes[1].job=d"},
      {"changes[].compute", "changes[1].compute=25 %"},
      {"changes[].start", "changes[1].start=2 ms"},
      {"trace.file", "trace.file=u.json"},
      {"trace.level", "trace.level=segment"},
      {"trace.ranks", "trace.ranks=0-3"},
      {"trace.window", "trace.window=[0 s, 5 ms]"},
  };
  for (const char* peak : {"uint8", "fp8", "fp16", "bf16", "fp32", "fp64", "int32", "int64", "tf32"}) {
    rows[absl::StrCat("cluster.models.NAME.peak.", peak)] =
        absl::StrCat("cluster.models.g.peak.", peak, "=2 TFLOP/s");
  }
  for (const char* cable : {"nvlink", "pcie", "pcie.socket_link", "nics.host", "nics.port"}) {
    add_cable(rows, absl::StrCat("cluster.node_types.NAME.", cable),
              absl::StrCat("cluster.node_types.n.", cable));
  }
  add_cable(rows, "cluster.fabric.uplink", "cluster.fabric.uplink");
  add_cable(rows, "cluster.fabric.core_uplink",
            "cluster.fabric={family: leaf_spine, core_uplink: {bandwidth: 1 GB/s, latency: 1 us}}; "
            "cluster.fabric.core_uplink");
  add_cable(rows, "cluster.fabric.link",
            "cluster.fabric={family: ring, link: {bandwidth: 1 GB/s, latency: 1 us}}; cluster.fabric.link");
  add_cable(
      rows, "cluster.fabric.global_link",
      "cluster.fabric={family: dragonfly, routers: 2, global_link: {bandwidth: 1 GB/s, latency: 1 us}}; "
      "cluster.fabric.global_link");
  add_cable(rows, "cluster.cables[]", "cluster.cables[0]");
  return rows;
}

// These change nothing by themselves, and have tests of their own.
const std::set<std::string> kElsewhere = {
    "brigade",             // one version so far: files_that_are_no_scenario, bad_values
    "cluster.file",        // cluster_files
    "cluster.parameters",  // cluster_files
};

void collect_leaves(const SchemaKey& key, const std::string& path, std::set<std::string>& leaves) {
  for (const SchemaKey& child : key.children) {
    const std::string below = child.key.empty() ? path + "[]"
                              : path.empty()    ? child.key
                                                : path + "." + child.key;
    const bool map = child.type.starts_with("map") || child.type.starts_with("list");
    if (!map || child.children.empty()) leaves.insert(below);
    collect_leaves(child, below, leaves);
  }
}

std::string dump_of(const std::string& bytes, const std::vector<std::string>& overrides) {
  const Scratch scratch;
  Diagnostics errors;
  const std::optional<Scenario> scenario = load_scenario(scratch.write("a.yaml", bytes), overrides, errors);
  CAPTURE(errors.text());
  REQUIRE(scenario.has_value());
  return scratch.shortened(dump(*scenario));
}

}  // namespace

TEST_CASE("every key of the schema has a row") {
  std::set<std::string> leaves;
  collect_leaves(scenario_schema(), "", leaves);
  CHECK(leaves.size() > 100);
  const Rows known = rows();
  for (const std::string& leaf : leaves) {
    CAPTURE(leaf);
    CHECK((known.count(leaf) + kElsewhere.count(leaf)) == 1);
  }
  for (const auto& [key, override] : known) {
    CAPTURE(key);
    CHECK(leaves.count(key) == 1);
  }
}

TEST_CASE("every row changes the scenario") {
  for (const auto& [key, override] : rows()) {
    CAPTURE(key, override);
    const bool written = key.starts_with("cluster.vertices") || key.starts_with("cluster.cables") ||
                         key.starts_with("cluster.routes");
    const char* base = written ? kWritten : kNodes;
    const std::vector<std::string> overrides = absl::StrSplit(override, "; ");
    CHECK(dump_of(base, {overrides.begin(), overrides.end() - 1}) != dump_of(base, overrides));
  }
}
