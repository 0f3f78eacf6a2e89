// What the shipped studies find is what the lecture on data-parallel training prints, or what its formulas
// give.
#include <map>

#include "sim/scenario/value_range.h"
#include "tests/golden/swept.h"

using namespace brigade;

TEST_CASE("crossovers of ring and butterfly") {
  const Swept swept = sweep("message_size");
  std::map<std::string, double> megabytes;
  for (const Crossover& found : crossovers_of(swept.prepared, swept.rows).found) {
    CHECK(found.after == "ring");
    megabytes[found.where.at(0).second] = found.at * *units_ratio(found.unit, "MB");
  }
  REQUIRE(megabytes.size() == 2);
  CHECK(megabytes.at("8 GPUs on NVLink") == Approx(19.8).margin(0.05));
  CHECK(megabytes.at("64 on InfiniBand") == Approx(14.9).margin(0.05));
}

TEST_CASE("1 GB on more and more GPUs") {
  const Swept swept = sweep("gpu_count");
  const std::map<std::string, double> ring_ms = {
      {"8", 35.14}, {"64", 40.635}, {"256", 44.94375}, {"1024", 60.42}};
  for (const auto& [gpus, ms] : ring_ms)
    CHECK(swept.at({gpus, "ring"}, "time_us") / 1000 == Approx(ms).margin(0.005));
  CHECK(swept.at({"1024", "halving_doubling"}, "time_us") / 1000 == Approx(40.2).margin(0.05));
  CHECK(swept.at({"64", "butterfly"}, "time_us") / 1000 == Approx(120.06).margin(0.005));
}

TEST_CASE("buckets have two walls") {
  const Swept swept = sweep("bucket_size");
  struct Figures {
    const char* cap;
    int buckets;
    double exposed_ms, efficiency;
  };
  for (const Figures& f : {Figures{"1 MB", 384, 53.20, 0.585}, Figures{"10 MB", 192, 13.01, 0.852},
                           Figures{"25 MB", 96, 0.444, 0.994}, Figures{"100 MB", 26, 0.736, 0.990},
                           Figures{"400 MB", 7, 2.667, 0.966}, Figures{"one", 1, 22.67, 0.768}}) {
    CAPTURE(f.cap);
    CHECK(swept.at({f.cap}, "buckets") == f.buckets);
    CHECK(swept.at({f.cap}, "exposed_us") / 1000 == Approx(f.exposed_ms).margin(0.005));
    CHECK(swept.at({f.cap}, "efficiency") == Approx(f.efficiency).margin(0.0005));
  }
}

// 2 x 10 us of latency lie beside the lecture's figures, which count none.
TEST_CASE("parameter servers by workers and servers") {
  const Swept swept = sweep("parameter_server");
  CHECK(swept.at({"8", "1"}, "step_time_us") / 1000 == Approx(320).margin(0.05));
  CHECK(swept.at({"256", "1"}, "step_time_us") / 1000 == Approx(10240).margin(0.05));
  CHECK(swept.at({"256", "4"}, "step_time_us") / 1000 == Approx(2560).margin(0.05));
}

TEST_CASE("scaling without overlap") {
  const Swept swept = sweep("scaling_efficiency");
  struct Figures {
    const char *nodes, *tokens;
    double compute_ms, exposed_ms, efficiency;
  };
  for (const Figures& f :
       {Figures{"1", "2048 tokens", 35.9, 10.18, 0.78}, Figures{"8", "2048 tokens", 35.9, 21.70, 0.62},
        Figures{"8", "16384 tokens", 287.1, 21.70, 0.93}}) {
    CAPTURE(f.nodes, f.tokens);
    CHECK(swept.at({f.nodes, f.tokens}, "compute_us") / 1000 == Approx(f.compute_ms).margin(0.05));
    CHECK(swept.at({f.nodes, f.tokens}, "exposed_us") / 1000 == Approx(f.exposed_ms).margin(0.01));
    CHECK(swept.at({f.nodes, f.tokens}, "efficiency") == Approx(f.efficiency).margin(0.005));
  }
}

TEST_CASE("ZeRO's volumes in the size of all parameters") {
  const Swept swept = sweep("zero_stages");
  for (const char* stage : {"0", "1", "2"}) CHECK(swept.at({stage}, "volume") == 2);
  CHECK(swept.at({"3"}, "volume") == 3);
  // 16, 4 + 12/64, 2 + 14/64, 16/64 bytes of 1,557,611,200 parameters, shares rounded up.
  const double psi = 1'557'611'200, share = 24'337'675;
  CHECK(swept.at({"0"}, "model states") == 16 * psi);
  CHECK(swept.at({"1"}, "model states") == 4 * psi + 12 * share);
  CHECK(swept.at({"2"}, "model states") == 2 * psi + 14 * share);
  CHECK(swept.at({"3"}, "model states") == 16 * share);
}
