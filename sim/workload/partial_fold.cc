#include "sim/workload/partial_fold.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/workload/ranks.h"
#include "sim/workload/run_sum.h"

namespace brigade {
namespace {

// Which of the job's ranks a change concerns.
std::vector<Rank> changed_ranks(const RankChange& change, const JobSpec& job,
                                const std::vector<VertexId>& devices, const RunRequest& whole) {
  JobContext probe{.name = job.name,
                   .devices = devices,
                   .late = std::vector<Duration>(devices.size()),
                   .compute_share = std::vector<double>(devices.size(), 1.0),
                   .topology = whole.topology,
                   .network = whole.network,
                   .at = job.at};
  Diagnostics unsaid;
  apply_change(change, true, probe, unsaid);
  std::vector<Rank> ranks;
  for (Rank r = 0; r < devices.size(); ++r)
    if (probe.late[r].ps != 0 || probe.compute_share[r] != 1 ||
        (!probe.compute_changes.empty() && !probe.compute_changes[r].empty()))
      ranks.push_back(r);
  return ranks;
}

}  // namespace

std::unique_ptr<PartialFold> PartialFold::find(const ClusterSpec& cluster, const RunRequest& whole,
                                               const Run& prepared, std::span<const LinkChange> link_changes,
                                               uint32_t units_min) {
  const std::optional<Fold> units = find_units(cluster, whole.network);
  units_min = std::max(units_min, Fold::kUnitsMin);
  if (!units || units->units < units_min) return nullptr;
  for (size_t j = 0; j < whole.jobs.size(); ++j)
    if (prepared.job(j).lasts_as_long_as_others()) return nullptr;
  Diagnostics unsaid;
  auto simulated = build_topology(with_units(cluster, *units, units->simulated), {}, unsaid);
  if (!simulated || !routes_are_alike(*simulated, *units)) return nullptr;
  std::unique_ptr<PartialFold> fold(new PartialFold(whole, *units, std::move(simulated)));
  fold->find_parts(prepared);
  const std::vector<bool> changed = fold->changed_units(link_changes);
  for (size_t p = 0; p < fold->parts_.size(); ++p) {
    Part& part = fold->parts_[p];
    const auto is_changed = [&](uint32_t unit) { return changed[unit]; };
    const auto is_alike = [&](size_t job) { return ranks_are_alike(whole.jobs[job], units->unit); };
    if (part.units.size() < units_min || std::any_of(part.units.begin(), part.units.end(), is_changed) ||
        !std::all_of(part.jobs.begin(), part.jobs.end(), is_alike))
      continue;
    fold->add_pieces(p);
  }
  if (fold->pieces_.empty()) return nullptr;
  return fold;
}

uint32_t PartialFold::unit_of(VertexId v) const {
  const Vertex& vertex = whole_.topology.vertices()[v];
  return units_.unit == Fold::Unit::kNode ? vertex.node : vertex.index;
}

// Jobs that share a unit are of one part, in the order of their first jobs.
void PartialFold::find_parts(const Run& prepared) {
  std::vector<size_t> first(whole_.jobs.size());  // by job: one of its part that came before, up to the first
  std::iota(first.begin(), first.end(), size_t{0});
  const auto root = [&](size_t job) {
    while (first[job] != job) job = first[job];
    return job;
  };
  std::vector<size_t> job_of(units_.units, SIZE_MAX);  // by unit
  const auto add = [&](size_t job, VertexId v) {
    size_t& other = job_of[unit_of(v)];
    if (other == SIZE_MAX) other = job;
    const size_t a = root(job), b = root(other);
    first[std::max(a, b)] = std::min(a, b);
  };
  for (size_t j = 0; j < whole_.jobs.size(); ++j) {
    devices_.push_back(prepared.devices_of(j));
    for (const VertexId v : devices_[j]) add(j, v);
    for (const VertexId v : prepared.job(j).servers()) add(j, v);
  }
  std::vector<size_t> part_of(whole_.jobs.size());
  for (size_t j = 0; j < devices_.size(); ++j) {
    if (root(j) == j) {
      part_of[j] = parts_.size();
      parts_.emplace_back();
    }
    parts_[part_of[root(j)]].jobs.push_back(j);
  }
  for (uint32_t unit = 0; unit < units_.units; ++unit)
    if (job_of[unit] != SIZE_MAX) parts_[part_of[root(job_of[unit])]].units.push_back(unit);
}

std::vector<bool> PartialFold::changed_units(std::span<const LinkChange> link_changes) const {
  std::vector<bool> changed(units_.units);
  const Topology& topology = whole_.topology;
  for (const LinkChange& change : link_changes) {
    Diagnostics unsaid;
    for (const LinkId l : topology.select_links(change.links, change.at, unsaid)) {
      bool is_of_a_unit = false;
      for (const VertexId v : {topology.links()[l].from, topology.links()[l].to}) {
        const Vertex& x = topology.vertices()[v];
        if (units_.unit == Fold::Unit::kNode ? x.node == kNone : x.kind != VertexKind::kGpu) continue;
        changed[unit_of(v)] = is_of_a_unit = true;
      }
      if (!is_of_a_unit) changed.assign(changed.size(), true);  // what all may cross
    }
  }
  for (const RankChange& change : whole_.changes)
    for (size_t j = 0; j < devices_.size(); ++j)
      for (const Rank r : changed_ranks(change, whole_.jobs[j], devices_[j], whole_))
        changed[unit_of(devices_[j][r])] = true;
  return changed;
}

Fold PartialFold::fold_of(const Part& part) const {
  Fold fold = units_;
  fold.units = static_cast<uint32_t>(part.units.size());
  return fold;
}

// The job's ranks in a cluster of two units, by their names; nothing where it is not on all units of the part
// alike, one after the other.
std::optional<std::vector<std::string>> PartialFold::ranks_of_two_units(const Part& part, size_t job) const {
  const std::vector<VertexId>& devices = devices_[job];
  const size_t units = part.units.size(), in_unit = devices.size() / units;
  if (devices.size() % units != 0) return std::nullopt;
  const bool nodes = units_.unit == Fold::Unit::kNode;
  const auto place_in_unit = [&](VertexId v) {
    const Vertex& x = whole_.topology.vertices()[v];
    return std::pair(x.kind, nodes ? x.index : 0);
  };
  for (size_t r = 0; r < devices.size(); ++r)
    if (unit_of(devices[r]) != part.units[r / in_unit] ||
        place_in_unit(devices[r]) != place_in_unit(devices[r % in_unit]))
      return std::nullopt;
  std::vector<std::string> names;
  for (uint32_t unit = 0; unit < Fold::kSimulated; ++unit)
    for (size_t i = 0; i < in_unit; ++i) {
      const std::string name = whole_.topology.vertex_name(devices[i]);
      const size_t dot = name.find('.');
      const std::string within = dot == std::string::npos ? "" : name.substr(dot);
      names.push_back(nodes ? absl::StrCat("node[", unit, "]", within)
                            : absl::StrCat("node[0].gpu[", unit, "]"));
    }
  return names;
}

// Its run is null where it cannot be folded.
PartialFold::Piece PartialFold::piece_of(size_t p, std::vector<JobSpec> jobs) const {
  const Part& part = parts_[p];
  Piece piece{.part = p, .jobs = std::move(jobs)};
  std::vector<JobSpec> of_two_units = piece.jobs;
  for (size_t i = 0; i < of_two_units.size(); ++i) {
    auto ranks = ranks_of_two_units(part, part.jobs[i]);
    if (!ranks) return piece;
    of_two_units[i].ranks = *std::move(ranks);
    of_two_units[i].placement.reset();
  }
  Diagnostics unsaid;
  piece.run = Run::prepare({.topology = *simulated_,
                            .network = whole_.network,
                            .seed = whole_.seed,
                            .jobs = std::move(of_two_units),
                            .changes = {},
                            .fold = fold_of(part)},
                           unsaid);
  return piece;
}

// A part's jobs together; of one collective job its rows, each by itself.
void PartialFold::add_pieces(size_t p) {
  Part& part = parts_[p];
  std::vector<JobSpec> jobs;
  for (const size_t job : part.jobs) jobs.push_back(whole_.jobs[job]);
  std::vector<Piece> pieces;
  const auto* all = std::get_if<CollectiveJobSpec>(&jobs.front().kind);
  const bool has_rows = all != nullptr && all->sizes.size() * all->algorithms.size() > 1;
  if (jobs.size() == 1 && has_rows && whole_.link_changes.empty()) {
    for (const Bytes size : all->sizes)
      for (const AlgorithmSpec& algorithm : all->algorithms) {
        JobSpec row = jobs.front();
        auto& spec = std::get<CollectiveJobSpec>(row.kind);
        spec.sizes = {size};
        spec.algorithms = {algorithm};
        if (!pieces.empty()) row.start = {};
        pieces.push_back(piece_of(p, {std::move(row)}));
        pieces.back().is_row = true;
      }
  } else {
    pieces.push_back(piece_of(p, std::move(jobs)));
  }
  part.folds = std::any_of(pieces.begin(), pieces.end(), [](const Piece& x) { return x.run != nullptr; });
  if (part.folds) std::move(pieces.begin(), pieces.end(), std::back_inserter(pieces_));
}

// These jobs on the whole cluster; `row`: this row of the only one.
std::optional<RunResult> PartialFold::run_plainly(const Piece* row, const std::vector<size_t>& jobs) const {
  RunRequest request = whole_;
  request.only = jobs;
  if (row != nullptr) request.jobs[jobs.front()] = row->jobs.front();
  Diagnostics unsaid;  // all of it was looked at before
  const auto run = Run::prepare(request, unsaid);
  BRIGADE_CHECK(run != nullptr, unsaid.text());
  RunResult result = run->go({});
  if (!result.failure.empty()) return std::nullopt;  // to be told of all jobs together
  return result;
}

std::optional<RunResult> PartialFold::go() {
  std::vector<size_t> rest;
  for (const Part& part : parts_)
    if (!part.folds) rest.insert(rest.end(), part.jobs.begin(), part.jobs.end());
  RunSum sum(whole_.jobs.size(), whole_.topology.links().size(), units_.units,
             links_of_unit(*simulated_, units_));
  std::vector<FoldedPart> folded(parts_.size());
  for (const Piece& piece : pieces_) {
    const Part& part = parts_[piece.part];
    std::optional<RunResult> result;
    if (piece.run) result = piece.run->go({});
    const bool is_folded = result && !result->units_differ;
    if (!is_folded && !piece.is_row) {
      rest.insert(rest.end(), part.jobs.begin(), part.jobs.end());
      continue;
    }
    if (!is_folded) result = run_plainly(&piece, part.jobs);
    if (!result) return std::nullopt;
    sum.add_part(static_cast<uint32_t>(piece.part), part.units, part.jobs, *result);
    FoldedPart& of_part = folded[piece.part];
    of_part.rows_folded += piece.is_row && is_folded;
    of_part.rows += piece.is_row;
    of_part.fold = fold_of(part);
    of_part.jobs = part.jobs;
  }
  std::sort(rest.begin(), rest.end());
  if (!rest.empty() || !whole_.link_changes.empty()) {
    const std::optional<RunResult> result = run_plainly(nullptr, rest);
    if (!result) return std::nullopt;
    sum.add_rest(rest, *result);
  }
  std::optional<RunResult> result = sum.result();
  if (!result) return std::nullopt;
  for (FoldedPart& part : folded)
    if (part.rows == 0 ? part.fold.used() : part.rows_folded > 0)
      result->folded_parts.push_back(std::move(part));
  return result;
}

}  // namespace brigade
