#include "sim/report/memory_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "sim/base/diagnostic.h"
#include "sim/base/units.h"
#include "sim/report/figures.h"
#include "sim/report/json.h"
#include "sim/workload/model_catalogue.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kSchemaVersion = 1;

// One of the names that `name_of` gives the values up to `last`.
template <class T>
std::optional<T> find_named(const std::string& given, T last, const char* what, std::string& error) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    names.push_back(name_of(static_cast<T>(i)));
    if (names.back() == given) return static_cast<T>(i);
  }
  error = absl::StrCat("unknown ", what, " \"", given, "\"", suggestion(given, names));
  return std::nullopt;
}

bool read_model(const MemoryOptions& o, MemoryReport& out, std::string& error) {
  out.model = o.model;
  double number = 0;
  if (absl::SimpleAtod(o.model, &number)) {
    constexpr double kMax = 1e16;
    if (!(number >= 1 && number <= kMax) || number != std::floor(number)) {
      error = absl::StrCat("a model of ", o.model, " parameters; allowed: a whole number from 1 to 1e16");
      return false;
    }
    if (o.sequence) {
      error = "--sequence needs a named model: of a number of parameters no activations are counted";
      return false;
    }
    out.request.parameters = static_cast<int64_t>(number);
    return true;
  }
  const ModelRow* row = find_model(o.model);
  if (row == nullptr) {
    error = absl::StrCat("unknown model \"", o.model, "\"", suggestion(o.model, model_names()),
                         "; or a number of parameters: 7e9");
    return false;
  }
  if (o.sequence && row->input != ModelInput::kText) {
    error = absl::StrCat(o.model, " has no sequence");
    return false;
  }
  const int64_t size = o.sequence.value_or(row->size_default);
  if (size < row->size_min || size > row->size_max) {
    error = absl::StrCat("a sequence of ", size, " tokens; ", o.model, " allows ", row->size_min, " to ",
                         row->size_max);
    return false;
  }
  out.request.parameters = parameter_count(row->build(size));
  if (const TransformerShape* shape = find_transformer(o.model)) {
    out.request.shape = *shape;
    out.request.sequence = size;
  }
  return true;
}

bool read_sizes(const MemoryOptions& o, MemoryReport& out, std::string& error) {
  const Parsed<Bytes> context = parse_bytes(o.context);
  if (!context.value) {
    error = absl::StrCat("--context \"", o.context, "\" ", context.error);
    return false;
  }
  out.request.context = *context.value;
  if (o.device_memory.empty()) return true;
  const Parsed<Bytes> memory = parse_bytes(o.device_memory);
  if (!memory.value) {
    error = absl::StrCat("--device-memory \"", o.device_memory, "\" ", memory.error);
    return false;
  }
  out.device_memory = *memory.value;
  return true;
}

}  // namespace

std::optional<MemoryReport> memory_report(const MemoryOptions& o, std::string& error) {
  MemoryReport out;
  MemoryRequest& r = out.request;
  const std::vector<std::string> precisions = {"bf16", "fp16", "fp32"};
  if (std::find(precisions.begin(), precisions.end(), o.precision) == precisions.end()) {
    error = absl::StrCat("unknown precision \"", o.precision, "\"", suggestion(o.precision, precisions));
    return std::nullopt;
  }
  const auto preset = find_named(o.preset, ShardPreset::kHorovod, "preset", error);
  if (!preset) return std::nullopt;
  const auto activations = find_named(o.activations, ActivationCount::kFlash, "count of activations", error);
  if (!activations) return std::nullopt;
  const auto recompute = find_named(o.recompute, Recompute::kFull, "recomputation", error);
  if (!recompute || !read_model(o, out, error) || !read_sizes(o, out, error)) return std::nullopt;
  const auto offload = find_named(o.offload, Offload::kParameters, "offload", error);
  if (!offload) return std::nullopt;
  const bool fp32 = o.precision == "fp32";
  out.precision = o.precision;
  r.ranks = o.shard_group.value_or(o.ranks);
  if (o.ranks % r.ranks != 0) {
    error = absl::StrCat(o.ranks, " ranks are not shard groups of ", r.ranks);
    return std::nullopt;
  }
  r.replicas = o.ranks / r.ranks;
  r.after_forward = o.reshard.value_or(0);
  r.preset = *preset;
  r.optimizer_on_host = *offload != Offload::kNone;
  r.parameters_on_host = *offload == Offload::kParameters;
  const int own = r.parameters_on_host ? 3 : r.optimizer_on_host ? 1 : stages_of(*preset).front();
  r.stage = o.stage.value_or(own);
  r.bytes = state_bytes(*preset, fp32, o.fp32_gradients);
  r.samples = o.samples;
  r.activation_bytes = fp32 ? 4 : 2;
  r.activations = *activations;
  r.recompute = *recompute;
  r.channels = o.channels;
  error = refusal(r);
  if (!error.empty()) return std::nullopt;
  return out;
}

