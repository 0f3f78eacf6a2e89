// The same bytes from any number of threads, whichever point ends first.
#include "tests/study/small_study.h"

using namespace brigade;

TEST_CASE("the same output from 1 to 16 threads") {
  // The first points take the longest.
  const std::string yaml = kBase +
                           "axes:\n"
                           "  - {path: jobs.a.size, values: [20 MB, 5 MB, 1 MB, 1 KB, 1 B]}\n"
                           "  - {path: network.segment, values: [10 KB, 100 KB, whole]}\n"
                           "  - {path: seed, values: [1, 2, 3]}\n";
  const Swept one = sweep(yaml);
  for (const int threads : {2, 3, 16}) {
    CAPTURE(threads);
    const Swept many = sweep(yaml, {.threads = threads});
    for (const SweepFormat& format : sweep_formats())
      CHECK(many.print(format.print) == one.print(format.print));
  }
}

TEST_CASE("shards are all points, each once") {
  const Swept whole = sweep(kBase + "axes: [{path: jobs.a.size, from: 1 KB, to: 23 KB, step: +1 KB}]\n");
  for (const size_t of : {1, 2, 5, 23, 40}) {
    std::vector<size_t> points;
    for (size_t index = 1; index <= of; ++index) {
      for (const Row& row : run_sweep(whole.prepared, {.shard = {index, of}}).rows)
        points.push_back(row.point);
    }
    std::sort(points.begin(), points.end());
    std::vector<size_t> all;
    for (size_t p = 0; p < 23; ++p) all.push_back(p);
    CAPTURE(of);
    CHECK(points == all);
  }
  CHECK(parse_shard("3/64")->index == 3);
  for (const char* bad : {"", "3", "0/4", "5/4", "1/0", "-1/4", "a/b", "1/4/2"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_shard(bad));
  }
}
