// The user's mistakes in a cluster's spec that show without building it: counts, shares that do not divide,
// unknown or repeated names. All of them at once.
#pragma once
#include "sim/base/diagnostic.h"
#include "sim/topology/spec.h"

namespace brigade {

constexpr int kCablesMax = 1024;  // that act as one link
constexpr int kGpusPerNodeMax = 1 << 20;
constexpr int kNvswitchesMax = 64;
constexpr int kPcieSwitchesMax = 64;
constexpr int kSocketsMax = 16;
constexpr int64_t kVerticesMax = int64_t{1} << 24;
constexpr int64_t kCablesInAllMax = int64_t{1} << 27;

void check_spec(const ClusterSpec& spec, Diagnostics& errors);

}  // namespace brigade
