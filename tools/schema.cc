// brigade schema
#include <memory>

#include "sim/scenario/schema.h"
#include "sim/scenario/study.h"
#include "tools/command.h"

namespace brigade {

void add_schema(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("schema", "list every key of a scenario, with its default and meaning");
  const auto json = std::make_shared<bool>(false);
  const auto of = std::make_shared<std::string>("scenario");
  command->add_option("of", *of, "scenario, or study: the file that brigade sweep reads")
      ->check(CLI::IsMember({"scenario", "study"}));
  command->add_flag("--json", *json, "as JSON Schema, for editors");
  command->callback([json, of, &exit_code] {
    const bool study = *of == "study";
    exit_code = write_result(*json   ? study ? study_schema_json() : schema_json()
                               : study ? study_schema_text()
                                     : schema_text());
  });
}

}  // namespace brigade
