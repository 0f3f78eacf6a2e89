#include <nlohmann/json.hpp>

#include "sim/report/memory_report.h"
#include "tests/catch.h"

using namespace brigade;

namespace {

MemoryReport asked(const MemoryOptions& options) {
  std::string error;
  const auto report = memory_report(options, error);
  INFO(error);
  REQUIRE(report);
  return *report;
}

std::string refused(const MemoryOptions& options) {
  std::string error;
  CHECK(!memory_report(options, error));
  return error;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("rows of JSON and CSV add up to the total, and text says what fits") {
  MemoryOptions o;
  o.model = "llama2-7b";
  o.ranks = 64;
  o.device_memory = "80GB";
  for (const char* preset : {"deepspeed", "fsdp2", "megatron", "horovod"}) {
    INFO(preset);
    o.preset = preset;
    const MemoryReport report = asked(o);
    const auto json = nlohmann::json::parse(memory_json(report));
    int64_t sum = 0, in_csv = 0;
    for (const auto& row : json["rows"]) sum += row["bytes"].get<int64_t>();
    CHECK(json["schema_version"] == 1);
    CHECK(json["total_bytes"] == sum);
    CHECK(json["fits"] == (sum <= 80'000'000'000));
    const std::string csv = memory_csv(report), text = memory_text(report, false);
    for (size_t at = csv.find('\n') + 1; at < csv.size(); at = csv.find('\n', at) + 1) {
      const size_t comma = csv.find(',', at);
      if (csv.compare(at, comma - at, "total") == 0) {
        CHECK(std::stoll(csv.substr(comma + 1)) == sum);
      } else if (csv.compare(at, comma - at, "model_states") != 0) {
        in_csv += std::stoll(csv.substr(comma + 1));
      }
    }
    CHECK(in_csv == sum);
    CHECK(has(text, sum <= 80'000'000'000 ? "  fits 80 GB: " : "  does not fit 80 GB: "));
    CHECK(has(text, "largest model that fits 80 GB"));
  }
}

TEST_CASE("a number of parameters is enough, and what it leaves out is said") {
  MemoryOptions o;
  o.model = "7e9";
  o.ranks = 64;
  o.stage = 3;
  const std::string text = memory_text(asked(o), false);
  CHECK(has(text, "7,000,000,000 parameters, deepspeed stage 3 on 64 ranks"));
  CHECK(has(text, "not counted: layers are unknown"));
  CHECK(has(text, "of what is counted"));
  const auto json = nlohmann::json::parse(memory_json(asked(o)));
  CHECK(json["model_states_bytes"] == 1'750'000'000);
  CHECK(json["total_is_complete"] == false);
  CHECK(json["fits"].is_null());
  CHECK(!json.contains("largest_parameters"));
  o.model = "resnet50";
  CHECK(has(memory_text(asked(o), false), "not counted"));
}

TEST_CASE("what is offloaded is on the host, in every format") {
  MemoryOptions o;
  o.model = "llama2-70b";
  o.ranks = 8;
  o.device_memory = "80GB";
  o.offload = "parameters";  // and so stage 3
  const auto json = nlohmann::json::parse(memory_json(asked(o)));
  CHECK(json["stage"] == 3);
  CHECK(json["offload"] == "parameters");
  CHECK(json["model_states_bytes"] == 0);
  CHECK(json["stages"].size() == 1);
  CHECK(json["largest_parameters_by_states"].is_null());
  CHECK(has(memory_text(asked(o), false), "on the host"));
  CHECK(has(memory_csv(asked(o)), "parameters,0,"));
  // 2 bytes of 68,976,648,192 parameters on every device, or a share; gradients are all there at stage 1
  // only.
  o.offload = "optimizer";
  for (const int stage : {1, 2, 3}) {
    o.stage = stage;
    const int64_t all = 2 * 68'976'648'192;
    const int64_t expected = stage == 1 ? 2 * all : stage == 2 ? all : all / 8;
    CHECK(nlohmann::json::parse(memory_json(asked(o)))["model_states_bytes"] == expected);
  }
  o.stage = 0;
  CHECK(has(refused(o), "offload needs stage 1, 2 or 3"));
  o.offload = "parameters";
  o.stage = 2;
  CHECK(has(refused(o), "parameters are offloaded at stage 3 only, not at stage 2"));
  o.offload = "paramters";
  CHECK(has(refused(o), "did you mean \"parameters\"?"));
  o.offload = "optimizer";
  o.preset = "fsdp2";
  o.stage = 3;
  CHECK(has(refused(o), "for deepspeed only"));
}

TEST_CASE("shard groups hold as much as so many ranks, and buffers of one communicator more") {
  MemoryOptions o;
  o.model = "llama2-7b";
  o.preset = "fsdp2";
  o.ranks = 8;
  const auto alone = nlohmann::json::parse(memory_json(asked(o)));
  o.ranks = 64;
  o.shard_group = 8;
  const auto groups = nlohmann::json::parse(memory_json(asked(o)));
  CHECK(groups["ranks"] == 64);
  CHECK(groups["shard_group"] == 8);
  CHECK(groups["model_states_bytes"] == alone["model_states_bytes"]);
  // NCCL's Simple, LL and LL128 buffers of 16 channels.
  const int64_t buffers = 16 * ((4 << 20) + (512 << 10) + (4800 << 10));
  CHECK(groups["total_bytes"] == alone["total_bytes"].get<int64_t>() + buffers);
  CHECK(has(memory_text(asked(o), false), "on 64 ranks in shard groups of 8, bf16"));
}

TEST_CASE("resharded to K ranks, two layers and 1/K of all else are in flight") {
  MemoryOptions o;
  o.model = "gpt2";
  o.preset = "fsdp2";
  o.ranks = 64;
  o.reshard = 8;
  const auto json = nlohmann::json::parse(memory_json(asked(o)));
  CHECK(json["reshard"] == 8);
  // GPT-2's 124439808 parameters, 7087872 of them in each layer; 2 bytes each.
  for (const auto& row : json["rows"])
    if (row["component"] == "in_flight_units")
      CHECK(row["bytes"] == 2 * (2 * 7087872 + (124439808 - 2 * 7087872) / 8));
  CHECK(has(memory_text(asked(o), false), "two layers, and of all else a share of 1/8"));
  for (const Rank no : {Rank{5}, Rank{64}}) {
    o.reshard = no;
    CHECK(has(refused(o), "of 64 ranks; allowed: what divides them, more than 1 and fewer than all"));
  }
  o.reshard = 8;
  o.stage = 2;
  CHECK(has(refused(o), "fsdp2 stage 2 does not reshard after forward to fewer ranks"));
}

TEST_CASE("options that cannot be are refused in words") {
  MemoryOptions o;
  o.model = "lama2-7b";
  CHECK(has(refused(o), "unknown model \"lama2-7b\"; did you mean \"llama2-7b\"?"));
  for (const char* number : {"0", "-1", "1.5", "1e17", "nan", "inf"}) {
    o.model = number;
    CHECK(has(refused(o), "allowed: a whole number"));
  }
  o.model = "gpt2";
  o.sequence = 1025;
  CHECK(has(refused(o), "allows 1 to 1024"));
  o.model = "resnet50";
  o.sequence = 10;
  CHECK(has(refused(o), "has no sequence"));
  o.sequence.reset();
  o.stage = 4;
  CHECK(has(refused(o), "has no stage 4"));
  o.stage.reset();
  o.precision = "bf61";
  CHECK(has(refused(o), "did you mean \"bf16\"?"));
  o.precision = "bf16";
  o.preset = "fsdp";
  CHECK(has(refused(o), "did you mean \"fsdp2\"?"));
  o.preset = "fsdp2";
  o.ranks = 64;
  o.shard_group = 7;
  CHECK(has(refused(o), "64 ranks are not shard groups of 7"));
  o.shard_group = 8;
  o.preset = "megatron";
  CHECK(has(refused(o), "megatron has no shard groups; allowed: preset fsdp2"));
  o.preset = "fsdp2";
  o.device_memory = "80";
  CHECK(has(refused(o), "--device-memory \"80\" needs a unit"));
}
