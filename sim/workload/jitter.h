// Jitter of compute: how much longer a step's compute takes on a rank than planned. Drawn anew for each rank
// and step, from the scenario's seed, whatever the order in which they are asked for.
//
// The extra share x has the given mean m:
//   uniform      on [0, 2m): no step is more than twice the mean late; the largest of N has mean 2m N / (N +
//   1) exponential  the memoryless one; the largest of N has mean m (1 + 1/2 + ... + 1/N) pareto (Lomax,
//   shape 2: 1 + x/m exceeds t in one step of t^2) a heavy tail: rare and long stalls
// So the slowest of N ranks, for whom all wait, gets slower with N: "The Tail at Scale" (Dean, Barroso, CACM
// 2013). None of them needs a logarithm or a power, whose last bits differ between machines: the exponential
// is drawn by von Neumann's comparisons (1951), the other by one square root.
//
// Left out: jitter that is correlated in time or between ranks, and noise of the network.
#pragma once
#include <cstdint>
#include <string>

#include "sim/base/ids.h"
#include "sim/base/random.h"
#include "sim/workload/spec.h"

namespace brigade {

// 1 + x. Independent for different (job, rank, step), the same for the same.
double jitter_factor(const JitterSpec& spec, uint64_t seed, JobId job, Rank rank, int64_t step);

// "each step's compute is longer by a share drawn ...", for those who read the result; "" without jitter.
std::string describe(const JitterSpec& spec);

// Exponential, of mean 1.
double exponential_of_mean_one(Random& random);

}  // namespace brigade
