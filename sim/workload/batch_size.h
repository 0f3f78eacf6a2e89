// Batches beyond which a step's time says little about the time to train: larger ones take more samples to
// learn as much (McCandlish et al., 2018), which no timing simulates.
#pragma once
#include <cstdint>
#include <optional>

namespace brigade {

// LLaMA was trained with 4 million tokens a batch (Touvron et al., 2023); ResNet-50 kept its accuracy up to
// 8,192 images (Goyal et al., 2017).
constexpr int64_t kLargeBatchTokens = 4'000'000, kLargeBatchSamples = 8'192;

inline bool is_very_large_batch(int64_t samples, const std::optional<int64_t>& tokens) {
  return tokens ? *tokens > kLargeBatchTokens : samples > kLargeBatchSamples;
}

}  // namespace brigade
