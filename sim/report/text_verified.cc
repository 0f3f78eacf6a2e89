#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sim/report/table.h"
#include "sim/report/text_jobs.h"

namespace brigade {

std::string text_of(const Verification& found) {
  if (found.values == 0)
    return absl::StrCat("  verified: ", plural(found.collectives, "collective"),
                        " without a value to compare\n");
  return absl::StrCat(
      "  verified: ", plural(found.collectives, "collective"), " on all ranks, ",
      grouped(static_cast<double>(found.values)),
      " values against the direct sum:\n            whole numbers bit-equal, random numbers ",
      found.largest_difference == 0
          ? "bit-equal to the exact sum"
          : absl::StrFormat("apart by at most %.1e of the sum of magnitudes", found.largest_difference),
      "\n");
}

}  // namespace brigade
