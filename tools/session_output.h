// From a session to what the user asked for: run it, write the timeline, print the result. Shared by the
// commands that simulate.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/report.h"
#include "sim/report/session.h"

namespace brigade {

struct OutputArguments {
  std::vector<const Format*> formats;  // that were asked for
  std::string links, output, svg;
  bool timing = false;
};
// Both must outlive the command line.
void add_output_options(CLI::App& command, OutputArguments& arguments);
void add_trace_options(CLI::App& command, TraceOptions& trace, const char* ranks_option);

// The number of links to print, SIZE_MAX for all.
std::optional<size_t> check_output(const OutputArguments& arguments, Diagnostics& errors);
// The exit code.
int run_session(Session& session, const OutputArguments& arguments, std::optional<size_t> links);

}  // namespace brigade
