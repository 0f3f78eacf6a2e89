// Section 5.4 of the lecture out of the running engine: 4 nodes of 8 GPUs, a flat ring and a hierarchical
// one, with rounds that are synchronous (as the lecture's own simulator has them) and free-running.
#include "tests/catch.h"
#include "tests/engine/run_calls.h"

using namespace brigade;

namespace {

double time_us(const Topology& topology, const char* algorithm, Bytes bytes, bool lockstep) {
  oracle::PlainJob job =
      job_of(oracle::gpus_of(topology), {.algorithm = find_algorithm(Collective::kAllReduce, algorithm),
                                         .ranks = 32,
                                         .elements = bytes.count,
                                         .group = 8});
  job.lockstep = lockstep;
  FastEngine engine(topology, {}, {});
  return in_us(last_of(run_fast(engine, {job}).end[0]) - Time{});
}

}  // namespace

TEST_CASE("a hierarchical ring against a flat one, 1 MB to 1 GB") {
  struct Row {
    Bytes bytes;
    double hierarchical_us, flat_lockstep_us, flat_free_us, speedup_lockstep, speedup_free;
  };
  const auto row = GENERATE(values<Row>({{megabytes(1), 137.639, 658.75, 358.75, 4.79, 2.61},
                                         {megabytes(10), 206.389, 1007.5, 440.278, 4.88, 2.13},
                                         {megabytes(100), 893.889, 4495.0, 3885.0, 5.03, 4.35},
                                         {gigabytes(1), 7768.889, 39370.0, 38760.0, 5.07, 4.99}}));
  const auto topology = oracle::lecture(4, 8);
  const double hierarchical = time_us(*topology, "hierarchical", row.bytes, false);
  const double flat_free = time_us(*topology, "ring", row.bytes, false);
  const double flat_lockstep = time_us(*topology, "ring", row.bytes, true);
  INFO(row.bytes.count << " B");
  CHECK(hierarchical == Approx(row.hierarchical_us).margin(0.0005));
  CHECK(time_us(*topology, "hierarchical", row.bytes, true) == Approx(hierarchical).epsilon(1e-12));
  CHECK(flat_lockstep == Approx(row.flat_lockstep_us).margin(0.0005));
  CHECK(flat_free == Approx(row.flat_free_us).margin(0.0005));
  CHECK(flat_lockstep / hierarchical == Approx(row.speedup_lockstep).margin(0.005));
  CHECK(flat_free / hierarchical == Approx(row.speedup_free).margin(0.005));
}
