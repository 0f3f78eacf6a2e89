// Compute that slows while a collective of the rank runs, and buckets on several communication streams. The
// small job: buckets ready at 50, 70, 90 us, each 6 us on the wire (small_jobs.h).
#include "tests/workload/small_jobs.h"

using namespace brigade;

TEST_CASE(
    "compute at a share of its speed while a collective runs: each overlapped interval costs the rest") {
  // Two intervals of 6 us overlap with backward; at a share s each leaves 6 (1 - s) us of work over.
  struct Row {
    double share;
    int64_t step_ns;
  };
  for (const Row& row : {Row{1, 96'000}, Row{0.5, 102'000}, Row{0.75, 99'000}, Row{0.25, 105'000}}) {
    DdpJobSpec ddp = small_ddp();
    ddp.compute.interference.compute_share = row.share;
    const DdpResult d = run_ddp(*small_cluster(2), ddp);
    CAPTURE(row.share);
    CHECK(d.last_step == nanoseconds(row.step_ns));
    const Duration late = nanoseconds((row.step_ns - 96'000) / 2);
    CHECK(d.buckets[1].ready == microseconds(70) + late);
    CHECK(d.buckets[2].ready == microseconds(90) + late + late);
    CHECK(d.last_exposed == microseconds(6));
  }
}

TEST_CASE("a collective that outlasts backward slows all that is left of it") {
  // One large bucket is ready at 50 us, and 40 us of backward are left: at a share s they take 40 / s.
  DdpJobSpec ddp = small_ddp();
  ddp.model.layers[2].parameters[0].elements = 100'000;
  ddp.compute.interference.compute_share = 0.8;
  const DdpResult d = run_ddp(*small_cluster(2), ddp);
  CHECK(d.buckets[1].ready == microseconds(50 + 25));
  CHECK(d.buckets[2].ready == microseconds(50 + 50));
  CHECK(d.last_compute == microseconds(100));
}

TEST_CASE("waiting for a late peer counts: its kernel runs") {
  // Rank 1 comes 10 us late. Rank 0's first all-reduce runs from 50 to 65 us (its own half has arrived
  // before), so that 7.5 us of work are left over and its next bucket is ready at 77.5 us; when it pauses
  // from 80 to 180 us, 1.25 us of the last 20 are done: ready at 198.75.
  DdpJobSpec ddp = small_ddp();
  ddp.compute.interference.compute_share = 0.5;
  RankChange pause = change("0", {});
  pause.stops = true;
  pause.begins = Time{} + microseconds(80);
  pause.ends = Time{} + microseconds(180);
  CHECK(run_ddp(*small_cluster(2), ddp, {change("1", {}, microseconds(10)), pause}).last_step ==
        nanoseconds(204'750));
}

TEST_CASE("two communication streams run two buckets at once, and share the link") {
  // Ready at 50 and 52 us. A ring of 2: two rounds of 2 us on the wire and 1 us of latency. On one stream the
  // second begins at 56. On two, link by link: 50-52 a, 52-54 b, 54-56 a (ready at 53), 56-58 b (ready at
  // 55).
  DdpJobSpec ddp = small_ddp();
  ddp.model.layers.clear();
  ddp.model.tensors = {{.name = "b", .elements = 1000, .ready = microseconds(52), .dtype = {}},
                       {.name = "a", .elements = 1000, .ready = microseconds(50), .dtype = {}}};
  for (const auto& [streams, first_us, second_us] : {std::tuple{1, 56, 62}, std::tuple{2, 57, 59}}) {
    ddp.comm_streams = streams;
    const DdpResult d = run_ddp(*small_cluster(2), ddp);
    CHECK(d.buckets[0].end == microseconds(first_us));
    CHECK(d.buckets[1].end == microseconds(second_us));
    CHECK(d.last_step == microseconds(second_us));
  }
}

TEST_CASE("more streams than buckets, and steps whose buckets end out of order, lose nothing") {
  for (const int streams : {2, 3, 5, 16}) {
    DdpJobSpec ddp = small_ddp();
    ddp.model.layers[2].parameters[0].elements = 50'000;  // the first bucket ends last
    ddp.comm_streams = streams;
    ddp.gradient_norm = true;
    ddp.run.steps = 3;
    JobSpec job = job_on("gpu[*]", ddp);
    job.verify = true;
    NetworkSpec network;
    network.segment = Bytes{1000};  // they take turns
    const RunResult run = run_jobs(*small_cluster(3), {job}, network);
    CHECK(run.jobs[0].verified->collectives == 3 * 4);
    CHECK(ddp_result(run).buckets[0].end > ddp_result(run).buckets[1].end);
  }
}

TEST_CASE("communication at a share of its speed while the rank computes, from the next segment on") {
  // One bucket of 100 kB, ready at 50 us of 90, in segments of 1 kB. A ring of 2: each rank sends 50 kB
  // twice, at half speed (2 us a segment) until backward ends: 20 segments by then, the other 30 at 1 us. The
  // link to the peer is never behind: 1 us of latency, then the second round at full speed.
  DdpJobSpec ddp = small_ddp();
  ddp.model.layers.clear();
  ddp.model.tensors = {{.name = "b", .elements = 1, .ready = microseconds(90), .dtype = {}},
                       {.name = "a", .elements = 25'000, .ready = microseconds(50), .dtype = {}}};
  ddp.buckets.cap = Bytes{100'000};
  NetworkSpec network;
  network.segment = Bytes{1000};
  const auto end_of_first = [&](double share) {
    ddp.compute.interference.communication_share = share;
    return ddp_result(run_jobs(*small_cluster(2), {job_on("gpu[*]", ddp)}, network)).buckets[0].end;
  };
  CHECK(end_of_first(1) == microseconds(50 + 2 * 51));
  CHECK(end_of_first(0.5) == microseconds(90 + 30 + 1 + 51));
  CHECK(end_of_first(0.25) == microseconds(90 + 40 + 1 + 51));
}
