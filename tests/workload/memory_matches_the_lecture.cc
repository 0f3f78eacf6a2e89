// Figures of the lecture's section 7 and of the ZeRO paper's figure 1, as printed there; activations by the
// formulas of Korthikanti et al. (2022), worked out apart from the code.
#include <cmath>

#include "sim/workload/memory_model.h"
#include "tests/catch.h"

using namespace brigade;

namespace {

// As printed with so many decimals.
double printed(Bytes bytes, int decimals) {
  const double scale = std::pow(10, decimals);
  return std::round(double(bytes.count) * 1e-9 * scale) / scale;
}

MemoryRequest states(double parameters, Rank ranks = 1, int stage = 0, bool fp32_gradients = false) {
  MemoryRequest r;
  r.parameters = int64_t(parameters);
  r.ranks = ranks;
  r.stage = stage;
  r.bytes = state_bytes(ShardPreset::kDeepspeed, false, fp32_gradients);
  return r;
}

MemoryRequest named(const char* name, int64_t parameters, int64_t samples, int64_t sequence) {
  MemoryRequest r = states(double(parameters));
  r.shape = *find_transformer(name);
  r.samples = samples;
  r.sequence = sequence;
  return r;
}

Bytes row(const MemoryRequest& r, const std::string& key) {
  for (const MemoryRow& row : memory_use(r).rows)
    if (row.key == key && row.bytes) return *row.bytes;
  FAIL("no row " << key);
  return {};
}

}  // namespace

TEST_CASE("mixed precision holds 16 bytes a parameter, 20 with gradients in fp32") {
  CHECK(memory_use(states(1.5e9)).model_states == gigabytes(24));
  CHECK(row(states(1.5e9), "parameters") == gigabytes(3));
  CHECK(memory_use(states(7e9)).model_states == gigabytes(112));
  CHECK(memory_use(states(7e9, 1, 0, true)).model_states == gigabytes(140));
  CHECK(memory_use(states(1e9, 1, 0, true)).model_states == gigabytes(20));
  CHECK(memory_use(states(7e9)).total > gigabytes(80));
}

