// Names, shapes and registration order against ../shared/models, where that folder is at hand.
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/source_dir.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

TEST_CASE("named models register the reference's tensors in its order") {
  const auto [name, file] =
      GENERATE(table<const char*, const char*>({{"resnet18", "resnet18"},
                                                {"resnet50", "resnet50"},
                                                {"gpt2", "gpt2"},
                                                {"gpt2-medium", "gpt2-medium"},
                                                {"gpt2-large", "gpt2-large"},
                                                {"gpt2-xl", "gpt2-xl"},
                                                {"bert-base", "bert-base_BertModel"},
                                                {"bert-base-pretraining", "bert-base_ForPreTraining"},
                                                {"bert-large", "bert-large_BertModel"},
                                                {"bert-large-pretraining", "bert-large_ForPreTraining"},
                                                {"llama2-7b", "llama2-7b"},
                                                {"llama2-13b", "llama2-13b"},
                                                {"llama2-70b", "llama2-70b"}}));
  const std::string path = source_dir() + "/../shared/models/" + file + ".json";
  std::ifstream in(path);
  if (!in) {
    WARN("skipped: no reference list for " << name);
    return;
  }
  INFO(name);
  const nlohmann::json reference = nlohmann::json::parse(in);
  const Model model = named_model(name);
  CHECK(parameter_count(model) == reference["params"].get<int64_t>());
  REQUIRE(model.parameters.size() == reference["tensors"].size());
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    CHECK(model.parameters[i].name == reference["tensors"][i]["name"].get<std::string>());
    CHECK(model.parameters[i].shape == reference["tensors"][i]["shape"].get<std::vector<int64_t>>());
  }
}
