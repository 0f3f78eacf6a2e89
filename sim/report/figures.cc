#include "sim/report/figures.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "sim/trace/json_text.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) { return value ? Json(rounded(*value)) : Json(); }
Json or_null(const std::optional<int64_t>& value) { return value ? Json(*value) : Json(); }

// `last` is exact where it is the only step.
void add_statistic(Json& out, const std::string& key, const Statistic& s, std::optional<Duration> last) {
  const bool single = s.samples == 1 && last.has_value();
  out[key + "_us"] = single ? exact_us(*last) : rounded(s.mean_us);
  out[key + "_p50_us"] = single ? exact_us(*last) : rounded(s.p50_us);
  out[key + "_p99_us"] = single ? exact_us(*last) : rounded(s.p99_us);
}

Json figures_of(const CollectiveRow& row) {
  Json out;
  out["collective"] = name_of(row.collective);
  out["algorithm"] = row.algorithm;
  out["ranks"] = row.ranks;
  out["bytes"] = row.bytes.count;
  out["rounds_mode"] = row.rounds_mode == RoundsMode::kFree ? "free" : "lockstep";
  out["steps"] = row.time.samples;
  add_statistic(out, "time", row.time, row.last_time);
  out["algbw_gb_per_s"] = rounded(row.algbw_gb_per_s);
  out["busbw_gb_per_s"] = rounded(row.busbw_gb_per_s);
  out["closed_form_us"] = row.closed_form ? Json(exact_us(*row.closed_form)) : Json();
  out["rounds"] = row.rounds;
  out["bytes_sent_total"] = row.bytes_sent_total.count;
  out["bytes_sent_max"] = row.bytes_sent_max.count;
  return out;
}

Json figures_of(const BucketResult& bucket, bool fused) {
  Json out;
  out["index"] = bucket.index;
  out["bytes"] = bucket.bytes.count;
  out["elements"] = bucket.elements;
  out["ready_us"] = exact_us(bucket.ready);
  out["start_us"] = exact_us(bucket.start);
  out["end_us"] = exact_us(bucket.end);
  out["busbw_gb_per_s"] = rounded(bucket.busbw_gb_per_s);
  if (bucket.exchanged != bucket.bytes) out["exchanged_bytes"] = bucket.exchanged.count;
  if (fused) {
    out["tensors"] = bucket.tensors;
    out["cycle_us"] = exact_us(bucket.cycle);
  }
  return out;
}

Json figures_of(const Verification& found) {
  return {{"collectives", found.collectives},
          {"results", found.ranks},
          {"values", found.values},
          {"integers", "bit-equal"},  // anything else is a failure of the run
          {"largest_difference", found.largest_difference}};
}

void add_figures(Json& out, const CollectiveResult& result) {
  if (result.groups > 1) out["groups"] = result.groups;
  out["rows"] = Json::array();
  for (const CollectiveRow& row : result.rows) out["rows"].push_back(figures_of(row));
}

void add_step(Json& out, const DdpResult& r) {
  out["steps"] = r.step_time.samples;
  add_statistic(out, "step_time", r.step_time, r.last_step);
  add_statistic(out, "compute", r.compute, r.last_compute);
  add_statistic(out, "communication", r.communication, r.last_communication);
  add_statistic(out, "overlapped", r.overlapped, std::nullopt);
  add_statistic(out, "exposed", r.exposed, r.last_exposed);
  out["efficiency"] = rounded(r.efficiency);
  out["mfu"] = or_null(r.mfu);
  out["samples_per_s"] = or_null(r.samples_per_s);
  out["tokens_per_s"] = or_null(r.tokens_per_s);
  out["global_batch_samples"] = r.global_batch_samples;
  out["global_batch_tokens"] = or_null(r.global_batch_tokens);
  out["global_batch_is_very_large"] = r.very_large_batch;
  out["parameters"] = r.parameters;
}

