// `brigade schedule`: a collective as text, round by round. Who sends which segment to whom, and whose
// contributions each segment then holds on each rank (the lecture's table, section 4.2), or with values what
// it then is.
//
// A segment is here the longest run of elements that the schedule never cuts. Tables fit 100 columns up to 8
// ranks; wider ones become lists, and beyond kScheduleRanksMax ranks nobody reads them.
#pragma once
#include <string>
#include <vector>

#include "sim/collective/algorithm.h"
#include "sim/collective/replay.h"

namespace brigade {

constexpr Rank kScheduleRanksMax = 64;

struct ScheduleText {
  std::string text;   // empty on error
  std::string error;  // a sentence
};
// `values`: one a rank, what each of its elements is at the start; without them contributors are shown. As
// many elements as ranks show every part of every algorithm.
ScheduleText print_schedule(const PlanRequest& request, const std::vector<double>& values = {});

// All collectives and their algorithms, a line each: name and summary.
std::string list_algorithms();

}  // namespace brigade
