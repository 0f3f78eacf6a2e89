// A rank that starts d late makes a ring end d later, not N d (exactly, where N divides M).
#include "tests/catch.h"
#include "tests/engine/run_calls.h"

using namespace brigade;

TEST_CASE("a rank that starts d late makes a ring end d later") {
  for (const Rank n : {2u, 3u, 7u, 8u, 33u, 64u})
    for (const Duration d : {nanoseconds(1), microseconds(3), milliseconds(7)})
      for (const Rank late : {Rank{0}, n / 2, n - 1}) {
        const auto topology = oracle::star(static_cast<int>(n), {Bandwidth::gb_per_s(50)}, microseconds(5));
        oracle::PlainJob job =
            job_of(oracle::gpus_of(*topology), {.algorithm = find_algorithm(Collective::kAllReduce, "ring"),
                                                .ranks = n,
                                                .elements = int64_t{n} * 100'000});
        const Duration on_time = *job.plans[0]->closed_form({microseconds(10), Bandwidth::gb_per_s(50)},
                                                            {microseconds(10), Bandwidth::gb_per_s(50)});
        job.start[late] = Time{} + d;
        FastEngine engine(*topology, {}, {});
        INFO("n " << n << " late " << late << " by " << d.ps << " ps");
        CHECK(last_of(run_fast(engine, {job}).end[0]).ps == (on_time + d).ps);
      }
}
