#include "sim/workload/jitter.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"

namespace brigade {

// A run of falling uniforms u1 > u2 > ... ends with its n-th; n is odd with probability e^-u1: then
// u1 is the fraction, else one is added to the whole part and all is drawn again.
double exponential_of_mean_one(Random& random) {
  for (int whole = 0;; ++whole) {
    const double first = random.unit();
    double last = first;
    bool odd = true;
    for (double next = random.unit(); next < last; next = random.unit()) {
      last = next;
      odd = !odd;
    }
    if (odd) return whole + first;
  }
}

namespace {

double of_mean_one(JitterKind kind, Random& random) {
  switch (kind) {
    case JitterKind::kNone:
      return 0;
    case JitterKind::kUniform:
      return 2 * random.unit();
    case JitterKind::kExponential:
      return exponential_of_mean_one(random);
    case JitterKind::kPareto:
      return 1 / std::sqrt(1 - random.unit()) - 1;
  }
  BRIGADE_CHECK(false, "jitter of kind ", int(kind));
}

}  // namespace

std::string describe(const JitterSpec& spec) {
  const char* kind = spec.kind == JitterKind::kUniform       ? "uniform"
                     : spec.kind == JitterKind::kExponential ? "exponential"
                                                             : "pareto (a heavy tail)";
  if (spec.kind == JitterKind::kNone) return "";
  return absl::StrCat("each rank's compute in each step is longer by a share that the seed draws: ", kind,
                      ", mean ", spec.mean * 100, " %");
}

double jitter_factor(const JitterSpec& spec, uint64_t seed, JobId job, Rank rank, int64_t step) {
  Random random(mix(mix(mix(seed) ^ mix(uint64_t{job} << 32 | rank)) + static_cast<uint64_t>(step)));
  return 1 + spec.mean * of_mean_one(spec.kind, random);
}

}  // namespace brigade
