// One line a result: each row of a collective job, each ddp job. All results share one header, so that files
// of several scenarios can be laid one after the other; a cell is empty where its key means nothing. Buckets
// and links are only in JSON.
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_replace.h"
#include "sim/report/figures.h"
#include "sim/report/report.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

// Keys of figures.h; "scenario" and "job" are the names.
constexpr const char* kColumns[] = {
    "scenario", "seed", "job", "kind", "ranks", "steps",
    // of a collective
    "collective", "algorithm", "bytes", "rounds_mode", "time_us", "time_p50_us", "time_p99_us",
    "algbw_gb_per_s", "busbw_gb_per_s", "closed_form_us", "rounds", "bytes_sent_total", "bytes_sent_max",
    // of ddp
    "step_time_us", "step_time_p50_us", "step_time_p99_us", "compute_us", "communication_us", "overlapped_us",
    "exposed_us", "efficiency", "mfu", "samples_per_s", "tokens_per_s", "global_batch_samples",
    "global_batch_tokens", "parameters",
    // of ddp with rule horovod
    "waiting_for_cycle_us", "fused_buffers", "cycles_used", "cycles",
    // of a parameter server
    "updates", "updates_per_s", "shards", "staleness_mean", "staleness_p50", "staleness_p99", "staleness_max",
    "lead_max_steps",
    // of zero and fsdp
    "preset", "stage", "sent_bytes_per_step", "volume_psi", "shard_group", "sent_shard_group_bytes",
    "sent_replicas_bytes", "sent_after_forward_bytes", "model_states_bytes", "memory_peak_bytes",
    "device_memory_bytes", "fits",
    // of a replay
    "durations", "traced_ranks", "traced_step_time_us", "total_us", "total_traced_us",
    "total_communication_free_us", "total_nothing_hidden_us",
    // of background traffic
    "messages", "held_back", "sent_bytes", "offered_gb_per_s", "sent_gb_per_s", "latency_us",
    "latency_p50_us", "latency_p99_us",
    // where jobs also ran alone
    "together_us", "alone_us", "slowdown"};

// As RFC 4180 has it.
std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (!value.is_string()) return scalar_text(value);
  const std::string& text = value.get_ref<const std::string&>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  return "\"" + absl::StrReplaceAll(text, {{"\"", "\"\""}}) + "\"";
}

void add_line(std::string& out, const Json& figures) {
  const char* separator = "";
  for (const char* column : kColumns) {
    out += separator;
    if (const auto it = figures.find(column); it != figures.end()) out += cell(*it);
    separator = ",";
  }
  out += "\n";
}

}  // namespace

std::string print_csv(const Report& report) {
  std::string out;
  Json header;
  for (const char* column : kColumns) header[column] = column;
  add_line(out, header);
  for (const JobResult& result : report.result.jobs) {
    Json job = figures_of(result);
    job["scenario"] = report.scenario.name;
    job["seed"] = report.scenario.seed;
    job["job"] = result.name;
    if (!job.contains("rows")) {
      add_line(out, job);
      continue;
    }
    const Json rows = std::move(job["rows"]);
    job.erase("rows");
    for (const Json& row : rows) {
      Json line = job;
      line.update(row);
      add_line(out, line);
    }
  }
  return out;
}

}  // namespace brigade
