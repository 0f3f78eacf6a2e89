// Messages outside of collectives: they take what a message takes, are told of once at each end, share what
// they share; and a link that is free takes the highest class first, without interrupting what it serves.
#include <map>
#include <tuple>

#include "tests/catch.h"
#include "tests/engine/run_calls.h"

using namespace brigade;

namespace {

constexpr Duration kLatency = microseconds(2);
const Bandwidth kRate = Bandwidth::gb_per_s(50);

struct Told {
  std::map<std::tuple<Rank, Rank, uint32_t>, Time> received, left;
};

// All at once, from rank to rank of a star, in the order given.
Told run(int ranks, const NetworkSpec& network, const std::vector<PointToPoint>& messages, bool by_class,
         bool shuffle = false) {
  const auto topology = oracle::star(ranks, {kRate}, kLatency);
  FastEngine engine(*topology, network, {.shuffle = shuffle});
  if (by_class) engine.serve_by_class();
  const CommId comm = engine.add_communicator(0, oracle::gpus_of(*topology), "messages");
  for (const PointToPoint& m : messages) engine.send(comm, m);
  Told told;
  while (const auto n = engine.next()) {
    REQUIRE(n->comm == comm);
    REQUIRE(n->at == engine.now());
    if (n->what == Notice::What::kMessage)
      REQUIRE(told.received.try_emplace({n->peer, n->rank, n->index}, n->at).second);
    else
      REQUIRE(told.left.try_emplace({n->rank, n->peer, n->index}, n->at).second);
  }
  REQUIRE(engine.failure().empty());
  engine.check_counters();
  return told;
}

NetworkSpec segments_of(Bytes segment) {
  NetworkSpec network;
  network.segment = segment;
  return network;
}

}  // namespace

TEST_CASE("a message takes the latencies and the slowest link, and leaves before it arrives") {
  for (const bool by_class : {false, true})
    for (const int64_t bytes : {0, 1, 4096, 1 << 20, (1 << 20) + 1, 10'000'019}) {
      INFO(bytes << " B, by class: " << by_class);
      const Told told =
          run(3, {}, {{.from = 2, .to = 1, .bytes = {bytes}, .tag = 7, .tell_left = true}}, by_class);
      REQUIRE(told.received.size() == 1);
      REQUIRE(told.received.at({2, 1, 7}) == Time{} + 2 * kLatency + kRate.time({bytes}));
      REQUIRE(told.left.size() == 1);
      REQUIRE(told.left.at({2, 1, 7}) == Time{} + kRate.time({bytes}));
    }
}

TEST_CASE("a message to oneself takes no time") {
  for (const bool by_class : {false, true}) {
    const Told told = run(2, {}, {{.from = 1, .to = 1, .bytes = {1'000'000}, .tell_left = true}}, by_class);
    CHECK(told.received.at({1, 1, 0}) == Time{});
    CHECK(told.left.at({1, 1, 0}) == Time{});
  }
}

TEST_CASE("who is not told that a message has left is not told") {
  CHECK(run(2, {}, {{.from = 0, .to = 1, .bytes = {5000}}}, false).left.empty());
}

TEST_CASE("open messages of a rank share its link segment by segment") {
  // Two of 4 segments each, to different receivers: the first ends a segment before the second.
  const Bytes segment{50'000};  // 1 us
  for (const bool by_class : {false, true}) {
    const Told told = run(
        3, segments_of(segment),
        {{.from = 0, .to = 1, .bytes = 4 * segment}, {.from = 0, .to = 2, .bytes = 4 * segment}}, by_class);
    CHECK(told.received.at({0, 1, 0}) == Time{} + 2 * kLatency + microseconds(7));
    CHECK(told.received.at({0, 2, 0}) == Time{} + 2 * kLatency + microseconds(8));
  }
}

TEST_CASE("N senders share a receiver's port: N times the time of one") {
  for (const int n : {1, 3, 7, 33}) {
    const Bytes bytes{3'000'017};
    std::vector<PointToPoint> messages;
    for (Rank r = 1; r <= static_cast<Rank>(n); ++r) messages.push_back({.from = r, .to = 0, .bytes = bytes});
    for (const bool by_class : {false, true}) {
      const Told told = run(n + 1, {}, messages, by_class);
      Time last{};
      for (const auto& [who, at] : told.received) last = std::max(last, at);
      INFO(n << " senders");
      CHECK(last == Time{} + 2 * kLatency + n * kRate.time(bytes));
    }
  }
}

TEST_CASE("a higher class overtakes what waits, and not the segment in service") {
  const Bytes segment{50'000};  // 1 us
  const std::vector<PointToPoint> messages{
      {.from = 0, .to = 1, .bytes = 10 * segment, .tag = 0, .message_class = 0},
      {.from = 0, .to = 1, .bytes = 2 * segment, .tag = 1, .message_class = 3},
      {.from = 0, .to = 1, .bytes = 3 * segment, .tag = 2, .message_class = 1}};
  for (const bool shuffle : {false, true}) {
    const Told told = run(2, segments_of(segment), messages, true, shuffle);
    const auto end = [&](uint32_t tag) { return told.received.at({0, 1, tag}) - Time{} - 2 * kLatency; };
    CHECK(end(1) == microseconds(2));
    CHECK(end(2) == microseconds(5));
    CHECK(end(0) == microseconds(15));
  }
  // At the receiver's port: rank 1's long message is in service when the others' segments come, later.
  const Told told = run(4, segments_of(segment),
                        {{.from = 1, .to = 0, .bytes = 4 * segment, .message_class = 0},
                         {.from = 2, .to = 0, .bytes = 4 * segment, .message_class = 0},
                         {.from = 3, .to = 0, .bytes = 4 * segment, .message_class = 2}},
                        true);
  const auto end = [&](Rank from) { return told.received.at({from, 0, 0}) - Time{} - 2 * kLatency; };
  CHECK(end(3) == microseconds(4));
  CHECK(end(1) == microseconds(11));
  CHECK(end(2) == microseconds(12));
}
