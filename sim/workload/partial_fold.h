// Folding of those parts of a scenario that are alike, where the whole is not: what a slow link, a straggler
// or another job touches is simulated rank by rank, and nothing else.
//
// A part is the jobs, with their servers, that share units with each other (fold.h), directly or by way of
// others. Alike units hang on one switch with links of their own, so parts have no link in common and cannot
// feel each other. A part is folded if no change of a link or a rank touches one of its units, all its jobs
// are on all of its units alike, and two units agree after the run. All other parts run together, on the
// whole cluster. A collective job that has its part for itself begins each of its rows when nothing is under
// way: where one row cannot be folded (unequal chunks, a tree), the others may.
//
// Exact, and checked: what ran on the whole cluster must have left alone the links of what was folded.
// Not taken apart: jobs that last as long as the others; rows beside changes of a time; a scenario whose jobs
// run alone as well. The whole cluster is built, unlike in a fold of everything.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/topology/spec.h"
#include "sim/workload/run.h"

namespace brigade {

class PartialFold {
 public:
  // Null where nothing can be folded. `whole`: everything, and `prepared` for it without mistakes; it
  // outlives this. `link_changes`: all of the scenario. A part has at least `units_min` units.
  static std::unique_ptr<PartialFold> find(const ClusterSpec& cluster, const RunRequest& whole,
                                           const Run& prepared, std::span<const LinkChange> link_changes,
                                           uint32_t units_min);
  // Nothing where all must be simulated together after all.
  std::optional<RunResult> go();

 private:
  struct Part {
    std::vector<size_t> jobs;
    std::vector<uint32_t> units;  // ascending
    bool folds = false;           // or a row of its job does
  };
  // What is folded at once, or could not be: a part, or one row of its only job.
  struct Piece {
    size_t part = 0;
    std::vector<JobSpec> jobs;
    bool is_row = false;
    std::unique_ptr<Run> run = nullptr;  // of two units; null: this row is not alike
  };

  PartialFold(const RunRequest& whole, const Fold& units, std::unique_ptr<const Topology> simulated)
      : whole_(whole), units_(units), simulated_(std::move(simulated)) {}
  uint32_t unit_of(VertexId v) const;
  void find_parts(const Run& prepared);
  std::vector<bool> changed_units(std::span<const LinkChange> link_changes) const;
  Fold fold_of(const Part& part) const;
  std::optional<std::vector<std::string>> ranks_of_two_units(const Part& part, size_t job) const;
  Piece piece_of(size_t part, std::vector<JobSpec> jobs) const;
  void add_pieces(size_t part);
  std::optional<RunResult> run_plainly(const Piece* row, const std::vector<size_t>& jobs) const;

  const RunRequest& whole_;
  Fold units_;                                  // of all units
  std::unique_ptr<const Topology> simulated_;   // two of them, whichever part they stand for
  std::vector<std::vector<VertexId>> devices_;  // by job
  std::vector<Part> parts_;
  std::vector<Piece> pieces_;
};

}  // namespace brigade
