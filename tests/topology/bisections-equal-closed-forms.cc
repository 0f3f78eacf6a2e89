// Bisection bandwidth by max-flow against closed forms of the families at several sizes, and max-flow itself
// against the narrowest of all cuts of small random graphs.
#include "sim/topology/bisection.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/base/random.h"
#include "sim/topology/max_flow.h"
#include "tests/catch.h"
#include "tests/topology/clusters.h"

using namespace brigade;
using namespace brigade::testing;

namespace {

// Relaying GPUs, joined by cables of 1 GB/s where `joined` says so.
template <class Joined>
double written_bisection_gb_per_s(int gpus, const Joined& joined) {
  ClusterSpec spec;
  for (int i = 0; i < gpus; ++i) spec.vertices.push_back({absl::StrCat("g[", i, "]"), "gpu", {}, true, {}});
  for (int a = 0; a < gpus; ++a) {
    for (int b = a + 1; b < gpus; ++b) {
      if (joined(a, b))
        spec.cables.push_back({absl::StrCat("g[", a, "]"), absl::StrCat("g[", b, "]"), cable(1, 1)});
    }
  }
  return bisection_of(*build(spec)).bytes_per_s * 1e-9;
}

bool is_step(int a, int b, int side) { return (a + 1) % side == b || (b + 1) % side == a; }

double bisection_gb_per_s(const ClusterSpec& spec) { return bisection_of(*build(spec)).bytes_per_s * 1e-9; }

}  // namespace

TEST_CASE("tori: twice the smaller cross section; a side of two has one cable") {
  for (const int a : {2, 4, 6, 8}) {
    for (const int b : {2, 4, 8, 10}) {
      INFO(a << " x " << b);
      const auto joined = [&](int x, int y) {
        const int xa = x / b, xb = x % b, ya = y / b, yb = y % b;
        return (xa == ya && is_step(xb, yb, b)) || (xb == yb && is_step(xa, ya, a));
      };
      const int across_a = b * (a == 2 ? 1 : 2), across_b = a * (b == 2 ? 1 : 2);
      CHECK(written_bisection_gb_per_s(a * b, joined) == std::min(across_a, across_b));
    }
  }
}

TEST_CASE("3-D tori: twice the smallest face") {
  struct Row {
    int a, b, c, expected;
  };
  for (const Row& row : {Row{4, 4, 4, 32}, Row{2, 4, 8, 16}, Row{4, 2, 6, 16}, Row{6, 4, 4, 32}}) {
    const int a = row.a, b = row.b, c = row.c;
    INFO(a << " x " << b << " x " << c);
    const auto joined = [&](int x, int y) {
      const int xs[] = {x / (b * c), x / c % b, x % c}, ys[] = {y / (b * c), y / c % b, y % c};
      const int sides[] = {a, b, c};
      int differ = 0, steps = 0;
      for (int d = 0; d < 3; ++d) {
        differ += xs[d] != ys[d];
        steps += xs[d] != ys[d] && is_step(xs[d], ys[d], sides[d]);
      }
      return differ == 1 && steps == 1;
    };
    CHECK(written_bisection_gb_per_s(a * b * c, joined) == row.expected);
  }
}

TEST_CASE("hypercubes: a cable a pair of opposite devices, N / 2") {
  for (int d = 1; d <= 7; ++d) {
    INFO("dimension " << d);
    const auto joined = [](int x, int y) { return ((x ^ y) & ((x ^ y) - 1)) == 0; };
    CHECK(written_bisection_gb_per_s(1 << d, joined) == (1 << d) / 2);
  }
}

TEST_CASE("rings: two cables; full meshes: every pair across; NVLink switches: half of the GPUs") {
  for (int n = 2; n <= 17; ++n) {
    INFO(n << " GPUs");
    const auto one = [&](NodeFamily family) {
      return bisection_gb_per_s(cluster({{node_type(family, n, 0), 1}}, {}));
    };
    const double nvlink = 450;  // of node_type
    if (n > 2) CHECK(written_bisection_gb_per_s(n, [&](int a, int b) { return is_step(a, b, n); }) == 2);
    CHECK(one(NodeFamily::kFullMesh) == Approx(nvlink * (n / 2) * (n - n / 2)));
    CHECK(one(NodeFamily::kSwitched) == Approx(nvlink * (n / 2)));
  }
}

TEST_CASE("a leaf-spine oversubscribed r to 1 has 1 / r of the NICs of a half") {
  for (const int nodes : {2, 3, 4, 7, 8, 16}) {
    for (const double oversubscription : {1.0, 2.0, 4.0}) {
      INFO(nodes << " nodes, " << oversubscription << ":1");
      FabricSpec fabric = leaf_spine(1, 2);
      fabric.uplink.reset();
      fabric.oversubscription = oversubscription;
      const ClusterSpec spec = cluster({{node_type(NodeFamily::kSwitched, 8, 8), nodes}}, fabric);
      const double nic = 50;  // of node_type
      CHECK(bisection_gb_per_s(spec) == nic * 8 * (nodes / 2) / oversubscription);
    }
  }
}

TEST_CASE("a dead cable carries nothing; a device that does not relay is no way through") {
  ClusterSpec spec;
  for (const char* name : {"a", "b", "h"})
    spec.vertices.push_back({name, name[0] == 'h' ? "host" : "gpu", {}, false, {}});
  spec.cables = {{"a", "b", cable(5, 1)}, {"a", "h", cable(9, 1)}, {"h", "b", cable(9, 1)}};
  CHECK(bisection_of(*build(spec)).bytes_per_s == 5e9);
  spec.vertices[2].forward = true;
  CHECK(bisection_of(*build(spec)).bytes_per_s == 14e9);
  CHECK(bisection_of(*build(spec, {{"a -> h", std::nullopt, true, {}}})).bytes_per_s == 5e9);
}

TEST_CASE("max-flow is the narrowest of all cuts") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const auto n = static_cast<VertexId>(3 + random.below(6));
    std::vector<Vertex> vertices(n);  // switches
    std::vector<Link> links;
    // Sparse ones too, with dead ends and long lines.
    for (uint64_t i = n / 2 + random.below(2 * n); i > 0; --i) {
      const auto a = static_cast<VertexId>(random.below(n)), b = static_cast<VertexId>(random.below(n));
      if (a == b) continue;
      for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
        links.push_back({.from = from,
                         .to = to,
                         .bandwidth = Bandwidth::per_second({static_cast<int64_t>(1 + random.below(20))}),
                         .latency = {}});
        links.back().up = random.below(8) > 0;
      }
    }
    std::vector<FlowEnd> ends(n, FlowEnd::kNone);
    ends[0] = FlowEnd::kSource;
    ends[n - 1] = FlowEnd::kSink;
    int64_t narrowest = INT64_MAX;
    for (uint32_t side = 0; side < 1u << n; ++side) {
      if ((side & 1) == 0 || (side >> (n - 1) & 1) == 1) continue;
      int64_t cut = 0;
      for (const Link& l : links) {
        if (l.up && (side >> l.from & 1) == 1 && (side >> l.to & 1) == 0)
          cut += l.bandwidth.bytes_per_s().count;
      }
      narrowest = std::min(narrowest, cut);
    }
    CHECK(max_flow(vertices, links, ends) == static_cast<double>(narrowest));
  }
}
