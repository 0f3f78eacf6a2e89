#include "tests/scenario/dump.h"

#include <sstream>
#include <type_traits>
#include <variant>

namespace brigade {
namespace {

// Writes any field as text; structs by naming their fields.
class Dump {
 public:
  std::string text() const { return out_.str(); }

  template <class... Ts>
  void all(const Ts&... fields) {
    out_ << '{';
    (put(fields), ...);
    out_ << '}';
  }

 private:
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(T n) { out_ << +n << ' '; }
  template <class T>
  requires std::is_enum_v<T>
  void put(T e) { out_ << static_cast<int>(e) << ' '; }
  void put(const std::string& s) { out_ << '"' << s << "\" "; }
  void put(Duration d) { out_ << d.ps << "ps "; }
  void put(Time t) { out_ << t.ps << "at "; }
  void put(Bytes b) { out_ << b.count << "B "; }
  void put(const Bandwidth& b) { out_ << b.bytes_per_s().count << "B/s "; }
  template <class T>
  void put(const std::optional<T>& o) {
    if (o) put(*o);
    out_ << (o ? "" : "- ");
  }
  template <class T>
  void put(const std::vector<T>& list) {
    out_ << '[';
    for (const T& item : list) put(item);
    out_ << ']';
  }
  template <class K, class V>
  void put(const std::map<K, V>& map) {
    for (const auto& [key, value] : map) all(key, value);
  }

