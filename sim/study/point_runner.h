// Runs points of a study, one after the other. Each thread has its own; they share built clusters.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "sim/report/session.h"
#include "sim/scenario/point_reader.h"
#include "sim/study/columns.h"
#include "sim/study/row.h"

namespace brigade {

class PointRunner {
 public:
  // All of them outlive this.
  PointRunner(const Study& study, const std::vector<Column>& columns, TopologyCache& clusters)
      : study_(study), columns_(columns), clusters_(clusters), reader_(study) {}

  // Never fails: what goes wrong is the row's error.
  Outcome run(size_t point);
  // Of the point's input: equal hashes have equal results.
  std::string input_hash(size_t point);

 private:
  void run_into(size_t point, Row& row, nlohmann::ordered_json& line);

  const Study& study_;
  const std::vector<Column>& columns_;
  TopologyCache& clusters_;
  PointReader reader_;
};

// The first error, at its place where it has one: "a.yaml:12:9: unknown ..., and 2 more".
std::string first_error(const Diagnostics& errors);

}  // namespace brigade
