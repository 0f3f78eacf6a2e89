// brigade topology FILE, brigade topology import FILE
#include <memory>

#include "absl/strings/str_cat.h"
#include "sim/scenario/cluster_writer.h"
#include "sim/scenario/import.h"
#include "sim/scenario/input_files.h"
#include "sim/scenario/scenario.h"
#include "sim/topology/describe.h"
#include "sim/topology/drawing.h"
#include "sim/topology/export.h"
#include "tools/command.h"

namespace brigade {
namespace {

struct TopologyArguments {
  std::string file, output;
  std::vector<std::string> parameters;
  bool dot = false, yaml = false, graphml = false, nccl = false;
  std::string svg;
};

Exported text_of(const Topology& topology, const TopologyArguments& a, Diagnostics& errors) {
  if (a.yaml) return {cluster_yaml(topology, errors), {}};
  if (a.graphml) return graphml_of(topology, errors);
  if (a.nccl) return nccl_xml_of(topology, errors);
  return {a.dot ? drawing(topology, {.fold = false}) : describe(topology), {}};
}

int show(const TopologyArguments& a) {
  Diagnostics errors;
  const std::optional<ClusterFile> cluster = load_cluster(a.file, a.parameters, errors);
  const auto topology = cluster ? build_topology(cluster->cluster, cluster->link_changes, errors) : nullptr;
  Exported text;
  if (topology && a.svg.empty()) text = text_of(*topology, a, errors);
  print_diagnostics(errors);
  if (!errors.ok()) return kInputError;
  if (!a.svg.empty()) return write_drawing(*topology, {}, a.svg);
  for (const std::string& loss : text.losses) print_message(loss);
  return write_result(text.text, a.output);
}

struct ImportArguments {
  std::string file, output;
  ImportOptions options;
};

int import(const ImportArguments& a) {
  Diagnostics errors;
  const std::optional<std::string> bytes = InputFiles(errors).bytes_of(a.file, {});
  const std::optional<ImportedFile> imported =
      bytes ? import_topology(*bytes, a.file, a.options, errors) : std::nullopt;
  print_diagnostics(errors);
  if (!imported) return kInputError;
  const int code = write_result(imported->yaml, a.output);
  if (code != kFine) return code;
  print_message(absl::StrCat(a.file, ": ", imported->kind));
  for (const ImportParameter& p : imported->parameters)
    print_message(absl::StrCat("assumed ", p.name, " = ", p.value, ": ", p.why));
  for (const std::string& assumption : imported->assumptions)
    print_message(absl::StrCat("assumed: ", assumption));
  print_message(absl::StrCat("there are ", imported->selectable));
  return code;
}

void add_import(CLI::App& topology, int& exit_code) {
  CLI::App* command = topology.add_subcommand(
      "import",
      "make a cluster file of a topology file of another tool: NCCL XML, nvidia-smi topo -m, GraphML, "
      "ASTRA-sim, ns-3");
  const auto a = std::make_shared<ImportArguments>();
  command->add_option("file", a->file, "its kind is recognised by its content")
      ->required()
      ->type_name("FILE");
  command->add_option("-o,--output", a->output, "the cluster file to write; else to stdout")
      ->type_name("FILE");
  command->add_option("--nodes", a->options.nodes, "so many servers of the one that the file describes")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 16));
  command
      ->add_option("--nvlinks", a->options.nvlinks,
                   "NVLinks of each GPU to NVLink switches (A100 12, H100 18), where the file names none")
      ->type_name("N")
      ->check(CLI::Range(1, 1024));
  command->callback([a, &exit_code] { exit_code = import(*a); });
}

}  // namespace

void add_topology(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "topology", "describe a cluster, of a file of its own or of a scenario; or import one");
  const auto a = std::make_shared<TopologyArguments>();
  command->add_option("file", a->file, "YAML file")->type_name("FILE");
  add_overrides(*command, a->parameters,
                "set a parameter of a cluster file (nodes=4), or override a scenario");
  command->add_flag("--dot", a->dot, "as a graph for Graphviz: brigade topology FILE --dot | dot -Tsvg");
  command->add_option("--svg", a->svg, "draw it, large fabrics folded; needs Graphviz")->type_name("FILE");
  command->add_flag("--yaml", a->yaml, "written out vertex by vertex, as a cluster file");
  command->add_flag("--graphml", a->graphml, "as GraphML");
  command->add_flag("--nccl", a->nccl, "as NCCL's topology XML, of one server");
  command->add_option("-o,--output", a->output, "write there instead of to stdout")->type_name("FILE");
  add_import(*command, exit_code);
  command->callback([a, command, &exit_code] {
    if (!command->get_subcommands().empty()) return;
    if (a->file.empty()) throw CLI::RequiredError("file");
    exit_code = show(*a);
  });
}

}  // namespace brigade