  void put(const DeviceModel& m) { all(m.name, m.peak_flop_per_s, m.memory, m.memory_bandwidth); }
  void put(const CableSpec& c) { all(c.bandwidth, c.latency, c.cables, c.cost); }
  void put(const NodeType& t) {
    all(t.name, t.gpus, t.gpu, t.family, t.nvlink, t.nvswitches, t.pcie_switches, t.pcie, t.sockets,
        t.socket_link);
    all(t.nics, t.nic_host, t.nic_port, t.own_nics, t.host, t.host_model, t.forward);
  }
  void put(const NodeGroup& g) { all(g.type, g.count); }
  void put(const FabricSpec& f) {
    all(f.family, f.nodes_per_leaf, f.spines, f.oversubscription, f.uplink, f.uplink_latency);
    all(f.group_size, f.group_by_rail, f.cores, f.core_oversubscription, f.core_uplink);
    all(f.ports, f.tiers, f.down, f.up, f.link, f.sides, f.routers, f.global_links, f.global_link, f.pxn);
  }
  void put(const VertexSpec& v) { all(v.name, v.kind, v.model, v.forward); }
  void put(const WrittenCable& c) { all(c.a, c.b, c.cable); }
  void put(const WrittenRoute& r) { all(r.from, r.to, r.via); }
  void put(const ClusterSpec& c) {
    all(c.name, c.types, c.nodes, c.fabric, c.models, c.vertices, c.cables, c.routes);
  }
  void put(const LinkChange& c) { all(c.links, c.bandwidth_share, c.down, c.begins, c.ends); }
  void put(const RankChange& c) {
    all(c.job, c.ranks, c.compute_share, c.start, c.stops, c.of_node, c.begins, c.ends);
  }
  void put(const NetworkSpec& n) {
    all(n.model, n.segment_rule, n.segment, n.window, n.overhead, n.routing, n.detection);
  }
  void put(const AlgorithmSpec& a) { all(a.algorithm, a.inner, a.outer, a.rounds, a.channels); }
  void put(const RunSpec& r) { all(r.steps, r.warmup); }
  void put(const Pair& p) { all(p.from, p.to); }
  void put(const CollectiveJobSpec::OtherSize& o) { all(o.ranks, o.size); }
  void put(const CollectiveJobSpec& j) {
    all(j.callers, j.other_sizes, j.groups);
    all(j.collective, j.algorithms, j.sizes, j.dtype, j.root, j.sends, j.receives, j.run);
  }
  void put(const TensorSpec& t) { all(t.name, t.elements, t.ready); }
  void put(const LayerSpec& l) {
    all(l.name, l.parameters, l.repeat, l.forward, l.backward, l.forward_flops, l.backward_flops);
    all(l.forward_bytes, l.backward_bytes, l.activation_bytes);
  }
  void put(const ModelSpec& m) {
    all(m.name, m.sequence_tokens, m.image_pixels, m.layers, m.tensors, m.forward, m.backward);
  }
  void put(const ComputeSpec& c) {
    all(c.kernel_efficiency, c.memory_efficiency, c.spread, c.tokens, c.jitter.kind, c.jitter.mean);
    all(c.interference.compute_share, c.interference.communication_share);
  }
  void put(const BucketSpec& b) {
    all(b.rule, b.version, b.cap, b.one_bucket, b.order, b.find_unused_parameters, b.find_unused_cpu_time);
    all(b.static_graph, b.broadcast_buffers, b.gradient_as_bucket_view, b.fusion, b.cycle, b.negotiation);
  }
  void put(const PrecisionSpec& p) {
    all(p.parameters, p.gradients, p.master, p.has_master, p.autocast, p.compute);
  }
  void put(const DdpJobSpec& j) {
    all(j.model, j.micro_batch_samples, j.accumulate, j.precision, j.compute, j.optimizer, j.gradient_norm);
    all(j.host_gap, j.buckets, j.all_reduce, j.run, j.comm_streams, j.comm_hook);
    all(j.model_parallel.tensor, j.model_parallel.pipeline, j.model_parallel.time);
  }
  void put(const BackgroundJobSpec& j) {
    all(j.pattern, j.rate, j.message, j.arrivals, j.window, j.duration);
  }
  void put(const PlacementSpec& p) { all(p.rule, p.count); }
  void put(const GroupSpec& g) { all(g.size, g.stride); }
  void put(const CommHookSpec& h) { all(h.kind, h.share, h.rank, h.start_step, h.every); }
  void put(const TrainingJobSpec& j) {
    all(j.samples, j.shards, j.features, j.hidden, j.learning_rate, j.steps, j.report_at, j.average);
    all(j.synchronise, j.left_out, j.batch_norm, j.comm_hook, j.all_reduce, j.also_sum_by);
  }
  void put(const ReplayJobSpec& s) { all(s.files, s.durations, s.unnamed_groups, s.all_reduce); }
  void put(const ParameterServerJobSpec& j) {
    all(j.work, j.servers, j.shards, j.shard_by, j.update_rate, j.mode, j.staleness_bound, j.transfer);
    all(j.priorities, j.run, j.until_updates, j.until_time);
  }
  void put(const OffloadSpec& o) {
    all(o.optimizer, o.parameters, o.host_rate, o.nvme_read, o.nvme_write, o.max_in_cpu, o.sub_group_size);
    all(o.buffer_count, o.buffer_size);
  }
  void put(const ShardedJobSpec& j) {
    all(j.offload);
    all(j.work, j.preset, j.stage, j.reduce_bucket, j.gather_bucket, j.overlap, j.prefetch);
    all(j.persistence_threshold, j.max_live_parameters, j.max_reuse_distance);
    all(j.shard_group, j.shard_group_ranks, j.replicas_last, j.reshard_after_forward, j.reshard_ranks);
    all(j.forward_prefetch, j.backward_prefetch, j.communicators, j.activations, j.recompute);
    all(j.all_gather, j.reduce_scatter);
  }
  void put(const JobSpec& j) {
    all(j.name, j.ranks, j.placement, j.start, j.verify);
    std::visit([&](const auto& kind) { put(kind); }, j.kind);
  }
  void put(const RankRange& r) { all(r.first, r.last); }
  void put(const TraceSpec& t) { all(t.file, t.level, t.ranks, t.window_begin, t.window_end); }

  std::ostringstream out_;
};

}  // namespace

std::string dump(const Scenario& s) {
  Dump dump;
  dump.all(s.name, s.seed, s.alone, s.cluster, s.link_changes, s.rank_changes, s.network, s.jobs, s.trace);
  return dump.text();
}

}  // namespace brigade
