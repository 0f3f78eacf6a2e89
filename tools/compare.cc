// brigade compare A B
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "sim/study/compare.h"
#include "tools/command.h"

namespace brigade {
namespace {

struct CompareArguments {
  std::string a, b, output;
  std::vector<std::string> overrides, overrides_b, limits;
  bool all = false, json = false, csv = false;
};

bool wants_colour(const CompareArguments& a) {
  const char* no_colour = std::getenv("NO_COLOR");
  return a.output.empty() && isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

int compare(const CompareArguments& a) {
  Diagnostics errors;
  if (a.json && a.csv) errors.error({"", 0, 0}, "--json and --csv are given; allowed: one of them");
  std::vector<Limit> limits;
  for (const std::string& text : a.limits) {
    if (const auto limit = parse_limit(text, errors)) limits.push_back(*limit);
  }
  std::string failure;
  std::vector<std::string> of_b = a.overrides;
  of_b.insert(of_b.end(), a.overrides_b.begin(), a.overrides_b.end());
  const auto first = errors.ok() ? result_of(a.a, a.overrides, errors, failure) : std::nullopt;
  const auto second = errors.ok() && failure.empty() ? result_of(a.b, of_b, errors, failure) : std::nullopt;
  Comparison comparison;
  if (first && second) comparison = compare(*first, *second, limits, errors);
  print_diagnostics(errors);
  if (!errors.ok()) return kInputError;
  if (!failure.empty()) {
    print_message(failure);
    return kFailed;
  }
  comparison.a = a.a;
  comparison.b = a.b;
  const std::string text = a.json  ? print_comparison_json(comparison, a.all)
                           : a.csv ? print_comparison_csv(comparison, a.all)
                                   : print_comparison(comparison, a.all, wants_colour(a));
  const int written = write_result(text, a.output);
  if (written != kFine) return written;
  for (const Check& check : comparison.checks)
    if (check.failed()) print_message("limit broken: " + check.limit.text);
  return comparison.failed() ? kFailed : kFine;
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("compare", "lay two results or scenarios side by side, differences first");
  const auto a = std::make_shared<CompareArguments>();
  command->add_option("a", a->a, "result of run --json, or a scenario, which is run")
      ->required()
      ->type_name("A");
  command->add_option("b", a->b, "the same; changes are counted from A to B")->required()->type_name("B");
  command
      ->add_option("--fail-if", a->limits,
                   "end with 1 if that holds: 'step_time_us > +5%' (a change), 'efficiency < 90%' (of B)")
      ->type_name("LIMIT")
      ->allow_extra_args(false);
  add_overrides(*command, a->overrides, "override a value of both scenarios, as of run");
  command->add_option("--set-b", a->overrides_b, "override a value of B only")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command->add_flag("--all", a->all, "also what is equal, and all items of long lists");
  command->add_flag("--json", a->json, "everything, for programs");
  command->add_flag("--csv", a->csv, "a line a figure");
  command->add_option("-o,--output", a->output, "write it there instead of to stdout")->type_name("FILE");
  command->callback([a, &exit_code] { exit_code = compare(*a); });
}

}  // namespace brigade