std::string memory_json(const MemoryReport& report) {
  const MemoryRequest& r = report.request;
  const MemoryUse use = memory_use(r);
  Json out;
  out["schema_version"] = kSchemaVersion;
  out["model"] = report.model;
  out["parameters"] = r.parameters;
  out["ranks"] = r.ranks * r.replicas;
  out["shard_group"] = r.ranks;
  out["reshard"] = r.after_forward > 0 ? Json(r.after_forward) : Json();
  out["preset"] = name_of(r.preset);
  out["stage"] = r.stage;
  out["precision"] = report.precision;
  out["offload"] = name_of(r.parameters_on_host  ? Offload::kParameters
                           : r.optimizer_on_host ? Offload::kOptimizer
                                                 : Offload::kNone);
  out["bytes_per_parameter"] = r.bytes.total();
  out["batch_samples"] = r.samples;
  out["sequence_tokens"] = r.shape ? Json(r.sequence) : Json();
  out["activations"] = name_of(r.activations);
  out["recompute"] = name_of(r.recompute);
  out["extra_compute"] = rounded(extra_compute(r));
  out["rows"] = Json::array();
  for (const MemoryRow& row : use.rows)
    out["rows"].push_back(
        {{"component", row.key}, {"bytes", row.bytes ? Json(row.bytes->count) : Json()}, {"how", row.how}});
  out["model_states_bytes"] = use.model_states.count;
  out["total_bytes"] = use.total.count;
  out["total_is_complete"] = std::all_of(use.rows.begin(), use.rows.end(),
                                         [](const MemoryRow& row) { return row.bytes.has_value(); });
  out["device_memory_bytes"] = report.device_memory ? Json(report.device_memory->count) : Json();
  out["fits"] = report.device_memory ? Json(use.total <= *report.device_memory) : Json();
  out["stages"] = Json::array();
  for (const int stage : sorted_stages(r.preset)) {
    MemoryRequest other = r;
    other.stage = stage;
    if (!refusal(other).empty()) continue;
    const MemoryUse of = memory_use(other);
    out["stages"].push_back(
        {{"stage", stage},
         {"model_states_bytes", of.model_states.count},
         {"total_bytes", of.total.count},
         {"fits", report.device_memory ? Json(of.total <= *report.device_memory) : Json()}});
  }
  if (report.device_memory) {
    const LargestModel largest = largest_in_all(r, *report.device_memory);
    out["largest_parameters_by_states"] =
        r.parameters_on_host ? Json() : Json(largest_by_states(r, *report.device_memory));
    out["largest_parameters"] = largest.parameters;
    out["largest_layers"] = r.shape ? Json(largest.layers) : Json();
  }
  return lines_of(out);
}

std::string memory_csv(const MemoryReport& report) {
  const MemoryUse use = memory_use(report.request);
  std::string out = "component,bytes,how\n";
  const auto add = [&](const std::string& key, const std::optional<Bytes>& bytes, const std::string& how) {
    absl::StrAppend(&out, key, ",", bytes ? absl::StrCat(bytes->count) : "", ",\"",
                    absl::StrReplaceAll(how, {{"\"", "\"\""}}), "\"\n");
  };
  for (const MemoryRow& row : use.rows) add(row.key, row.bytes, row.how);
  add("model_states", use.model_states, "");
  add("total", use.total, "");
  return out;
}

}  // namespace brigade
