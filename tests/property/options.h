// test_property [--cases N] [--seed S] [arguments of Catch2]
#pragma once
#include <cstdint>

namespace brigade::property {

struct Options {
  int cases = 300;
  uint64_t seed = 1;  // of the first case; the others follow
};
Options& options();

}  // namespace brigade::property
