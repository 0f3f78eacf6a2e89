// test_property [--cases N] [--seed S] [arguments of Catch2]
#pragma once
#include <cstdint>

#include "tests/effort.h"

namespace brigade::property {

struct Options {
  int cases = static_cast<int>(brigade::cases(300));
  uint64_t seed = 1;  // of the first case; the others follow
};
Options& options();

}  // namespace brigade::property
