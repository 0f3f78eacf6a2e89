#include "sim/scenario/replay_scenario.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/scenario/input_files.h"
#include "sim/scenario/job_reader.h"
#include "sim/scenario/kinds.h"
#include "sim/topology/topology.h"

namespace brigade {
namespace {

template <class T>
void take(const char* option, const std::string& text, const Kind<T>& kind, T& out, Diagnostics& errors) {
  Parsed<T> parsed = kind.parse(text);
  if (parsed.value) {
    out = std::move(*parsed.value);
    return;
  }
  errors.error({option, 0, 0},
               absl::StrCat("\"", text, "\" ",
                            parsed.error.empty() ? absl::StrCat("is unknown", suggestion(text, kind.allowed))
                                                 : parsed.error));
}

// Selectors of the first `ranks` devices: "node[0].gpu[0-7]" in place of eight names.
std::vector<std::string> first_devices(const Topology& topology, Rank ranks, size_t& there) {
  std::vector<VertexId> devices;
  for (const bool gpus : {true, false}) {
    for (VertexId v = 0; v < topology.vertices().size(); ++v)
      if (topology.is_endpoint(v) && (topology.vertices()[v].kind == VertexKind::kGpu) == gpus)
        devices.push_back(v);
    if (!devices.empty()) break;
  }
  there = devices.size();
  devices.resize(std::min<size_t>(devices.size(), ranks));
  std::vector<std::string> selectors;
  std::string prefix;
  int64_t first = 0, last = -1;
  const auto flush = [&] {
    if (last >= first)
      selectors.push_back(absl::StrCat(prefix, "[", first, last > first ? absl::StrCat("-", last) : "", "]"));
    last = first - 1;
  };
  for (const VertexId v : devices) {
    const std::string name = topology.vertex_name(v);
    const size_t open = name.rfind('[');
    const bool numbered = open != std::string::npos && name.back() == ']';
    const Parsed<int64_t> index =
        numbered ? whole_number(0, INT32_MAX).parse(name.substr(open + 1, name.size() - open - 2))
                 : Parsed<int64_t>{};
    if (!index.value) {
      flush();
      selectors.push_back(name);
      continue;
    }
    if (last < first || name.substr(0, open) != prefix || *index.value != last + 1) {
      flush();
      prefix = name.substr(0, open);
      first = *index.value;
    }
    last = *index.value;
  }
  flush();
  return selectors;
}

}  // namespace

ScenarioParts replay_scenario(const ReplayRequest& request, Diagnostics& errors) {
  ScenarioParts parts;
  ReplayJobSpec spec;
  spec.files = request.traces;
  take("--durations", request.durations, collective_durations(), spec.durations, errors);
  take("--unnamed-groups", request.unnamed_groups, unnamed_groups(), spec.unnamed_groups, errors);
  take("--all-reduce", request.all_reduce, algorithm_of(Collective::kAllReduce), spec.all_reduce.algorithm,
       errors);
  take("--network", request.network,
       choice<NetworkModel>({{"packet", NetworkModel::kPacket}, {"fluid", NetworkModel::kFluid}}),
       parts.scenario.network.model, errors);
  Rank ranks = 0;
  if (request.ranks) take("--ranks", *request.ranks, whole<Rank>(1, 1 << 24), ranks, errors);
  std::optional<ClusterFile> cluster = load_cluster(request.topology, request.parameters, errors);
  const auto topology = cluster ? build_topology(cluster->cluster, cluster->link_changes, errors) : nullptr;
  spec.trace = load_replay(request.traces, {}, errors);
  if (!errors.ok()) return parts;

  if (!request.ranks) ranks = static_cast<Rank>(std::min<int64_t>(spec.trace->world, kNone - 1));
  size_t there = 0;
  JobSpec job;
  job.name = "replay";
  job.at = job.ranks_at = spec.files_at = {request.traces.front(), 0, 0};
  job.ranks = first_devices(*topology, ranks, there);
  if (there < ranks) {
    errors.error(
        {request.topology, 0, 0},
        absl::StrCat("has ", there, " GPUs; ", request.ranks ? "--ranks asks for " : "the trace is of ",
                     ranks, request.ranks ? "" : " ranks (--ranks N for another number)",
                     "; parameters of the cluster: --set nodes=N"));
    return parts;
  }
  Scenario& scenario = parts.scenario;
  scenario.name = std::filesystem::path(request.traces.front()).filename().string();
  scenario.cluster = std::move(cluster->cluster);
  scenario.link_changes = std::move(cluster->link_changes);
  scenario.input_hash = std::move(cluster->input_hash);
  for (const std::string* text :
       {&request.durations, &request.unnamed_groups, &request.all_reduce, &request.network}) {
    InputHash hash;
    hash.add(scenario.input_hash);
    hash.add(*text);
    scenario.input_hash = hash.hex();
  }
  job.kind = std::move(spec);
  scenario.jobs.push_back(std::move(job));
  parts.cluster_is_sound = true;
  parts.sound_jobs = {true};
  return parts;
}

}  // namespace brigade
