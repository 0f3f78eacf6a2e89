// brigade check FILE: everything short of running, of a scenario or a study.
#include <memory>

#include "absl/strings/str_cat.h"
#include "sim/report/session.h"
#include "sim/report/suspicious.h"
#include "sim/scenario/scenario.h"
#include "sim/study/sweep.h"
#include "tools/command.h"

namespace brigade {
namespace {

int check_study(const SessionRequest& request, bool strict) {
  Diagnostics errors;
  const auto prepared = prepare_study(request.file, request.overrides, {}, errors);
  print_diagnostics(errors);
  if (!prepared || are_fatal(errors, strict)) return kInputError;
  const Study& study = prepared->study;
  const std::string base = study.base_written ? "its base" : study.base_file;
  return write_result(absl::StrCat(request.file, ": ok: ", study.points(),
                                   study.points() == 1 ? " point of " : " points of ", base, "\n"));
}

int check_cluster(const SessionRequest& request, bool strict) {
  Diagnostics errors;
  const std::optional<ClusterFile> file = load_cluster(request.file, request.overrides, errors);
  const auto t = file ? build_topology(file->cluster, {}, errors) : nullptr;
  if (t) {
    Scenario scenario;
    scenario.cluster = file->cluster;
    warn_of_suspicious_values(scenario, errors);
    warn_of_suspicious_topology(*t, file->cluster.at, errors);
  }
  print_diagnostics(errors);
  if (!t || are_fatal(errors, strict)) return kInputError;
  return write_result(absl::StrCat(request.file, ": ok: a cluster, ", t->nodes(),
                                   t->nodes() == 1 ? " node" : " nodes", ": ", t->selectable(), "\n"));
}

int check(const SessionRequest& request, bool strict) {
  if (is_study(request.file)) return check_study(request, strict);
  if (is_cluster_file(request.file)) return check_cluster(request, strict);
  Diagnostics errors;
  const std::unique_ptr<Session> session = Session::open(request, errors);
  if (session) warn_of_suspicious_topology(session->topology(), session->scenario().cluster.at, errors);
  print_diagnostics(errors);
  if (are_fatal(errors, strict)) return kInputError;
  const size_t jobs = session->scenario().jobs.size();
  const Topology& t = session->topology();
  return write_result(absl::StrCat(request.file, ": ok: ", jobs, jobs == 1 ? " job" : " jobs", ", ",
                                   session->ranks(), session->ranks() == 1 ? " rank" : " ranks", " on ",
                                   t.name().empty() ? "its cluster" : t.name(), ", ", t.nodes(),
                                   t.nodes() == 1 ? " node" : " nodes", "\n"));
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("check", "read and check a scenario, a study or a cluster file without running it");
  const auto request = std::make_shared<SessionRequest>();
  command->add_option("scenario", request->file, "YAML file")->required()->type_name("FILE");
  add_overrides(*command, request->overrides, "override a value, as of run");
  const auto strict = std::make_shared<bool>(false);
  command->add_flag("--strict", *strict, "warnings are errors");
  command->callback([request, strict, &exit_code] { exit_code = check(*request, *strict); });
}

}  // namespace brigade
