// brigade replay TRACE --topology FILE
#include <memory>
#include <optional>

#include "sim/scenario/replay_scenario.h"
#include "tools/command.h"
#include "tools/session_output.h"

namespace brigade {
namespace {

struct ReplayArguments {
  ReplayRequest request;
  SessionRequest session;
  OutputArguments output;
};

int replay(const ReplayArguments& a) {
  Diagnostics errors;
  const std::optional<size_t> links = check_output(a.output, errors);
  ScenarioParts parts = replay_scenario(a.request, errors);
  const std::unique_ptr<Session> session =
      errors.ok() ? Session::open(std::move(parts), a.session, nullptr, errors) : nullptr;
  print_diagnostics(errors);
  return errors.ok() ? run_session(*session, a.output, links) : kInputError;
}

}  // namespace

void add_replay(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "replay",
      "let a PyTorch trace run on N ranks of another cluster, and print its steps beside the traced ones");
  const auto a = std::make_shared<ReplayArguments>();
  ReplayRequest& r = a->request;
  command
      ->add_option(
          "traces", r.traces,  // newer CLI11 takes "trace" for the option --trace
          "Kineto traces (.json, .gz, .tar.gz, a folder): of one rank, which stands for all, or of all ranks")
      ->required()
      ->type_name("TRACE");
  command->add_option("--topology", r.topology, "cluster file, or a scenario whose cluster is taken")
      ->required()
      ->type_name("FILE");
  add_overrides(*command, r.parameters, "set a parameter of the cluster file: --set nodes=4");
  command->add_option("--ranks", r.ranks, "on the first N GPUs; as many as were traced without it")
      ->type_name("N");
  command
      ->add_option("--durations", r.durations,
                   "of collectives: simulated (default) on the network; traced; none (infinite bandwidth, no "
                   "latency); never (no bandwidth)")
      ->type_name("WHICH");
  command->add_option("--all-reduce", r.all_reduce, "algorithm of all-reduces; ring without it")
      ->type_name("NAME");
  command->add_option("--network", r.network, "packet (default) or fluid")->type_name("MODEL");
  command
      ->add_option(
          "--unnamed-groups", r.unnamed_groups,
          "ranks of a group of which the trace only says the size: refused (default), contiguous, strided")
      ->type_name("WHICH");
  add_output_options(*command, a->output);
  add_trace_options(*command, a->session.trace, "--trace-ranks");
  command->callback([a, &exit_code] { exit_code = replay(*a); });
}

}  // namespace brigade
