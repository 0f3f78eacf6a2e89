// brigade topology FILE
#include <memory>

#include "sim/scenario/scenario.h"
#include "sim/topology/describe.h"
#include "tools/command.h"

namespace brigade {
namespace {

struct TopologyArguments {
  std::string file;
  std::vector<std::string> parameters;
  bool dot = false;
};

int show(const TopologyArguments& a) {
  Diagnostics errors;
  const std::optional<ClusterFile> cluster = load_cluster(a.file, a.parameters, errors);
  const auto topology = cluster ? build_topology(cluster->cluster, cluster->link_changes, errors) : nullptr;
  print_diagnostics(errors);
  if (!topology) return kInputError;
  return write_result(a.dot ? graphviz(*topology) : describe(*topology));
}

}  // namespace

void add_topology(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("topology", "describe a cluster, of a file of its own or of a scenario");
  const auto a = std::make_shared<TopologyArguments>();
  command->add_option("file", a->file, "YAML file")->required()->type_name("FILE");
  add_overrides(*command, a->parameters,
                "set a parameter of a cluster file (nodes=4), or override a scenario");
  command->add_flag("--dot", a->dot, "as a graph for Graphviz: brigade topology FILE --dot | dot -Tsvg");
  command->callback([a, &exit_code] { exit_code = show(*a); });
}

}  // namespace brigade
