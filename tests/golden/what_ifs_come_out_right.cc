// The what-if studies against closed forms of bandwidth: what the slowest link of each way carries / its
// speed. Latencies lie beside them, under 5 % for the sizes that are looked at.
#include "tests/golden/swept.h"

using namespace brigade;

namespace {

constexpr double kNic = 50, kNvlink = 450;  // GB/s

// `bytes` GB at GB/s, in us.
double us(double gigabytes, double gb_per_s) { return gigabytes / gb_per_s * 1e6; }

Approx near(double value) { return Approx(value).epsilon(0.05); }

}  // namespace

TEST_CASE("oversubscription: what leaves the rack waits, what stays does not") {
  const Swept swept = sweep("oversubscription");
  constexpr double kSize = 0.256, kRanks = 32, kLeaf = 8;
  for (const double factor : {1., 2., 4.}) {
    CAPTURE(factor);
    const std::string label = absl::StrCat(factor);
    const double inside = us(kSize * (kRanks - 1) / kRanks, kNic);
    const double across = us(kSize * (kRanks - kLeaf) / kRanks * factor, kNic);
    // Rounds between racks and rounds within take turns, so that not all of the shorter one is hidden.
    CHECK(swept.at({"all-to-all", label}, "time_us") >= std::max(inside, across));
    CHECK(swept.at({"all-to-all", label}, "time_us") <= 1.1 * std::max(inside, across));
    CHECK(swept.at({"ring", label}, "time_us") == near(2 * inside));
    // Halves and quarters go to other racks, the rest (an eighth and less) stays.
    const double halving = us(kSize * (0.75 * factor + 7 / kRanks), kNic);
    CHECK(swept.at({"halving-doubling", label}, "time_us") == near(2 * halving));
  }
}

TEST_CASE("a slow NIC slows a ring as a whole and a tree partly") {
  const Swept swept = sweep("slow_nic");
  const auto slower = [&](const char* algorithm) {
    return swept.at({algorithm, "10 %"}, "time_us") / swept.at({algorithm, "100 %"}, "time_us");
  };
  CHECK(swept.at({"ring", "10 %"}, "time_us") == near(us(2 * 31 / 32. * 0.256, kNic / 10)));
  CHECK(slower("ring") > 9);
  CHECK(slower("tree") > 2);
  CHECK(slower("tree") < 5);
  CHECK(slower("double_binary_tree") < 5);
  CHECK(slower("halving_doubling") > slower("ring"));
}

TEST_CASE("two racks share the uplinks") {
  const Swept swept = sweep("two_racks");
  const double nvlink = us(2 * 7 / 8., kNvlink);
  CHECK(swept.at({"one", "1 GB"}, "time_us") == near(nvlink + us(1 / 8., kNic)));
  CHECK(swept.at({"two", "1 GB"}, "time_us") == near(nvlink + us(1, 100)));
  // Two links more each way, at least twice a phase.
  CHECK(swept.at({"two", "1 MB"}, "time_us") >= swept.at({"one", "1 MB"}, "time_us") + 4);
}

TEST_CASE("rails carry a hierarchical all-reduce without spines, and a flat ring only with PXN") {
  const Swept swept = sweep("rails");
  const double hierarchical = us(2 * 7 / 8., kNvlink) + us(2 * 15 / 16. / 8, kNic);
  const double ring = us(2 * 127 / 128., kNic);
  for (const char* rails : {"rails", "rails, PXN", "rails without spines, PXN"})
    CHECK(swept.at({"hierarchical", rails}, "time_us") == near(hierarchical));
  CHECK(swept.at({"hierarchical", "leaf-spine"}, "time_us") > 1.1 * hierarchical);
  CHECK(swept.at({"ring", "rails"}, "time_us") > 2 * ring);
  for (const char* apart : {"rails, PXN", "rails without spines, PXN", "leaf-spine"})
    CHECK(swept.at({"ring", apart}, "time_us") == near(ring));
}

