// What the subcommands of `brigade` share. Each adds itself to the command line and stores its exit code when
// it was the one that was called.
//
// Results go to stdout, and only when they are complete; all else goes to stderr.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "sim/topology/topology.h"

namespace brigade {

enum ExitCode : int {
  kFine = 0,
  kFailed = 1,        // a failed check or simulation
  kInputError = 2,    // usage or input
  kIoFailed = 3,      // a file cannot be written
  kInterrupted = 130  // by Ctrl-C
};

void add_run(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_sweep(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_replay(CLI::App& app, int& exit_code);
void add_schedule(CLI::App& app, int& exit_code);
void add_memory(CLI::App& app, int& exit_code);
void add_topology(CLI::App& app, int& exit_code);
void add_schema(CLI::App& app, int& exit_code);

// `--set` of a scenario or a cluster file, once for each value.
void add_overrides(CLI::App& command, std::vector<std::string>& overrides, const std::string& description);

// Errors and warnings, in order of place.
void print_diagnostics(const Diagnostics& diagnostics);
// Whether they end the command: errors do, and under `--strict` warnings do too.
bool are_fatal(const Diagnostics& diagnostics, bool strict);
// "brigade: " + message on stderr.
void print_message(const std::string& message);
// To stdout, or whole to `file` if that is not empty; the exit code.
int write_result(const std::string& text, const std::string& file = "");
// A drawing as SVG, coloured by `utilization` of links if that is not empty; the exit code. "-" is stdout.
int write_drawing(const Topology& topology, const std::vector<double>& utilization, const std::string& file);

}  // namespace brigade
