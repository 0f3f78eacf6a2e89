#include "tools/session_output.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tools/command.h"

namespace brigade {
namespace {

// While it lives, Ctrl-C waits: a timeline that is being written becomes whole, and no piece of it is left.
class Uninterrupted {
 public:
  Uninterrupted() {
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigaddset(&interrupt, SIGTERM);
    sigprocmask(SIG_BLOCK, &interrupt, &before_);
  }
  ~Uninterrupted() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;

 private:
  sigset_t before_;
};

// "all" or a number.
bool parse_links(const std::string& text, std::optional<size_t>& out) {
  uint32_t count = 0;
  if (text == "all") {
    out = SIZE_MAX;
  } else if (absl::SimpleAtoi(text, &count)) {
    out = count;
  }
  return out.has_value();
}

// The whole cluster, also of a fold, with how busy each link was.
int draw(const Session& session, const RunResult& result, const std::string& file) {
  const Fold& fold = result.fold;
  Diagnostics known;
  const auto whole = fold.used() ? build_topology(session.scenario().cluster, {}, known) : nullptr;
  const Topology& topology = whole ? *whole : session.topology();
  std::vector<double> busy(topology.links().size());
  for (const LinkResult& link : result.links) {
    const uint32_t alike = link.every != 0 ? fold.units : 1;
    for (uint32_t unit = 0; unit < alike; ++unit) busy[link.link + unit * link.every] = link.utilization;
  }
  return write_drawing(topology, busy, file);
}

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

}  // namespace

void add_output_options(CLI::App& command, OutputArguments& a) {
  for (const Format& format : formats()) {
    const auto choose = [&a, &format](int64_t) { a.formats.push_back(&format); };
    command.add_flag_function(absl::StrCat("--", format.name), choose, format.summary);
  }
  command.add_option("--links", a.links, "how many of the busiest links are printed")->type_name("all|N");
  command.add_flag("--timing", a.timing, "add the time on the clock, which differs from run to run");
  command.add_option("-o,--output", a.output, "write the result there instead of to stdout")
      ->type_name("FILE");
  command
      .add_option("--svg", a.svg, "draw the cluster, links coloured by how busy they were; needs Graphviz")
      ->type_name("FILE");
}

void add_trace_options(CLI::App& command, TraceOptions& trace, const char* ranks_option) {
  constexpr const char* kGroup = "Timeline";
  const auto add = [&](const char* name, std::optional<std::string>& value, const char* type,
                       const char* description) {
    command.add_option(name, value, description)->type_name(type)->group(kGroup);
  };
  add("--trace", trace.file, "FILE", "write it for Perfetto; gzip if the name ends in .gz");
  add("--trace-level", trace.level, "LEVEL", "finest thing in it: job, collective, message, segment");
  add(ranks_option, trace.ranks, "RANKS", "only these ranks: 0-7, or 1,5-6");
  add("--window", trace.window, "BEGIN:END", "only what lies in it: 0us:5ms");
}

std::optional<size_t> check_output(const OutputArguments& a, Diagnostics& errors) {
  std::optional<size_t> links;
  if (!a.links.empty() && !parse_links(a.links, links))
    errors.error({"--links", 0, 0},
                 absl::StrCat("\"", a.links, "\" is no number; allowed: all, or 0, 1, ..."));
  if (a.formats.size() > 1)
    errors.error({"", 0, 0}, absl::StrCat("--", a.formats[0]->name, " and --", a.formats[1]->name,
                                          " are given; allowed: one of them"));
  return links;
}

int run_session(Session& session, const OutputArguments& a, std::optional<size_t> links) {
  const std::string trace_file = session.trace() ? session.trace()->file : "";
  for (const std::string& file : {trace_file, a.output, a.svg}) {
    const IoError error = file.empty() ? IoError{} : check_writable(file);
    if (!error) continue;
    print_message(*error);
    return kIoFailed;
  }
  const auto begin = std::chrono::steady_clock::now();
  const RunResult result = session.run();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  if (!trace_file.empty()) {
    const Uninterrupted until_written;
    if (const IoError error = session.write_trace()) {
      print_message(*error);
      return kIoFailed;
    }
  }
  const Format& text = formats().front();
  const Format& format = a.formats.empty() ? text : *a.formats.front();
  if (!trace_file.empty() && (&format != &text || !result.failure.empty()))
    print_message(absl::StrCat("timeline: ", trace_file));
  if (!result.failure.empty()) {
    print_message(result.failure);
    return kFailed;
  }
  Report report{.scenario = session.scenario(),
                .topology = session.topology(),
                .result = result,
                .links = links,
                .trace_file = trace_file,
                .colour = a.output.empty() && wants_colour()};
  if (a.timing) report.wall_s = wall.count();
  const int written = write_result(format.print(report), a.output);
  return written == kFine && !a.svg.empty() ? draw(session, result, a.svg) : written;
}

}  // namespace brigade
