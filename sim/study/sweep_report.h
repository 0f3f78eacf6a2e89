// A sweep for people and programs: one function a format, one row a format in its table. The same rows give
// the same bytes.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "sim/study/crossover.h"
#include "sim/study/sweep.h"

namespace brigade {

struct SweepReport {
  const PreparedStudy& prepared;
  const std::vector<Row>& rows;
  const std::vector<std::optional<double>>& relative;  // by row
  const Crossovers& crossovers;
  bool colour = false;  // text only
};

struct SweepFormat {
  const char* name;     // of its option
  const char* summary;  // for `brigade sweep --help`
  std::string (*print)(const SweepReport&);
};
// The first one is what is printed unless another is asked for.
std::span<const SweepFormat> sweep_formats();

std::string print_sweep_text(const SweepReport& report);
std::string print_sweep_markdown(const SweepReport& report);
std::string print_sweep_csv(const SweepReport& report);
std::string print_sweep_json(const SweepReport& report);

// "ring overtakes butterfly at 19.8 MB (between 16.384 MB and 32.768 MB)".
std::string sentence_of(const Crossover& crossover);

}  // namespace brigade
