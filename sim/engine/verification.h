// What comparing the data of a job with the direct sum has found.
#pragma once
#include <cstdint>
#include <string>

namespace brigade {

struct Verification {
  int64_t collectives = 0;        // that ended on every rank
  int64_t ranks = 0;              // results compared: each rank of each collective
  int64_t values = 0;             // elements compared; half of them whole numbers, which must be bit-equal
  double largest_difference = 0;  // of the random values, in sums of magnitudes
  std::string failure;            // the first value that is wrong; empty: none is
};

}  // namespace brigade
