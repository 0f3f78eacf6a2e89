// The command: options to calls, nothing else. Each subcommand has its file.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>

#include "absl/strings/str_cat.h"
#include "tools/command.h"

namespace brigade {
namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  brigade run scenarios/ddp_64gpu.yaml\n"
    "  brigade run scenarios/ddp_64gpu.yaml --set jobs.train.buckets.cap=50MB --json\n"
    "  brigade run scenarios/ddp_64gpu.yaml --trace step.json.gz --ranks 0-7\n"
    "  brigade check scenarios/ddp_64gpu.yaml\n"
    "  brigade sweep scenarios/studies/bucket_size.yaml --markdown\n"
    "  brigade compare before.json after.json --fail-if 'step_time_us > +5%'\n"
    "  brigade replay rank0.json.gz --topology topologies/hgx_h100_rail.yaml --set nodes=2 --ranks 16\n"
    "  brigade schedule ring -n 4 --values 1,10,100,1000\n"
    "  brigade memory llama2-7b --ranks 64 --stage 3 --device-memory 80GB\n"
    "  brigade topology topologies/hgx_h100_rail.yaml --set nodes=4 --svg cluster.svg\n"
    "  brigade topology import system.xml -o mine.yaml\n"
    "\n"
    "Exit codes: 0 fine, 1 a failed check or simulation, 2 usage or input error, 3 a file cannot be "
    "written,\n"
    "130 interrupted.";

void on_interrupt(int) {
  constexpr char kMessage[] = "brigade: interrupted\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  _exit(kInterrupted);
}

// What CLI11 cannot know: which of the names that exist was meant.
std::string did_you_mean(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) return "";
  std::vector<std::string> commands, options;
  const CLI::App* called = nullptr;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(command->get_name());
    if (command->get_name() == argv[1]) called = command;
  }
  if (called == nullptr && argv[1][0] != '-')
    return absl::StrCat("unknown command \"", argv[1], "\"", suggestion(argv[1], commands));
  const CLI::App& scope = called == nullptr ? app : *called;
  const auto add_options = [&](const CLI::App& of) {
    for (const CLI::Option* option : of.get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
    }
  };
  add_options(scope);
  for (const CLI::App* part : scope.get_subcommands([](const CLI::App*) { return true; })) add_options(*part);
  for (int i = 1; i < argc; ++i) {
    const std::string word(argv[i]), name = word.substr(0, word.find('='));
    if (name.starts_with("--") && std::find(options.begin(), options.end(), name) == options.end())
      return absl::StrCat("unknown option \"", name, "\"", suggestion(name, options));
  }
  return "";
}

int main(int argc, char** argv) {
  // Whoever starts us in the background ignores Ctrl-C, and so it stays.
  if (std::signal(SIGINT, SIG_IGN) != SIG_IGN) std::signal(SIGINT, on_interrupt);
  int exit_code = kFine;
  CLI::App app(
      "How long does a data-parallel training step take on this network, and where does the time go?",
      "brigade");
  app.set_version_flag("--version", "brigade " BRIGADE_VERSION, "print the version");
  app.set_help_flag("-h,--help", "print this, or the help of a command: brigade run --help");
  app.require_subcommand(1);
  add_run(app, exit_code);
  add_check(app, exit_code);
  add_sweep(app, exit_code);
  add_compare(app, exit_code);
  add_replay(app, exit_code);
  add_schedule(app, exit_code);
  add_memory(app, exit_code);
  add_topology(app, exit_code);
  add_schema(app, exit_code);
  app.footer(kExamples);  // last, or all commands would repeat it
  if (argc < 2) {
    print_message("which command?\n\n" + app.help());
    return kInputError;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    const std::string meant = did_you_mean(app, argc, argv);
    print_message(absl::StrCat(meant.empty() ? error.what() : meant, "; see brigade --help"));
    return kInputError;
  } catch (const std::bad_alloc&) {
    print_message("out of memory");
    return kFailed;
  }
  return exit_code;
}

}  // namespace
}  // namespace brigade

int main(int argc, char** argv) { return brigade::main(argc, argv); }