void add_figures(Json& out, const DdpResult& r) {
  add_step(out, r);
  if (r.groups > 1) out["groups"] = r.groups;
  if (r.coding) out["coding_us"] = exact_us(*r.coding);
  if (r.fusion) {
    add_statistic(out, "waiting_for_cycle", r.fusion->waiting, r.fusion->last_waiting);
    out["tensors"] = r.fusion->tensors;
    out["fused_buffers"] = rounded(r.fusion->buffers);
    out["fused_buffers_min"] = r.fusion->buffers_min;
    out["fused_buffers_max"] = r.fusion->buffers_max;
    out["cycles_used"] = rounded(r.fusion->cycles_used);
    out["cycles"] = or_null(r.fusion->cycles);
  }
  out["buckets"] = Json::array();
  for (const BucketResult& bucket : r.buckets)
    out["buckets"].push_back(figures_of(bucket, r.fusion.has_value()));
}

Json figures_of(const ShardedResult::Call& call) {
  Json out;
  out["label"] = call.label;
  out["collective"] = name_of(call.collective);
  out["ranks"] = call.ranks;
  out["bytes"] = call.bytes.count;
  out["set_off_us"] = exact_us(call.set_off);
  out["start_us"] = exact_us(call.start);
  out["end_us"] = exact_us(call.end);
  out["busbw_gb_per_s"] = rounded(call.busbw_gb_per_s);
  return out;
}

void add_figures(Json& out, const ShardedResult& r) {
  out["preset"] = r.preset;
  out["stage"] = r.stage;
  out["shard_group"] = r.shard_group;
  add_step(out, r.step);
  out["sent_bytes_per_step"] = r.sent_per_step.count;
  for (const char* among : {"shard_group", "replicas", "after_forward"}) {
    Bytes sent{};
    for (const ShardedResult::Sent& s : r.sent)
      if (s.among == among) sent += s.bytes;
    out[absl::StrCat("sent_", among, "_bytes")] = sent.count;
  }
  out["volume_psi"] = r.volume_psi ? Json(rounded(*r.volume_psi)) : Json();
  out["model_states_bytes"] = r.model_states.count;
  out["memory_held_bytes"] = r.memory_held.count;
  out["memory_peak_bytes"] = r.memory_peak.count;
  out["memory_peak_at_us"] = exact_us(r.memory_peak_at);
  out["device_memory_bytes"] = r.device_memory ? Json(r.device_memory->count) : Json();
  out["fits"] = r.device_memory ? Json(r.memory_peak <= *r.device_memory) : Json();
  out["offload_us"] = r.offload ? Json(exact_us(*r.offload)) : Json();
  out["host_memory_bytes"] = r.host_memory.count;
  out["nvme_memory_bytes"] = r.nvme_memory.count;
  if (r.fetches) {
    out["fetched_bytes_per_step"] = r.fetches->copied.count;
    out["nvme_read_bytes_per_step"] = r.fetches->read.count;
    out["fetch_us"] = exact_us(r.fetches->under_way);
    out["fetch_exposed_us"] = exact_us(r.fetches->exposed);
  }
  out["collectives"] = Json::array();
  for (const ShardedResult::Call& call : r.calls) out["collectives"].push_back(figures_of(call));
}

void add_figures(Json& out, const BackgroundResult& b) {
  out["senders"] = b.senders;
  out["messages"] = b.messages;
  out["held_back"] = b.held_back;
  out["sent_bytes"] = b.sent.count;
  out["received_bytes"] = b.received.count;
  out["window_us"] = exact_us(b.window);
  out["offered_gb_per_s"] = rounded(b.offered_gb_per_s);
  out["sent_gb_per_s"] = rounded(b.sent_gb_per_s);
  add_statistic(out, "latency", b.latency, std::nullopt);
}

