// A ring of 128 ranks with tracing off, for callgrind to count its instructions: built once as it is and once
// with an engine that cannot be observed (see CMakeLists.txt here).
#include "tests/engine/run_calls.h"

namespace brigade {
namespace {

bool run_ring() {
  const auto topology = oracle::nvswitch(128, Bandwidth::gb_per_s(50), microseconds(5));
  const oracle::PlainJob job = job_of(
      oracle::gpus_of(*topology),
      {.algorithm = find_algorithm(Collective::kAllReduce, "ring"), .ranks = 128, .elements = 128'000'000});
  FastEngine engine(*topology, {}, {});
  return run_fast(engine, {job}).counts.messages == 2 * 127 * 128;
}

}  // namespace
}  // namespace brigade

int main() { return brigade::run_ring() ? 0 : 1; }
