// Links that slow, die and come back while a message crosses them, by closed forms; and what is said of a run
// that is cut off. Links of 1 GB/s and 500 ns; a message in segments of 1 MB, 1 ms each.
#include "sim/trace/timeline.h"
#include "tests/workload/small_jobs.h"

using namespace brigade;

namespace {

NetworkSpec in_segments(Duration detection = {}) {
  NetworkSpec network;
  network.segment = megabytes(1);
  network.detection = detection;
  return network;
}

LinkChange timed(const std::string& links, std::optional<double> share, Duration begins,
                 std::optional<Duration> ends = {}) {
  LinkChange c;
  c.links = links;
  c.bandwidth_share = share;
  c.down = !share.has_value();
  c.begins = Time{} + begins;
  if (ends) c.ends = Time{} + *ends;
  return c;
}

// gpu[0] and gpu[1] joined by switch[0], and by switch[1] where that one is dead (or slower to take; or as
// good).
std::unique_ptr<const Topology> two_ways(bool second = true, bool equal = false) {
  ClusterSpec spec;
  for (const char* name : {"gpu[0]", "gpu[1]"}) add_vertex(spec, name, "gpu");
  for (int s = 0; s < 1 + second; ++s) {
    const std::string name = "switch[" + std::to_string(s) + "]";
    add_vertex(spec, name, "switch");
    for (const char* gpu : {"gpu[0]", "gpu[1]"}) {
      add_cable(spec, gpu, name);
      spec.cables.back().cable.cost = equal ? 1 : 1 + s;
    }
  }
  return build(spec);
}

// 2 GB from gpu[0] to gpu[1].
RunResult send_2_gb(const Topology& topology, const std::vector<LinkChange>& changes,
                    const NetworkSpec& network, const RunOptions& options = {}) {
  CollectiveJobSpec job = collective_job("listed", {gigabytes(2)}, Collective::kSendRecv);
  job.sends = {{0, 1}};
  Diagnostics errors;
  const auto run = Run::prepare({.topology = topology,
                                 .network = network,
                                 .seed = 1,
                                 .jobs = {job_on("gpu[*]", job, "copy")},
                                 .changes = {},
                                 .link_changes = changes},
                                errors);
  INFO(errors.text());
  REQUIRE(run != nullptr);
  return run->go(options);
}

Duration end_of(const RunResult& run) {
  INFO(run.failure);
  REQUIRE(run.failure.empty());
  return run.end;
}

constexpr Duration kSecond = milliseconds(1000);

}  // namespace

TEST_CASE("case B11: a link cut at 1 s of a 2 s transfer, no other route: the run ends when that is known") {
  const auto topology = two_ways(false);
  for (const Duration detection : {Duration{}, milliseconds(10), kSecond}) {
    const RunResult run =
        send_2_gb(*topology, {timed("switch[0] -> gpu[1]", {}, kSecond)}, in_segments(detection));
    CHECK(run.end == kSecond + detection);
    INFO(run.failure);
    for (const char* part :
         {"job \"copy\", collective 0 (send_recv", "rank 0 (gpu[0]) has no route to rank 1 (gpu[1])",
          "in round 0", "links that are down: switch[0] -> gpu[1]", "rank 1 (gpu[1]) waits in round 0",
          "for rank 0 (gpu[0])"})
      CHECK(holds(run.failure, part));
    CHECK(run.jobs.empty());
  }
}

TEST_CASE("a transfer that is cut goes on by another way from its first undelivered segment") {
  // At 1 s the second link serves segment 999, whose tail is still on it: 1,001 are sent anew.
  const auto topology = two_ways();
  for (const Duration detection : {Duration{}, milliseconds(10), milliseconds(250)}) {
    const RunResult run =
        send_2_gb(*topology, {timed("switch[0] -> gpu[1]", {}, kSecond)}, in_segments(detection));
    CHECK(end_of(run) == kSecond + detection + milliseconds(1001) + microseconds(1));
    CHECK(run.counts.messages_resumed == 1);
    // The one on it, and all that the sender has sent by the instant at which it knows.
    CHECK(run.counts.segments_lost == 2 + detection.ps / milliseconds(1).ps);
  }
}

TEST_CASE("a link that is back before its death was known: what was lost is sent anew by the same way") {
  const auto topology = two_ways(false);
  const RunResult run =
      send_2_gb(*topology, {timed("switch[0] -> gpu[1]", {}, kSecond, kSecond + milliseconds(3))},
                in_segments(milliseconds(10)));
  // Segments 999 to 1002 are lost, what follows arrives until all know; at 1.010 s, as segment 1010 leaves,
  // the message begins anew with segment 999.
  CHECK(end_of(run) == kSecond + milliseconds(10 + 1 + 1001) + microseconds(1));
  CHECK(run.counts.messages_resumed == 1);
}

