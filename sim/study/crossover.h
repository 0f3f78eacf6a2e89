// From which value of one dimension on another choice is better: "ring overtakes butterfly at 19.8 MB".
//
// Two choices change places between two neighbouring values of the dimension that grows. Between them the
// figure is taken for a straight line, which is exact for the alpha-beta times of collectives on an idle
// network; a finer range tells where it is not.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "sim/study/sweep.h"

namespace brigade {

struct Crossover {
  const StudyCrossover* asked = nullptr;
  std::vector<std::pair<std::string, std::string>> where;  // the other dimensions and their values
  std::string before, after;                               // what is better below and above
  double at = 0;  // in `unit`, the unit of the dimension's first value
  std::string unit;
  std::string low, high;  // the neighbouring values; equal where the figures are equal there
};

struct Crossovers {
  std::vector<Crossover> found;
  std::vector<std::string> messages;  // what could not be compared
};

Crossovers crossovers_of(const PreparedStudy& prepared, const std::vector<Row>& rows);

}  // namespace brigade
