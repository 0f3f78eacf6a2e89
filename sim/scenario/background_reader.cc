// `kind: background`.
#include <optional>

#include "sim/scenario/job_reader.h"

namespace brigade {

void read_background_job(Fields& in, BackgroundJobSpec& out) {
  constexpr int kWindowMax = 1'000'000;
  in.defaulted(
      "pattern",
      choice<TrafficPattern>({{"permutation", TrafficPattern::kPermutation},
                              {"all_to_all", TrafficPattern::kAllToAll},
                              {"incast", TrafficPattern::kIncast},
                              {"pairs", TrafficPattern::kPairs}}),
      out.pattern,
      "to one other each, drawn by the seed; to all others in turn; all to rank 0; 0 and 1, 2 and 3, ..");
  in.required("rate", bandwidth(), out.rate, "that each sender offers");
  in.defaulted("message", size(), out.message, "of each message");
  in.defaulted("arrivals", choice<Arrivals>({{"even", Arrivals::kEven}, {"poisson", Arrivals::kPoisson}}),
               out.arrivals, "messages of a sender at equal intervals, or at random ones");
  in.defaulted("window", whole<int>(1, kWindowMax), out.window,
               "messages of a sender under way; beyond it they are held back");
  in.optional("duration", duration(), out.duration, "how long; without it until all other jobs have ended");
  if (!in.describing() && out.duration && out.duration->ps == 0)
    in.error(in.place_of("duration"), "duration is zero; allowed: more");
}

}  // namespace brigade
