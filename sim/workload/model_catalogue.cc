#include "sim/workload/model_catalogue.h"

#include <array>

#include "sim/workload/model_families.h"

namespace brigade {
namespace {

// Limits of a size where the architecture sets none: far beyond use, far below overflow.
constexpr int64_t kPixelsMax = 8192;
constexpr int64_t kTokensMax = 1 << 20;

constexpr ModelRow resnet(const char* name, Model (*build)(int64_t)) {
  return {name, ModelInput::kImage, 224, 32, kPixelsMax, build};
}
constexpr ModelRow gpt(const char* name, int64_t positions, Model (*build)(int64_t)) {
  return {name, ModelInput::kText, positions, 1, positions, build};
}
constexpr ModelRow bert(const char* name, Model (*build)(int64_t)) {
  return {name, ModelInput::kText, 512, 1, 512, build};
}
// Rotary positions need no table.
constexpr ModelRow llama2(const char* name, Model (*build)(int64_t)) {
  return {name, ModelInput::kText, 4096, 1, kTokensMax, build};
}

constexpr std::array kRows = {
    resnet("resnet18",
           [](int64_t pixels) {
             return resnet_model({.blocks = {2, 2, 2, 2}}, pixels);
           }),
    resnet("resnet34",
           [](int64_t pixels) {
             return resnet_model({.blocks = {3, 4, 6, 3}}, pixels);
           }),
    resnet("resnet50",
           [](int64_t pixels) {
             return resnet_model({.blocks = {3, 4, 6, 3}, .bottleneck = true}, pixels);
           }),
    resnet("resnet101",
           [](int64_t pixels) {
             return resnet_model({.blocks = {3, 4, 23, 3}, .bottleneck = true}, pixels);
           }),
    resnet("resnet152",
           [](int64_t pixels) {
             return resnet_model({.blocks = {3, 8, 36, 3}, .bottleneck = true}, pixels);
           }),
    gpt("gpt2", 1024,
        [](int64_t t) { return gpt_model({.layers = 12, .width = 768, .positions = 1024}, t); }),
    gpt("gpt2-medium", 1024,
        [](int64_t t) { return gpt_model({.layers = 24, .width = 1024, .positions = 1024}, t); }),
    gpt("gpt2-large", 1024,
        [](int64_t t) { return gpt_model({.layers = 36, .width = 1280, .positions = 1024}, t); }),
    gpt("gpt2-xl", 1024,
        [](int64_t t) { return gpt_model({.layers = 48, .width = 1600, .positions = 1024}, t); }),
    gpt("gpt3-175b", 2048,
        [](int64_t t) { return gpt_model({.layers = 96, .width = 12288, .positions = 2048}, t); }),
    bert("bert-base", [](int64_t t) { return bert_model({.layers = 12, .width = 768}, t); }),
    bert("bert-base-pretraining",
         [](int64_t t) { return bert_model({.layers = 12, .width = 768, .pretraining = true}, t); }),
    bert("bert-large", [](int64_t t) { return bert_model({.layers = 24, .width = 1024}, t); }),
    bert("bert-large-pretraining",
         [](int64_t t) { return bert_model({.layers = 24, .width = 1024, .pretraining = true}, t); }),
    llama2("llama2-7b",
           [](int64_t t) {
             return llama_model(
                 {.layers = 32, .width = 4096, .key_value_width = 4096, .feed_forward_width = 11008}, t);
           }),
    llama2("llama2-13b",
           [](int64_t t) {
             return llama_model(
                 {.layers = 40, .width = 5120, .key_value_width = 5120, .feed_forward_width = 13824}, t);
           }),
    llama2("llama2-70b",
           [](int64_t t) {
             return llama_model(
                 {.layers = 80, .width = 8192, .key_value_width = 1024, .feed_forward_width = 28672}, t);
           }),
};

}  // namespace

std::span<const ModelRow> model_catalogue() { return kRows; }

const ModelRow* find_model(std::string_view name) {
  for (const ModelRow& row : kRows) {
    if (name == row.name) return &row;
  }
  return nullptr;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelRow& row : kRows) names.push_back(row.name);
  return names;
}

}  // namespace brigade