TEST_CASE("flows collide, segments less, and adaptive ones never") {
  const Swept swept = sweep("ecmp_collisions");
  const double alone = us(0.256, kNic);
  const double times = swept.at({"ecmp"}, "time_us") / alone;  // flows on the busiest uplink
  CHECK(times == Approx(std::round(times)).epsilon(0.01));
  CHECK(times >= 2);
  CHECK(swept.at({"spray"}, "time_us") < 1.2 * alone);
  CHECK(swept.at({"adaptive"}, "time_us") == Approx(alone + 6).epsilon(0.001));  // six links of 1 us
}

TEST_CASE("three servers on two racks collide, unless they adapt") {
  const Swept swept = sweep("three_nodes");
  for (const auto& [servers, n] : {std::pair{"2", 2.}, {"3", 3.}, {"4", 4.}}) {
    CAPTURE(servers);
    const double time = us(2 * 7 / 8., kNvlink) + us(2 * (n - 1) / n / 8, kNic);
    CHECK(swept.at({"adaptive", "1 GB", servers}, "time_us") == near(time));
    if (n > 2) CHECK(swept.at({"ecmp", "1 GB", servers}, "time_us") > 1.2 * time);
    if (n > 2)
      CHECK(swept.at({"ecmp", "1 MB", servers}, "time_us") <
            1.03 * swept.at({"adaptive", "1 MB", servers}, "time_us"));
  }
}

TEST_CASE("72 GPUs on NVLink halve 1 GB and do not help 1 MB") {
  const Swept swept = sweep("nvlink_domain");
  const auto time = [](double domain, double nodes) {
    return us(2 * (domain - 1) / domain, 900) + us(2 * (nodes - 1) / nodes / domain, kNic);
  };
  CHECK(swept.at({"hierarchical", "1 GB", "8 GPUs"}, "time_us") == near(time(8, 18)));
  // 2 x 71 steps of latency on NVLink; and where segments choose their spine well, they may still meet on the
  // way down.
  const double latencies = 2 * 71 * 2 * 0.93625, between = us(1. / 72, kNic);
  CHECK(swept.at({"hierarchical", "1 GB", "72 GPUs"}, "time_us") >= time(72, 2) + latencies);
  CHECK(swept.at({"hierarchical", "1 GB", "72 GPUs"}, "time_us") <= time(72, 2) + latencies + between);
  CHECK(swept.at({"hierarchical", "1 MB", "72 GPUs"}, "time_us") >
        swept.at({"hierarchical", "1 MB", "8 GPUs"}, "time_us"));
}

TEST_CASE("half the NICs take twice the time between servers, of all but a flat ring") {
  const Swept swept = sweep("fewer_nics");
  for (const double nics : {8., 4., 2., 1.}) {
    CAPTURE(nics);
    const std::string label = absl::StrCat(nics);
    CHECK(swept.at({"hierarchical", label}, "time_us") ==
          near(us(2 * 7 / 8., kNvlink) + us(2 * 3 / 4. / nics, kNic)));
    CHECK(swept.at({"ring", label}, "time_us") == near(us(2 * 31 / 32., kNic)));
  }
}

TEST_CASE("steps last whole cycles of Horovod, and without fusing 161 all-reduces outgrow a short backward") {
  const Swept swept = sweep("tensor_fusion");
  const std::string old = "{rule: horovod, fusion: 64 MiB, cycle: 5 ms}",
                    now = "{rule: horovod, fusion: 128 MiB, cycle: 1 ms}",
                    none = "{rule: horovod, fusion: 0 B, cycle: 1 ms}", ddp = "{rule: pytorch}";
  const auto us = [&](const std::string& buckets, const char* column) {
    return swept.at({"8 samples", buckets}, column);
  };
  CHECK(us(ddp, "step_time_us") == Approx(9200).margin(20));
  CHECK(us(old, "step_time_us") == Approx(10000).margin(50));
  CHECK(us(now, "step_time_us") == Approx(9000).margin(50));
  CHECK(us(now, "compute_us") < us(ddp, "compute_us"));  // no copies in backward
  CHECK(us(old, "waiting_for_cycle_us") > 700);
  CHECK(us(none, "fused") == 161);
  CHECK(us(none, "exposed_us") > 1500);
}
