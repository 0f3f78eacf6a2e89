// brigade run FILE
#include <memory>
#include <optional>

#include "sim/report/session.h"
#include "tools/command.h"
#include "tools/session_output.h"

namespace brigade {
namespace {

struct RunArguments {
  SessionRequest request;
  OutputArguments output;
  std::string seed;
  bool strict = false, no_fold = false;
};

int run(RunArguments& a) {
  Diagnostics errors;
  const std::optional<size_t> links = check_output(a.output, errors);
  // The last value of a path wins, so that the option is the last.
  if (!a.seed.empty()) a.request.overrides.push_back("seed=" + a.seed);
  if (a.no_fold || links.value_or(0) > Session::kNamedUnits) a.request.fold_from = std::nullopt;
  const std::unique_ptr<Session> session = Session::open(a.request, errors);
  print_diagnostics(errors);
  return are_fatal(errors, a.strict) ? kInputError : run_session(*session, a.output, links);
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("run", "simulate a scenario and print what it takes");
  const auto a = std::make_shared<RunArguments>();
  command->add_option("scenario", a->request.file, "YAML file; its keys: brigade schema")
      ->required()
      ->type_name("FILE");
  add_overrides(*command, a->request.overrides, "override a value: --set jobs.train.buckets.cap=50MB");
  command->add_option("--seed", a->seed, "instead of the scenario's")->type_name("N");
  command->add_flag("--verify", a->request.verify,
                    "let real data travel with every job and compare it with the direct sum");
  command->add_flag("--paranoid", a->request.paranoid, "check the expensive invariants too, event by event");
  command->add_flag("--strict", a->strict, "warnings are errors: what does not fit in memory is not run");
  command->add_flag("--no-fold", a->no_fold, "simulate every rank, also where many are exactly alike");
  add_output_options(*command, a->output);
  add_trace_options(*command, a->request.trace, "--ranks");
  command->add_flag("--no-trace", a->request.trace.off, "write none, whatever the scenario says")
      ->group("Timeline");
  command->callback([a, &exit_code] { exit_code = run(*a); });
}

}  // namespace brigade
