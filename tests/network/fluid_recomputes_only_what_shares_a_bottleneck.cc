// How many flows are looked at when one comes or goes.
#include "tests/catch.h"
#include "tests/network/fluid_messages.h"

using namespace brigade;

namespace {

struct Net {
  explicit Net(const std::vector<int64_t>& gb_per_s) {
    for (const int64_t b : gb_per_s) links.push_back(Bandwidth::gb_per_s(b));
    shares.emplace(links, 8);
  }
  // Flows recomputed when this one comes.
  size_t add(FlowId f, const std::vector<LinkId>& route) {
    shares->add(f, route);
    return shares->settle().size();
  }
  size_t remove(FlowId f) {
    shares->remove(f);
    return shares->settle().size();
  }
  double gb_per_s(FlowId f) const { return static_cast<double>(shares->rate(f) >> 34) * 0x1p-30 * 1e-9; }
  std::vector<Bandwidth> links;
  std::optional<FairShares> shares;
};

}  // namespace

TEST_CASE("flows on other links are left alone") {
  Net net({10, 10});
  for (FlowId f = 0; f < 50; ++f) CHECK(net.add(f, {0}) == f + 1);
  CHECK(net.add(50, {1}) == 1);
  CHECK(net.add(51, {1}) == 2);
  CHECK(net.remove(50) == 1);
  CHECK(net.remove(0) == 49);
  CHECK(net.shares->recomputed == 50 * 51 / 2 + 1 + 2 + 1 + 49);
}

TEST_CASE("flows that share only a link that is not their bottleneck are left alone") {
  // 40 flows into a wide link, each held by a narrow one of its own.
  std::vector<int64_t> links{1000};
  for (int i = 0; i < 40; ++i) links.push_back(10);
  Net net(links);
  for (FlowId f = 0; f < 40; ++f) CHECK(net.add(f, {f + 1, 0}) == 1);
  CHECK(net.remove(7) == 0);
  CHECK(net.add(40, {0}) == 1);  // takes the rest, 610
  CHECK(net.gb_per_s(40) == Approx(610));
  CHECK(net.add(41, {0}) == 2);  // halves it; those that have less than the half are left alone
  CHECK(net.gb_per_s(40) == Approx(305));
  CHECK(net.add(7, {8, 0}) == 3);  // and again all that is left
  CHECK(net.gb_per_s(7) == Approx(10));
  CHECK(net.gb_per_s(41) == Approx(300));
}

TEST_CASE("a change goes on as far as bottlenecks carry another load, and no further") {
  Net net({100, 10, 100, 1000});
  CHECK(net.add(0, {0, 1}) == 1);
  CHECK(net.gb_per_s(0) == Approx(10));
  CHECK(net.add(1, {0}) == 1);  // 90 beside it: it is not held by link 0
  CHECK(net.gb_per_s(1) == Approx(90));
  CHECK(net.add(2, {1, 2}) == 3);  // halves flow 0, so that flow 1 gains
  CHECK(net.gb_per_s(0) == Approx(5));
  CHECK(net.gb_per_s(1) == Approx(95));
  CHECK(net.add(3, {2, 3}) == 1);  // takes what link 2 has left
  CHECK(net.gb_per_s(3) == Approx(95));
  CHECK(net.remove(1) == 0);
  CHECK(net.gb_per_s(0) == Approx(5));
  CHECK(net.remove(0) == 2);  // flow 2 gains, flow 3 gives
  CHECK(net.gb_per_s(2) == Approx(10));
  CHECK(net.gb_per_s(3) == Approx(90));
}

TEST_CASE("a held flow gives way where a link fills up below its level") {
  Net net({10, 12});
  CHECK(net.add(0, {1}) == 1);  // has all 12
  CHECK(net.add(1, {0, 1}) == 2);
  CHECK(net.gb_per_s(0) == Approx(6));
  CHECK(net.gb_per_s(1) == Approx(6));
  CHECK(net.add(2, {0}) == 3);  // 4 are left on link 0, but flow 1 has more than that
  CHECK(net.gb_per_s(0) == Approx(7));
  CHECK(net.gb_per_s(1) == Approx(5));
  CHECK(net.gb_per_s(2) == Approx(5));
}
