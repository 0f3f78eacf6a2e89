// brigade schema
#include <memory>

#include "sim/scenario/schema.h"
#include "tools/command.h"

namespace brigade {

void add_schema(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("schema", "list every key of a scenario, with its default and meaning");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "as JSON Schema, for editors");
  command->callback([json, &exit_code] { exit_code = write_result(*json ? schema_json() : schema_text()); });
}

}  // namespace brigade
