// brigade sweep STUDY, brigade sweep merge STUDY FILE...
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "sim/study/mpi.h"
#include "sim/study/point_runner.h"
#include "sim/study/relative.h"
#include "sim/study/sweep_report.h"
#include "tools/command.h"
#include "tools/progress.h"

namespace brigade {
namespace {

struct SweepArguments {
  std::string study, shard, results, output;
  std::vector<std::string> overrides, columns, merged;
  std::vector<const SweepFormat*> formats;  // that were asked for
  bool resume = false, restart = false, no_results = false;
  int threads = 0;
  double patience_s = 30;
};

bool wants_colour(const std::string& output) {
  const char* no_colour = std::getenv("NO_COLOR");
  return output.empty() && isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

void check_usage(const SweepArguments& a, Diagnostics& errors) {
  const auto refuse = [&](const std::string& message) { errors.error({"", 0, 0}, message); };
  if (a.formats.size() > 1)
    refuse(absl::StrCat("--", a.formats[0]->name, " and --", a.formats[1]->name,
                        " are given; allowed: one of them"));
  if (a.resume && a.restart) refuse("--resume and --restart are given; allowed: one of them");
  if (a.no_results && (a.resume || a.restart || !a.results.empty()))
    refuse("--no-results contradicts --results, --resume and --restart");
  if (!a.shard.empty() && !parse_shard(a.shard))
    errors.error({"--shard", 0, 0}, absl::StrCat("\"", a.shard, "\" is no shard; allowed: 1/64 to 64/64"));
}

// Where results go unless it is said: beside whoever runs the command.
std::string default_results(const Study& study, const Shard& shard) {
  const std::string part = shard.of == 1 ? "" : absl::StrCat(".", shard.index, "of", shard.of);
  return absl::StrCat(study.name, part, ".results.jsonl");
}

// As many as cores; one under mpirun, which starts a process for each core.
int threads_of(const SweepArguments& a, bool by_mpi) {
  if (a.threads > 0) return a.threads;
  return by_mpi ? 1 : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

SweepOptions options_of(const SweepArguments& a, const Study& study, MpiRanks* ranks) {
  SweepOptions options;
  options.version = BRIGADE_VERSION;
  if (!a.shard.empty()) options.shard = *parse_shard(a.shard);
  options.threads = threads_of(a, ranks != nullptr);
  options.ranks = ranks;
  options.patience_s = a.patience_s;
  options.results = a.no_results ? "" : a.results.empty() ? default_results(study, options.shard) : a.results;
  options.mode = a.resume    ? ResultsFile::Mode::kResume
                 : a.restart ? ResultsFile::Mode::kRestart
                             : ResultsFile::Mode::kNew;
  return options;
}

int print(const SweepArguments& a, const PreparedStudy& prepared, const SweepResult& result) {
  for (const std::string& message : result.messages) print_message(message);
  if (result.io_error) {
    print_message(*result.io_error);
    return kIoFailed;
  }
  if (result.input_refused) return kInputError;
  Diagnostics errors;
  check_columns(prepared, result.rows, errors);
  print_diagnostics(errors);
  if (!errors.ok()) return kInputError;
  const auto relative = relative_of(prepared, result.rows);
  const Crossovers crossovers = crossovers_of(prepared, result.rows);
  for (const std::string& message : crossovers.messages) print_message(message);
  const SweepFormat& format = a.formats.empty() ? sweep_formats().front() : *a.formats.front();
  const int written = write_result(format.print({.prepared = prepared,
                                                 .rows = result.rows,
                                                 .relative = relative,
                                                 .crossovers = crossovers,
                                                 .colour = wants_colour(a.output)}),
                                   a.output);
  if (written != kFine) return written;
  if (result.failed == 0) return kFine;
  print_message(absl::StrCat(result.failed, " of ", result.rows.size(), " points failed"));
  return kFailed;
}

std::optional<PreparedStudy> prepare(const SweepArguments& a, Diagnostics& errors) {
  check_usage(a, errors);
  if (!errors.ok()) return {};
  return prepare_study(a.study, a.overrides, a.columns, errors);
}

int sweep_here(const SweepArguments& a, const PreparedStudy& prepared, MpiRanks* ranks) {
  SweepOptions options = options_of(a, prepared.study, ranks);
  SweepResult result;
  {
    Progress progress;
    options.on_point = [&](size_t done, size_t total) { progress.show(done, total); };
    result = run_sweep(prepared, options);
  }
  if (ranks != nullptr) ranks->dismiss(result.messages);
  return print(a, prepared, result);
}

// One of several processes. All read the study; rank 0 speaks.
int sweep_on_ranks(const SweepArguments& a) {
  if (!has_mpi()) {
    print_message(
        "mpirun started this, but it was built without MPI: install libopenmpi-dev and build again, or use "
        "--shard");
    return kInputError;
  }
  MpiRanks ranks;
  Diagnostics errors;
  const auto prepared = prepare(a, errors);
  if (ranks.rank() > 0) {
    ranks.serve(prepared ? &*prepared : nullptr, threads_of(a, true), prepared ? "" : first_error(errors));
    return kFine;
  }
  print_diagnostics(errors);
  std::vector<std::string> messages;
  const int exit_code = prepared ? sweep_here(a, *prepared, &ranks) : kInputError;
  ranks.dismiss(messages);
  return exit_code;
}

int sweep(const SweepArguments& a) {
  if (started_by_mpi()) return sweep_on_ranks(a);
  Diagnostics errors;
  const auto prepared = prepare(a, errors);
  print_diagnostics(errors);
  return prepared ? sweep_here(a, *prepared, nullptr) : kInputError;
}

int merge_shards(const SweepArguments& a) {
  Diagnostics errors;
  const auto prepared = prepare(a, errors);
  print_diagnostics(errors);
  if (!prepared) return kInputError;
  SweepOptions options = options_of(a, prepared->study, nullptr);
  options.run = false;
  options.results.clear();
  options.merged = a.merged;
  return print(a, *prepared, run_sweep(*prepared, options));
}

void add_output(CLI::App& command, const std::shared_ptr<SweepArguments>& a) {
  for (const SweepFormat& format : sweep_formats()) {
    const auto choose = [a, &format](int64_t) { a->formats.push_back(&format); };
    command.add_flag_function(absl::StrCat("--", format.name), choose, format.summary);
  }
  command.add_option("--columns", a->columns, "figures to show instead of the study's, by path")
      ->type_name("PATH,PATH,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command.add_option("-o,--output", a->output, "write the table there instead of to stdout")
      ->type_name("FILE");
  add_overrides(command, a->overrides, "override a value of the base scenario, as of run");
}

}  // namespace

void add_sweep(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("sweep", "run a study: a scenario with many values, on all cores");
  const auto a = std::make_shared<SweepArguments>();
  command->add_option("study", a->study, "YAML file; its keys: brigade schema study")->type_name("FILE");
  add_output(*command, a);
  command->add_option("-j,--threads", a->threads, "points that run at once; as many as cores unless told")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--results", a->results,
                   "append each point's result there; NAME.results.jsonl unless told")
      ->type_name("FILE");
  command->add_flag("--no-results", a->no_results, "keep no file; a sweep that is interrupted starts anew");
  command->add_flag("--resume", a->resume, "go on with a results file: only points that it lacks run");
  command->add_flag("--restart", a->restart, "begin a results file anew");
  command->add_option("--shard", a->shard, "run this part of the points only, for job arrays; then merge")
      ->type_name("I/N");
  command
      ->add_option("--patience", a->patience_s,
                   "under mpirun: a process that is silent for so long is lost; 30")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  CLI::App* merge = command->add_subcommand("merge", "print what the results files of shards hold together");
  const auto m = std::make_shared<SweepArguments>();
  merge->add_option("study", m->study, "YAML file")->required()->type_name("FILE");
  merge->add_option("results", m->merged, "results files of its shards")->required()->type_name("FILE...");
  add_output(*merge, m);
  merge->callback([m, &exit_code] { exit_code = merge_shards(*m); });
  command->callback([a, command, &exit_code] {
    if (!command->get_subcommands().empty()) return;
    if (a->study.empty()) throw CLI::RequiredError("study");
    exit_code = sweep(*a);
  });
}

}  // namespace brigade