TEST_CASE("a message of one segment is lost whole and sent anew whole") {
  const auto topology = two_ways();
  NetworkSpec whole = in_segments(milliseconds(10));
  whole.segment_rule = SegmentRule::kWhole;
  const RunResult run = send_2_gb(*topology, {timed("switch[0]", {}, kSecond)}, whole);
  CHECK(end_of(run) == kSecond + milliseconds(10) + 2 * kSecond + microseconds(1));
  CHECK(run.counts.segments_lost == 1);
}

TEST_CASE("a link that dies in the middle of a segment has carried what it could, and no more") {
  // The first link is ten times as fast: all has left it when the second one dies, which then serves the
  // whole message anew. 4 GB have begun to cross that one, in less than the 4 s that these would take.
  ClusterSpec spec;
  for (const char* name : {"gpu[0]", "gpu[1]"}) add_vertex(spec, name, "gpu");
  add_vertex(spec, "switch[0]", "switch");
  add_cable(spec, "gpu[0]", "switch[0]");
  spec.cables.back().cable.bandwidth = Bandwidth::per_second(gigabytes(10));
  add_cable(spec, "switch[0]", "gpu[1]");
  const auto topology = build(spec);
  NetworkSpec whole = in_segments(milliseconds(10));
  whole.segment_rule = SegmentRule::kWhole;
  for (const int cut_ms : {500, 1500, 1900, 1999}) {
    CAPTURE(cut_ms);
    const Duration cut = milliseconds(cut_ms);
    const RunResult run =
        send_2_gb(*topology, {timed("switch[0] -> gpu[1]", {}, cut, cut + milliseconds(1))}, whole);
    CHECK(end_of(run) == cut + milliseconds(10) + 2 * kSecond + microseconds(1));
    // It began after the first link's latency.
    CHECK(run.links.front().busy == cut - nanoseconds(500) + 2 * kSecond);
    CHECK(run.links.front().bytes == gigabytes(4));
  }
}

TEST_CASE("with a window no more than the window is lost") {
  const auto topology = two_ways();
  NetworkSpec network = in_segments(milliseconds(100));
  network.window = 4;
  const RunResult run = send_2_gb(*topology, {timed("switch[0] -> gpu[1]", {}, kSecond)}, network);
  CHECK(end_of(run) == kSecond + milliseconds(100 + 1001) + microseconds(1));
  CHECK(run.counts.segments_lost <= 4);
}

TEST_CASE("sprayed segments that are lost go on by the ways that are left, from the first undelivered one") {
  const auto topology = two_ways(true, true);
  for (const Duration detection : {Duration{}, milliseconds(10), milliseconds(250)}) {
    NetworkSpec network = in_segments(detection);
    network.routing = Routing::kSpray;
    const RunResult run =
        send_2_gb(*topology, {timed("switch[0] -> gpu[1]", {}, kSecond)}, network, {.paranoid = true});
    CAPTURE(detection.ps);
    // Of the segments that it sends by 1 s + detection about half take the dead way. The first of them is
    // near segment 1,000; it and all after it are sent anew.
    CHECK(end_of(run) > kSecond + detection + milliseconds(980));
    CHECK(end_of(run) <= kSecond + detection + milliseconds(1002));
    CHECK(run.counts.messages_resumed == 1);
    CHECK(run.counts.segments_lost >= 1);
    CHECK(in_s(detection) * 300 <= double(run.counts.segments_lost));
    CHECK(double(run.counts.segments_lost) <= in_s(detection) * 700 + 2);
  }
}

TEST_CASE("sprayed segments without a way left end the run when that is known") {
  const auto topology = two_ways(true, true);
  NetworkSpec network = in_segments(milliseconds(10));
  network.routing = Routing::kSpray;
  // The second way dies later: until all know of both, the message has one.
  const RunResult run = send_2_gb(
      *topology, {timed("switch[0]", {}, kSecond), timed("switch[1]", {}, kSecond + milliseconds(5))},
      network, {.paranoid = true});
  CHECK(run.end == kSecond + milliseconds(15));
  CHECK(holds(run.failure, "rank 0 (gpu[0]) has no route to rank 1 (gpu[1])"));
}

TEST_CASE("a slower link serves slower from the next segment on, and recovers") {
  const auto topology = two_ways(false);
  struct Row {
    std::vector<LinkChange> changes;
    int64_t end_ms;
  };
  const std::string link = "gpu[0] -> switch[0]";  // its segments begin at whole ms
  for (const Row& row : std::vector<Row>{
           {{timed(link, 0.5, kSecond)}, 3000},
           {{timed(link, 0.25, kSecond, milliseconds(1400))}, 2300},
           {{timed(link, 0.5, {}, milliseconds(500))}, 2250},
           {{timed(link, 0.5, kSecond, milliseconds(1400)), timed(link, 0.5, kSecond, milliseconds(1400))},
            2300},
           {{timed(link, 0.5, milliseconds(100), milliseconds(300)),
             timed(link, 0.1, milliseconds(900), kSecond)},
            2190},
           {{timed(link, 0.5, milliseconds(5000))}, 2000}}) {
    CAPTURE(row.end_ms);
    CHECK(end_of(send_2_gb(*topology, row.changes, in_segments())) ==
          milliseconds(row.end_ms) + microseconds(1));
  }
}

