// What the elements of a collective's buffers are, before and after: the definition of each collective in
// values, against which data that really travelled is compared. Knows no algorithm and no round.
#pragma once
#include <vector>

#include "sim/collective/algorithm.h"

namespace brigade {

// The parts of the logical buffer that rank r brings; elsewhere it holds nothing.
std::vector<Range> brings(const Plan& plan, Rank r);

// A part of the logical buffer that rank r ends with: the sum over all ranks, or what one rank brought.
struct FinalPart {
  Range range;
  Rank of = kNone;  // kNone: the sum over all ranks
};
std::vector<FinalPart> ends_with(const Plan& plan, Rank r);

}  // namespace brigade
