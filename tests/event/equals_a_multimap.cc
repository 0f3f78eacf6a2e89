// The radix heap against std::multimap: the same batches, whatever the pattern of instants. Seeds are
// printed.
#include "sim/event/event_queue.h"

#include <map>
#include <set>
#include <vector>

#include "sim/base/random.h"
#include "sim/event/event.h"
#include "tests/catch.h"
#include "tests/effort.h"

using namespace brigade;

namespace {

// How far ahead events are pushed: ties, neighbours, and far apart.
int64_t delay(Random& random, int pattern) {
  switch (pattern) {
    case 0:
      return 0;
    case 1:
      return random.between(0, 3);
    case 2:
      return 20'000'000;
    case 3:
      return 20'000'000 + 20 * random.between(0, 1);
    case 4:
      return random.between(1, 1'000'000'000);
    case 5:
      return int64_t{1} << random.between(0, 50);
    default:
      return random.below(2) ? 5 : random.between(0, 1'000'000);
  }
}

}  // namespace

TEST_CASE("batches equal those of a multimap") {
  for (uint64_t seed = 1; seed <= cases(200); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    EventQueue<Event> queue;
    std::multimap<int64_t, uint32_t> slow;
    const int pattern = static_cast<int>(random.below(7));
    uint32_t next_id = 0;
    const auto push = [&](int64_t at) {
      queue.push({.at = {at}, .id = next_id});
      slow.emplace(at, next_id++);
    };
    for (int64_t i = random.between(1, 400); i > 0; --i) push(delay(random, pattern));
    for (int batches = 0; batches < 2000 && !queue.empty(); ++batches) {
      const auto batch = queue.next_batch();
      const int64_t now = queue.now().ps;
      REQUIRE(now == slow.begin()->first);
      std::vector<uint32_t> ids, expected;
      for (const Event& e : batch) ids.push_back(e.id);
      const auto [first, last] = slow.equal_range(now);
      for (auto it = first; it != last; ++it) expected.push_back(it->second);
      slow.erase(first, last);
      std::sort(ids.begin(), ids.end());
      std::sort(expected.begin(), expected.end());
      REQUIRE(ids == expected);
      // As many again on average, now and then a flood into the next instants.
      const uint64_t more = random.below(40) == 0 ? 300 : random.below(2 * batch.size() + 1);
      const std::vector<Event> before(batch.begin(), batch.end());
      for (uint64_t i = 0; i < more && next_id < 60'000; ++i) push(now + delay(random, pattern));
      // The batch stays in place while it is worked on.
      REQUIRE(std::equal(batch.begin(), batch.end(), before.begin(),
                         [](const Event& a, const Event& b) { return a.at == b.at && a.id == b.id; }));
    }
    REQUIRE(queue.size() == slow.size());
  }
}

// A front of few events lives long: it is pushed into behind the clock's back until its room is used up, now
// and then in the middle of a batch whose next event comes before what has just been dealt out.
TEST_CASE("a front that is pushed into again and again equals a multimap") {
  for (uint64_t seed = 1; seed <= cases(100); ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    EventQueue<Event> queue;
    std::multiset<int64_t> slow;
    const auto push = [&](int64_t at) {
      queue.push({.at = {at}});
      slow.insert(at);
    };
    const int64_t near = int64_t{1} << random.between(2, 20);
    for (int64_t i = random.between(2, 50); i > 0; --i) push(random.between(0, int64_t{1} << 40));
    for (int batches = 0; batches < 3000 && !queue.empty(); ++batches) {
      const size_t taken = queue.next_batch().size();
      const int64_t now = queue.now().ps;
      REQUIRE(now == *slow.begin());
      REQUIRE(slow.erase(now) == taken);
      for (uint64_t more = random.below(5); more > 0 && queue.size() < 60; --more)
        push(now + random.between(0, near));
    }
  }
}

TEST_CASE("what is pushed for the same instant is the next batch") {
  EventQueue<Event> queue;
  queue.push({.at = {7}, .id = 1});
  queue.push({.at = {7}, .id = 2});
  REQUIRE(queue.next_batch().size() == 2);
  queue.push({.at = {7}, .id = 3});
  queue.push({.at = {8}, .id = 4});
  const auto batch = queue.next_batch();
  REQUIRE(batch.size() == 1);
  CHECK(batch[0].id == 3);
  CHECK(queue.now() == Time{7});
}