void add_figures(Json& out, const TrainingResult& t) {
  out["steps"] = t.steps;
  add_statistic(out, "step_time", t.step_time, t.last_step);
  out["parameters"] = t.parameters;
  out["samples"] = t.samples;
  out["shards"] = t.shards;
  out["sent_per_step_max"] = t.sent_per_step.count;
  out["gradient_difference"] = t.gradient_difference;
  out["gradient_difference_relative"] = t.gradient_relative;
  out["other_sums"] = Json::array();
  for (const auto& other : t.other_sums)
    out["other_sums"].push_back(
        {{"algorithm", other.algorithm}, {"elements", other.elements}, {"difference", other.difference}});
  out["compared"] = Json::array();
  for (const auto& c : t.compared)
    out["compared"].push_back(
        {{"step", c.step}, {"replicas_difference", c.replicas}, {"single_worker_difference", c.single}});
  out["loss"] = t.loss;
  out["single_worker_loss"] = t.single_loss;
}

void add_figures(Json& out, const ParameterServerResult& r) {
  out["steps"] = r.step_time.samples;
  add_statistic(out, "step_time", r.step_time, r.last_step);
  add_statistic(out, "compute", r.compute, std::nullopt);
  add_statistic(out, "communication", r.communication, std::nullopt);
  add_statistic(out, "exposed", r.exposed, std::nullopt);
  out["efficiency"] = rounded(r.efficiency);
  out["samples_per_s"] = rounded(r.samples_per_s);
  out["tokens_per_s"] = or_null(r.tokens_per_s);
  out["global_batch_samples"] = r.batch_samples;
  out["global_batch_tokens"] = or_null(r.batch_tokens);
  out["global_batch_is_very_large"] = r.very_large_batch;
  out["parameters"] = r.parameters;
  out["updates"] = r.updates;
  out["window_us"] = exact_us(r.window);
  out["updates_per_s"] = rounded(r.updates_per_s);
  out["gradient_bytes"] = r.gradient.count;
  out["shards"] = r.shards;
  out["largest_shard_bytes"] = r.largest_shard.count;
  out["messages_per_push"] = r.messages_per_push;
  out["lead_max_steps"] = r.lead_max;
  out["staleness_mean"] = r.staleness ? Json(rounded(r.staleness->mean)) : Json();
  out["staleness_p50"] = r.staleness ? Json(r.staleness->p50) : Json();
  out["staleness_p99"] = r.staleness ? Json(r.staleness->p99) : Json();
  out["staleness_max"] = r.staleness ? Json(r.staleness->max) : Json();
  out["worker_sent_bytes_max"] = r.worker_sent_max.count;
  out["worker_received_bytes_max"] = r.worker_received_max.count;
  out["servers"] = Json::array();
  for (const auto& server : r.servers)
    out["servers"].push_back({{"device", server.device},
                              {"received_bytes", server.received.count},
                              {"sent_bytes", server.sent.count}});
  out["staleness_counts"] = Json::array();
  if (r.staleness)
    for (const auto& [value, count] : r.staleness->counts)
      out["staleness_counts"].push_back({{"staleness", value}, {"updates", count}});
}

Json or_null(const std::optional<Duration>& value) { return value ? Json(exact_us(*value)) : Json(); }

const char* name_of(CollectiveDurations durations) {
  switch (durations) {
    case CollectiveDurations::kSimulated:
      return "simulated";
    case CollectiveDurations::kTraced:
      return "traced";
    case CollectiveDurations::kNone:
      return "none";
    case CollectiveDurations::kNever:
      return "never";
  }
  return "";
}

Json figures_of(const ReplayResult::Step& s) {
  Json out;
  out["name"] = s.name;
  out["step_time_us"] = or_null(s.time);
  out["traced_us"] = exact_us(s.traced);
  out["communication_free_us"] = or_null(s.free);
  out["compute_us"] = s.time ? Json(exact_us(s.compute)) : Json();
  out["communication_us"] = s.time ? Json(exact_us(s.communication)) : Json();
  out["exposed_us"] = s.time ? Json(exact_us(s.exposed)) : Json();
  return out;
}

