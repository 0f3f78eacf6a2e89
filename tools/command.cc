#include "tools/command.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "sim/report/svg.h"
#include "sim/topology/drawing.h"
#include "sim/trace/output_file.h"

namespace brigade {

void add_overrides(CLI::App& command, std::vector<std::string>& overrides, const std::string& description) {
  // One value each, so that what follows is not taken for another one.
  command.add_option("--set", overrides, description)->type_name("PATH=VALUE")->allow_extra_args(false);
}

void print_diagnostics(const Diagnostics& diagnostics) { std::fputs(diagnostics.text().c_str(), stderr); }

bool are_fatal(const Diagnostics& diagnostics, bool strict) {
  return !diagnostics.ok() || (strict && !diagnostics.list().empty());
}

void print_message(const std::string& message) { std::fprintf(stderr, "brigade: %s\n", message.c_str()); }

int write_result(const std::string& text, const std::string& file) {
  if (!file.empty()) {
    OutputFile out(file);
    out.write(text);
    const IoError error = out.close();
    if (error) print_message(*error);
    return error ? kIoFailed : kFine;
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kFine;
  print_message(std::string("cannot write the result: ") + std::strerror(errno));
  return kIoFailed;
}

int write_drawing(const Topology& topology, const std::vector<double>& utilization, const std::string& file) {
  const std::string dot = drawing(topology, {.fold = true, .utilization = utilization});
  const Svg svg = dot.empty() ? Svg{"", absl::StrCat("no drawing: more than ", kDrawnVerticesMax,
                                                     " vertices are left after equal ones are folded")}
                              : svg_of(dot);
  if (svg.error.empty()) return write_result(svg.text, file == "-" ? "" : file);
  print_message(svg.error);
  return kFailed;
}

}  // namespace brigade
