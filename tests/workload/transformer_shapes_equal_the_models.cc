// The sizes that memory is counted with are those of the models that are simulated.
#include "sim/workload/transformer_shape.h"
#include "tests/catch.h"
#include "tests/workload/workload_helpers.h"

using namespace brigade;

TEST_CASE("every named language model has a shape, and its layers have as many parameters and FLOPs") {
  for (const ModelRow& row : model_catalogue()) {
    INFO(row.name);
    const TransformerShape* shape = find_transformer(row.name);
    REQUIRE((shape != nullptr) == (row.input == ModelInput::kText));
    if (shape == nullptr) continue;
    const int64_t sequence = 64;
    const Model model = named_model(row.name, sequence);
    int64_t cores = 0, parameters = 0;
    double flops = 0, core_flops = 0;
    for (const Layer& layer : model.layers) {
      if (layer.name.ends_with("core")) {
        ++cores;
        core_flops += layer.forward.flops_per_sample;
      }
      if (layer.name.find("h.") != 0 && layer.name.find("layer") == std::string::npos) continue;
      flops += layer.forward.flops_per_sample;
      for (const TensorIndex t : layer.parameters) parameters += model.parameters[t].elements;
    }
    CHECK(cores == shape->layers);
    CHECK(parameters == shape->layers * layer_parameters(*shape));
    CHECK(core_flops == double(sequence * shape->layers * attention_core_forward_flops(*shape, sequence)));
    CHECK(flops == double(sequence * shape->layers * layer_forward_flops(*shape, sequence)));
    // Heads are 64 or 128 wide.
    const int64_t head = shape->width / shape->heads;
    CHECK((head == 64 || head == 128));
    CHECK(shape->key_value_width % head == 0);
  }
}
