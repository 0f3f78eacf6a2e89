// What a run found out, ready to be printed: one format a file, one row a format in formats.cc.
//
// The same report gives the same bytes in every format, from every build: nothing here reads a clock or the
// environment, and figures are rounded as figures.h says.
//
// Adding a format: a file like csv.cc, declared below, and a row in formats.cc. The command offers each row
// as
// `--NAME`.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sim/scenario/scenario.h"
#include "sim/topology/topology.h"
#include "sim/workload/run.h"

namespace brigade {

struct Report {
  const Scenario& scenario;
  const Topology& topology;
  const RunResult& result;  // of a run that has not failed
  // How many of the busiest links: SIZE_MAX is all of them; without it the format's own number.
  std::optional<size_t> links = std::nullopt;
  std::optional<double> wall_s = std::nullopt;  // printed where given: it differs from run to run
  std::string trace_file = "";                  // where the timeline was written; empty: nowhere
  bool colour = false;                          // text only: headings in bold, for a terminal
};

struct Format {
  const char* name;     // "json", and of its option "--json"
  const char* summary;  // for `brigade run --help`
  std::string (*print)(const Report&);
};
// The first one is what is printed unless another is asked for.
std::span<const Format> formats();

std::string print_text(const Report& report);
std::string print_json(const Report& report);
std::string print_csv(const Report& report);

}  // namespace brigade
