// brigade schedule ALGORITHM -n N
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "sim/collective/schedule.h"
#include "tools/command.h"

namespace brigade {
namespace {

struct ScheduleArguments {
  std::string algorithm, collective;
  PlanRequest request;
  std::vector<double> values;
  bool list = false;
};

int refuse(const std::string& message) {
  print_message(absl::StrCat("schedule: ", message));
  return kInputError;
}

// By name, of the collective that was asked for; without one, of the first that has it.
const Algorithm* find(const ScheduleArguments& a) {
  for (const Algorithm* row : algorithms()) {
    if (row->name == a.algorithm && (a.collective.empty() || name_of(row->collective) == a.collective))
      return row;
  }
  return nullptr;
}

std::string unknown(const ScheduleArguments& a) {
  std::vector<std::string> collectives, names;
  const auto add = [](std::vector<std::string>& list, const char* name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(name);
  };
  for (const Algorithm* row : algorithms()) {
    add(collectives, name_of(row->collective));
    if (a.collective.empty() || a.collective == name_of(row->collective)) add(names, row->name);
  }
  if (names.empty())
    return absl::StrCat("unknown collective \"", a.collective, "\"", suggestion(a.collective, collectives));
  return absl::StrCat("unknown algorithm \"", a.algorithm, "\"",
                      a.collective.empty() ? "" : absl::StrCat(" of ", a.collective),
                      suggestion(a.algorithm, names));
}

int print(ScheduleArguments& a) {
  if (a.list) return write_result(list_algorithms());
  if (a.algorithm.empty()) return refuse("which algorithm? brigade schedule --list names them");
  PlanRequest& request = a.request;
  request.algorithm = find(a);
  if (request.algorithm == nullptr) return refuse(unknown(a));
  if (request.ranks == 0) request.ranks = static_cast<Rank>(a.values.size());
  if (request.ranks == 0) return refuse("of how many ranks? add -n N");
  // As many elements as ranks show every part that an algorithm cuts.
  if (request.elements < 0) request.elements = request.ranks;
  const ScheduleText schedule = print_schedule(request, a.values);
  if (!schedule.error.empty()) return refuse(schedule.error);
  return write_result(schedule.text);
}

}  // namespace

void add_schedule(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("schedule", "print a collective round by round");
  const auto a = std::make_shared<ScheduleArguments>();
  a->request.ranks = 0;
  a->request.elements = -1;
  command->add_option("algorithm", a->algorithm, "ring, tree, butterfly, ...")->type_name("ALGORITHM");
  command->add_flag("--list", a->list, "list all algorithms instead");
  command->add_option("-n,--ranks", a->request.ranks, absl::StrCat("1 to ", kScheduleRanksMax))
      ->type_name("N")
      ->check(CLI::Range(Rank{1}, kScheduleRanksMax));
  command
      ->add_option("--collective", a->collective, "where several have the algorithm; else all_reduce first")
      ->type_name("NAME");
  command->add_option("--values", a->values, "what each rank starts with, to see sums: 1,10,100,1000")
      ->type_name("V,V,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--elements", a->request.elements, "in the buffer; as many as ranks unless told")
      ->type_name("M")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 20));
  command->add_option("--root", a->request.root, "of broadcast and reduce")->type_name("RANK");
  command->add_option("--group", a->request.group, "hierarchical: ranks in each node")->type_name("G");
  command->add_option("--inner", a->request.inner, "hierarchical: algorithm inside nodes")->type_name("NAME");
  command->add_option("--outer", a->request.outer, "hierarchical: algorithm across nodes")->type_name("NAME");
  command->callback([a, &exit_code] { exit_code = print(*a); });
}

}  // namespace brigade