TEST_CASE("what waits behind a segment of a dying link is lost with it, what has crossed is not") {
  // Two senders share the link to gpu[2]; it dies for good and nobody has another way: one is named, and who
  // waits for whom is said once.
  const auto topology = small_cluster(3);
  CollectiveJobSpec job = collective_job("listed", {megabytes(10)}, Collective::kSendRecv);
  job.sends = {{0, 2}, {1, 2}};
  Diagnostics errors;
  const auto run = Run::prepare({.topology = *topology,
                                 .network = in_segments(milliseconds(1)),
                                 .seed = 1,
                                 .jobs = {job_on("gpu[*]", job, "incast")},
                                 .changes = {},
                                 .link_changes = {timed("gpu[2]", {}, milliseconds(7))}},
                                errors);
  REQUIRE(run != nullptr);
  const RunResult result = run->go({.paranoid = true});
  CHECK(result.end == milliseconds(8));
  CHECK(holds(result.failure, "has no route to rank 2 (gpu[2])"));
  const size_t said = result.failure.find("who waits:");
  CHECK(said != std::string::npos);
  CHECK(result.failure.find("who waits:", said + 1) == std::string::npos);
  CHECK(result.counts.segments_lost > 3);
}

TEST_CASE("changes that concern nothing are as if there were none, and keep no run alive") {
  const auto topology = two_ways();
  const Duration quiet = end_of(send_2_gb(*topology, {}, in_segments()));
  CHECK(end_of(send_2_gb(*topology, {timed("switch[1]", {}, kSecond)}, in_segments())) == quiet);
  CHECK(end_of(send_2_gb(*topology, {timed("switch[0]", {}, 9 * kSecond)}, in_segments())) == quiet);
  CHECK(end_of(send_2_gb(*topology, {timed("switch[0]", 0.5, 9 * kSecond)}, in_segments())) == quiet);
}

TEST_CASE("data that was lost and sent anew ends as the direct sum") {
  const auto topology = two_ways();
  DdpJobSpec ddp = small_ddp();
  ddp.run.steps = 3;
  JobSpec job = job_on("gpu[*]", ddp);
  job.verify = true;
  NetworkSpec network = in_segments(microseconds(20));
  network.segment = Bytes{500};
  Diagnostics errors;
  const auto run =
      Run::prepare({.topology = *topology,
                    .network = network,
                    .seed = 1,
                    .jobs = {job},
                    .changes = {},
                    .link_changes = {timed("switch[0]", {}, microseconds(52), microseconds(160)),
                                     timed("switch[1]", {}, microseconds(180), microseconds(400))}},
                   errors);
  REQUIRE(run != nullptr);
  const RunResult result = run->go({.paranoid = true});
  INFO(result.failure);
  CHECK(result.failure.empty());
  CHECK(result.counts.segments_lost > 0);
  CHECK(result.jobs.at(0).verified->collectives == 9);
}

TEST_CASE("what this network cannot do is refused") {
  const auto topology = two_ways();
  const auto refusal = [&](const NetworkSpec& network) {
    Diagnostics errors;
    Run::prepare({.topology = *topology,
                  .network = network,
                  .seed = 1,
                  .jobs = {job_on("gpu[*]", small_ddp())},
                  .changes = {},
                  .link_changes = {timed("switch[0]", {}, kSecond)}},
                 errors);
    return errors.text();
  };
  NetworkSpec network;
  network.routing = Routing::kAdaptive;
  CHECK(holds(refusal(network), "adaptive routes go by what waits at a link"));
  network = {};
  network.model = NetworkModel::kFluid;
  CHECK(holds(refusal(network), "links of model fluid do not change in mid-run; allowed: model: packet"));
}

// Dead for 0.2 of the 1 ms that a segment takes: what it served ends there, and it serves again before it
// would have.
TEST_CASE(
    "a link that is back within a segment's time serves nothing while it is dead, in the timeline too") {
  const auto topology = two_ways(false);
  Recorder recorder;
  const RunResult run =
      send_2_gb(*topology, {timed("switch[0] -> gpu[1]", {}, microseconds(1300), microseconds(1500))},
                in_segments(microseconds(300)), {.recorder = &recorder, .paranoid = true});
  CHECK(end_of(run) > milliseconds(2000));
  const Timeline timeline(recorder);  // slices do not cross
  for (TrackId track = 0; track < recorder.tracks().size(); ++track) {
    if (recorder.tracks()[track].name != "switch[0] -> gpu[1]") continue;
    CHECK(timeline.slices(track).size() > 1);
    for (const uint32_t i : timeline.slices(track)) {
      const auto& slice = recorder.slices()[i];
      const bool before = slice.end <= Time{} + microseconds(1300),
                 after = slice.begin >= Time{} + microseconds(1500);
      CHECK((before || after));
    }
  }
}