TEST_CASE("the largest model by model states alone has 5e9 parameters on 80 GB, 2e9 on 32 GB") {
  CHECK(largest_by_states(states(7e9), gigabytes(80)) == 5'000'000'000);
  CHECK(largest_by_states(states(7e9), gigabytes(32)) == 2'000'000'000);
  CHECK(largest_by_states(states(7e9), {15}) == 0);
}

TEST_CASE("7.5e9 parameters on 64 ranks hold what figure 1 of the ZeRO paper says") {
  const auto [stage, gb, decimals] =
      GENERATE(table<int, double, int>({{0, 120, 0}, {1, 31.4, 1}, {2, 16.6, 1}, {3, 1.9, 1}}));
  INFO("stage " << stage);
  CHECK(printed(memory_use(states(7.5e9, 64, stage)).model_states, decimals) == gb);
}

TEST_CASE("shares are rounded up, on any number of ranks") {
  for (const Rank n : {1, 2, 3, 7, 64, 1000}) {
    INFO(n << " ranks");
    const int64_t psi = 1'000'003, share = (psi + n - 1) / n;
    CHECK(memory_use(states(1'000'003, n, 0)).model_states.count == 16 * psi);
    CHECK(memory_use(states(1'000'003, n, 1)).model_states.count == 4 * psi + 12 * share);
    CHECK(memory_use(states(1'000'003, n, 2)).model_states.count == 2 * psi + 14 * share);
    CHECK(memory_use(states(1'000'003, n, 3)).model_states.count == 16 * share);
    // Megatron's distributed optimizer with bf16 parameters: 6 + 12 / N.
    MemoryRequest megatron = states(1'000'003, n, 1);
    megatron.preset = ShardPreset::kMegatron;
    megatron.bytes = state_bytes(ShardPreset::kMegatron, false, false);
    CHECK(memory_use(megatron).model_states.count == 6 * psi + 12 * share);
    MemoryRequest fsdp = states(1'000'003, n, 3);
    fsdp.preset = ShardPreset::kFsdp2;
    fsdp.bytes = state_bytes(ShardPreset::kFsdp2, false, false);
    CHECK(memory_use(fsdp).model_states.count == 16 * share);
  }
}

TEST_CASE("GPT-2 with 32 samples keeps 60 GB of activations by the ZeRO paper's count, 6.3 recomputed") {
  MemoryRequest r = named("gpt2-xl", 1'557'611'200, 32, 1024);
  r.activations = ActivationCount::kZeroPaper;
  CHECK(row(r, "activations").count == 12LL * 1600 * 32 * 1024 * 48 * 2);
  CHECK(printed(row(r, "activations"), 0) == 60);
  CHECK(extra_compute(r) == 0);
  r.recompute = Recompute::kFull;
  CHECK(row(r, "activations").count == 1600LL * 32 * 1024 * 2 * (48 + 12));
  CHECK(printed(row(r, "activations"), 1) == 6.3);
  CHECK(std::round(extra_compute(r) * 100) == 33);
}

TEST_CASE("a GPT layer keeps s b h (34 + 5 a s / h) bytes, less where recomputed or fused") {
  const int64_t b = 4, s = 2048, h = 12288, a = 96, layers = 96, v = 50257;
  MemoryRequest r = named("gpt3-175b", 174'604'259'328, b, s);
  const int64_t others = s * b * h + 4 * s * b * h;  // the embedding's mask; the last norm and the head
  const auto kept = [&](ActivationCount count, Recompute recompute) {
    r.activations = count;
    r.recompute = recompute;
    return row(r, "activations").count - others;
  };
  const int64_t whole = 34 * s * b * h + 5 * a * s * s * b, linear = 34 * s * b * h;
  const int64_t fused = linear + 4 * a * s * b;
  CHECK(kept(ActivationCount::kStandard, Recompute::kNone) == layers * whole);
  CHECK(kept(ActivationCount::kStandard, Recompute::kSelective) == layers * linear);
  CHECK(kept(ActivationCount::kStandard, Recompute::kFull) == layers * 2 * s * b * h + whole);
  CHECK(kept(ActivationCount::kFlash, Recompute::kNone) == layers * fused);
  CHECK(kept(ActivationCount::kFlash, Recompute::kSelective) == layers * fused);
  CHECK(kept(ActivationCount::kFlash, Recompute::kFull) == layers * 2 * s * b * h + fused);
  CHECK(row(r, "logits").count == 4 * s * b * v);
  // The paper's table 2: the scores of GPT-3 are 5 a s / h = 80 beside 34.
  CHECK((whole - linear) / (s * b * h) == 80);
}

TEST_CASE("a gated layer without dropout keeps its tensors one by one") {
  const int64_t b = 2, s = 4096, h = 8192, kv = 1024, f = 28672, a = 64, layers = 80;
  MemoryRequest r = named("llama2-70b", 68'976'648'192, b, s);
  // norms 2h; input, queries, output 3h; keys and values 2kv; input h; gate, silu, up, product 4f: 2 bytes
  // each.
  const int64_t token = 2 * (6 * h + 2 * kv + 4 * f), last = 2 * 2 * h;
  r.activations = ActivationCount::kFlash;
  CHECK(row(r, "activations").count == b * s * (layers * (token + 4 * a) + last));
  r.activations = ActivationCount::kStandard;
  CHECK(row(r, "activations").count == b * s * (layers * (token + 2 * a * s) + last));
  r.activation_bytes = 4;
  CHECK(row(r, "activations").count == b * s * (layers * (2 * token + 4 * a * s) + 2 * last));
}

TEST_CASE("selective recomputation of GPT-3 adds the paper's 2.7 % of compute") {
  MemoryRequest r = named("gpt3-175b", 174'604'259'328, 1, 2048);
  r.activations = ActivationCount::kStandard;
  r.recompute = Recompute::kSelective;
  // 4 s h of 3 (24 h h + 4 s h) = s / 18 h / (1 + s / 6 h), without the head.
  const double s = 2048, h = 12288;
  CHECK(extra_compute(r) == Approx(s / (18 * h) / (1 + s / (6 * h))));
}

TEST_CASE("presets hold their buffers") {
  MemoryRequest r = named("llama2-7b", 6'738'415'616, 1, 4096);
  r.ranks = 64;
  const int64_t h = 4096, layer = 4 * h * h + 3 * h * 11008 + 2 * h, root = 2 * 32000 * h + h;
  REQUIRE(root + 32 * layer == r.parameters);
  r.stage = 2;
  CHECK(row(r, "bucket_copies") == gigabytes(1));
  CHECK(row(r, "in_flight_units").count == 0);
  r.stage = 3;
  CHECK(row(r, "in_flight_units") == gigabytes(2));
  r.stage = 0;
  CHECK(row(r, "bucket_copies").count == 2 * r.parameters);
  r.preset = ShardPreset::kFsdp2;
  r.stage = 3;
  CHECK(row(r, "in_flight_units").count == 2 * (root + 2 * layer));
  CHECK(row(r, "bucket_copies").count == 3 * 2 * layer);
  r.stage = 2;
  CHECK(row(r, "in_flight_units").count == 2 * r.parameters);
  r.preset = ShardPreset::kHorovod;
  r.stage = 0;
  CHECK(row(r, "bucket_copies") == mebibytes(128));
  CHECK(row(r, "communication_buffers").count == 16 * ((4 << 20) + (512 << 10) + (4800 << 10)));
  r.ranks = 1;
  CHECK(row(r, "communication_buffers").count == 0);
}

TEST_CASE("the largest model that fits does, and one layer or parameter more does not") {
  MemoryRequest r = named("llama2-7b", 6'738'415'616, 1, 4096);
  r.ranks = 64;
  for (int stage = 0; stage <= 3; ++stage) {
    r.stage = stage;
    const LargestModel largest = largest_in_all(r, gigabytes(80));
    INFO("stage " << stage << ": " << largest.layers << " layers");
    REQUIRE(largest.layers > 0);
    const auto total = [&](int64_t layers) {
      MemoryRequest other = r;
      other.shape->layers = layers;
      other.parameters += (layers - 32) * layer_parameters(*r.shape);
      return memory_use(other).total;
    };
    CHECK(total(largest.layers) <= gigabytes(80));
    CHECK(total(largest.layers + 1) > gigabytes(80));
  }
  CHECK(largest_in_all(r, megabytes(1)).parameters == 0);
  MemoryRequest plain = states(7e9);
  plain.context = gigabytes(2);
  // 16 bytes of states and 2 of DDP's buckets.
  CHECK(largest_in_all(plain, gigabytes(20)).parameters == 1'000'000'000);
}

TEST_CASE("what cannot be is refused") {
  MemoryRequest r = states(7e9);
  CHECK(refusal(r).empty());
  r.preset = ShardPreset::kMegatron;
  r.stage = 3;
  CHECK(refusal(r) == "megatron has no stage 3; allowed: 1, 0");
  r = states(7e9);
  r.activations = ActivationCount::kZeroPaper;
  r.recompute = Recompute::kSelective;
  CHECK(refusal(r).find("selective") != std::string::npos);
  r = named("gpt3-175b", 174'604'259'328, 1'000'000, 1 << 20);
  r.activations = ActivationCount::kStandard;
  CHECK(refusal(r) == "more than 2^60 bytes");
}
