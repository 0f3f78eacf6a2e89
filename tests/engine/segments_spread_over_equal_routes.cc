// Sprayed segments draw routes of their own: a message fills several spines instead of one.
#include "tests/catch.h"
#include "tests/engine/run_calls.h"

using namespace brigade;

namespace {

// Two nodes of one GPU and one NIC of 40 GB/s on two leaves, joined by `spines` spines with thin cables.
std::unique_ptr<const Topology> two_leaves(int spines, int64_t uplink_gb_per_s) {
  ClusterSpec spec;
  const auto cable = [](int64_t gb_per_s) {
    CableSpec c;
    c.bandwidth = Bandwidth::gb_per_s(gb_per_s);
    c.latency = microseconds(1);
    return c;
  };
  NodeType node;
  node.name = "n";
  node.gpus = node.nics = 1;
  node.nic_host = node.nic_port = cable(40);
  spec.types = {node};
  spec.nodes = {{"n", 2, {}}};
  spec.fabric.family = FabricFamily::kLeafSpine;
  spec.fabric.nodes_per_leaf = 1;
  spec.fabric.spines = spines;
  spec.fabric.uplink = cable(uplink_gb_per_s);
  Diagnostics errors;
  auto topology = build_topology(spec, {}, errors);
  INFO(errors.text());
  REQUIRE(topology != nullptr);
  return topology;
}

Duration time_of(const Topology& topology, Bytes bytes, Routing routing) {
  PlanRequest request{
      .algorithm = find_algorithm(Collective::kSendRecv, "listed"), .ranks = 2, .elements = bytes.count};
  request.pairs.push_back({0, 1});
  NetworkSpec network;
  network.segment = kibibytes(64);
  network.routing = routing;
  FastEngine engine(topology, network, {});
  const Ends ends = run_fast(engine, {job_of(oracle::gpus_of(topology), request)});
  CHECK(ends.failure == "");
  CHECK(ends.stuck == "");
  return last_of(ends.end[0]) - Time{};
}

}  // namespace

TEST_CASE("one route: spraying and adapting change nothing, to the picosecond") {
  const auto t = two_leaves(1, 10);
  for (const Bytes bytes : {Bytes{0}, Bytes{1}, kibibytes(64), kibibytes(65), mebibytes(16)}) {
    CHECK(time_of(*t, bytes, Routing::kSpray) == time_of(*t, bytes, Routing::kEcmp));
    CHECK(time_of(*t, bytes, Routing::kAdaptive) == time_of(*t, bytes, Routing::kEcmp));
  }
}

TEST_CASE("four spines of a quarter: a message takes one of them, or sprayed nearly all") {
  const auto t = two_leaves(4, 10);
  const Bytes bytes = mebibytes(256);  // 4096 segments
  const Duration one = time_of(*t, bytes, Routing::kEcmp), sprayed = time_of(*t, bytes, Routing::kSpray);
  CHECK(one == microseconds(6) + Bandwidth::gb_per_s(10).time(bytes));
  // The busiest of four spines has at least its share, and of 4096 fair draws less than five standard
  // deviations more.
  CHECK(sprayed >= Bandwidth::gb_per_s(40).time(bytes));
  CHECK(sprayed.ps < 1.15 * static_cast<double>(Bandwidth::gb_per_s(40).time(bytes).ps));
}

TEST_CASE("the same seed sprays the same way") {
  const auto t = two_leaves(4, 10);
  CHECK(time_of(*t, mebibytes(8), Routing::kSpray) == time_of(*t, mebibytes(8), Routing::kSpray));
}

// Four spines of a quarter: segments leave every T and take 4 T to a spine, so that one spine is always idle
// or just free, and the message takes what it would over one cable of four times the bandwidth, but for its
// last segment.
TEST_CASE("adapting segments take the spine that is free, and keep all of them busy") {
  const auto t = two_leaves(4, 10);
  for (const Bytes bytes :
       {kibibytes(64), kibibytes(256), kibibytes(320), mebibytes(16), mebibytes(16) + Bytes{1}}) {
    const Bandwidth wire = Bandwidth::gb_per_s(40), uplink = Bandwidth::gb_per_s(10);
    const Bytes last{(bytes.count - 1) % kibibytes(64).count + 1};
    const Duration took = time_of(*t, bytes, Routing::kAdaptive);
    CAPTURE(bytes.count);
    // The last segment begins when those before it have left, and crosses one uplink; a shorter last one may
    // come to a spine that the one before still keeps busy.
    const Duration least = microseconds(6) + wire.time(Bytes{bytes.count - last.count}) + uplink.time(last);
    CHECK(took >= least);
    CHECK(took <= least + uplink.time(kibibytes(64)) - wire.time(kibibytes(64)));
  }
}