Json figures_of(const ReplayResult::Call& c) {
  Json out;
  out["collective"] = name_of(c.collective);
  out["traced_as"] = c.traced_as;
  out["count"] = c.count;
  out["elements"] = c.elements;
  out["dtype"] = c.dtype;
  out["bytes"] = c.bytes.count;
  out["ranks"] = c.ranks;
  out["traced_ranks"] = c.traced_ranks;
  out["time_us"] = or_null(c.time);
  out["traced_us"] = exact_us(c.traced);
  return out;
}

void add_figures(Json& out, const ReplayResult& r) {
  const bool ends = r.step_time.samples > 0;
  out["steps"] = r.steps.size();
  out["durations"] = name_of(r.durations);
  out["traced_ranks"] = r.traced_ranks;
  out["traced_device"] = r.traced_device;
  if (ends) {
    add_statistic(out, "step_time", r.step_time, r.last_step);
  } else {
    for (const char* key : {"step_time_us", "step_time_p50_us", "step_time_p99_us"}) out[key] = nullptr;
  }
  out["traced_step_time_us"] = rounded(r.traced_step_time.mean_us);
  out["compute_us"] = ends ? Json(rounded(r.compute.mean_us)) : Json();
  out["communication_us"] = ends ? Json(rounded(r.communication.mean_us)) : Json();
  out["exposed_us"] = ends ? Json(rounded(r.exposed.mean_us)) : Json();
  out["total_us"] = or_null(r.total);
  out["total_traced_us"] = exact_us(r.total_traced);
  out["total_communication_free_us"] = or_null(r.total_free);
  out["total_nothing_hidden_us"] = or_null(r.total_exposed);
  out["blocked"] = r.blocked.empty() ? Json() : Json(r.blocked);
  out["unblocked_until_us"] = r.blocked.empty() ? Json() : Json(exact_us(r.unblocked_until));
  out["each_step"] = Json::array();
  for (const auto& step : r.steps) out["each_step"].push_back(figures_of(step));
  out["collectives"] = Json::array();
  for (const auto& call : r.calls) out["collectives"].push_back(figures_of(call));
  out["each_rank"] = Json::array();
  for (const auto& rank : r.ranks)
    out["each_rank"].push_back(
        {{"total_us", or_null(rank.time)}, {"total_traced_us", exact_us(rank.traced)}});
  out["found"] = r.found;
  out["ignored"] = r.ignored;
}

}  // namespace

double exact_us(Duration d) { return static_cast<double>(d.ps) / 1e6; }

double rounded(double value) {
  constexpr double kDecimals = 1e6, kWhole = 9e15;
  // A double of this size has no 6 decimals to round to.
  if (!(std::fabs(value) < kWhole / kDecimals)) return value;
  return std::round(value * kDecimals) / kDecimals;
}

std::string scalar_text(const Json& value) {
  // Names come from files, which need not be UTF-8.
  if (!value.is_number_float()) return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  json_text::append_number(text, value.get<double>());
  const bool looks_whole = text.find_first_of(".e") == std::string::npos;
  return looks_whole ? text + ".0" : text;
}

Json figures_of(const JobResult& job) {
  Json out;
  out["name"] = job.name;
  out["kind"] = job.kind;
  out["ranks"] = job.ranks;
  out["assumptions"] = job.assumptions;
  std::visit([&](const auto& result) { add_figures(out, result); }, job.result);
  if (job.alone) {
    out["together_us"] = rounded(job.alone->time_us);
    out["alone_us"] = rounded(job.alone->alone_us);
    out["slowdown"] = rounded(job.alone->slowdown());
  }
  if (job.verified) out["verified"] = figures_of(*job.verified);
  return out;
}

}  // namespace brigade
