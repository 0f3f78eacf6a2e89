// sim/replay/mapping.h has the rules.
#include "absl/strings/match.h"
#include "sim/base/random.h"
#include "sim/replay/mapping.h"
#include "tests/replay/traces.h"

using namespace brigade;

namespace {

std::string list(const std::vector<int64_t>& ranks) {
  return absl::StrCat("[", absl::StrJoin(ranks, ", "), "]");
}

ReplayTrace one_rank(int64_t world, const std::vector<int64_t>& group, int64_t size,
                     const std::string& what = "allreduce", int64_t in = 1000, int64_t out = 1000) {
  WrittenTrace t;
  t.step(0, 0, 200);
  t.kernel("ncclDevKernel_X_Sum(x)", 30, 20, 52, 82, 1,
           WrittenTrace::comm_args(what, in, out, list(group), size));
  ReplayTrace trace;
  trace.graphs.push_back(graph_of(t.text(0, world)));
  trace.world = world;
  return trace;
}

std::string groups_of(const ReplayMap& map) {
  std::vector<std::string> all;
  for (const MappedCommunicator& c : map.communicators) all.push_back(absl::StrJoin(c.ranks, " "));
  return absl::StrJoin(all, " | ");
}

std::string mapped(const ReplayTrace& trace, Rank ranks, UnnamedGroups unnamed = UnnamedGroups::kRefused) {
  Diagnostics errors;
  const auto map = map_ranks(trace, ranks, unnamed, {}, errors);
  CHECK(map.has_value() == errors.ok());
  return map ? groups_of(*map) : "error: " + errors.list().front().message;
}

}  // namespace

TEST_CASE("groups: what reaches over the job grows, what does not keeps its size") {
  struct Row {
    int64_t world;
    std::vector<int64_t> group;
    Rank ranks;
    const char* expected;
  };
  const Row rows[] = {
      {2, {0, 1}, 2, "0 1"},
      {2, {0, 1}, 5, "0 1 2 3 4"},
      {2, {0, 1}, 1, "0"},
      {4, {0, 1}, 4, "0 1 | 2 3"},  // neighbours: tensor parallel
      {4, {0, 1}, 8, "0 1 | 2 3 | 4 5 | 6 7"},
      {4, {0, 1}, 2, "0 1"},
      {4, {0, 1}, 3, "error: group \"0\" of 2 ranks does not fit 3 ranks; allowed: multiples of 2"},
      {4, {0, 2}, 4, "0 2 | 1 3"},  // every second: data parallel
      {4, {0, 2}, 8, "0 2 4 6 | 1 3 5 7"},
      {4, {1, 3}, 6, "0 2 4 | 1 3 5"},
      {4,
       {0, 2},
       5,
       "error: group \"0\" of 2 ranks, every 2th of the job, does not fit 5 ranks; allowed: multiples of 2"},
      {8, {0, 2}, 8, "0 2 | 1 3 | 4 6 | 5 7"},  // in the middle: keeps size and distance
      {8, {4, 6}, 4, "0 2 | 1 3"},
      {8, {0, 1, 3}, 8, "error: group \"0\" of 3 ranks (0, 1, 3) is not in step"},
      {8, {0, 3, 6}, 8, "error: group \"0\" of 3 ranks from rank 0 at distances of 3 does not divide"},
      {8, {1, 2}, 8, "error: group \"0\" of 2 ranks from rank 1 at distances of 1 does not divide"},
      {8, {0}, 3, "0 | 1 | 2"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.world, list(row.group), row.ranks);
    const std::string result =
        mapped(one_rank(row.world, row.group, static_cast<int64_t>(row.group.size())), row.ranks);
    CAPTURE(result);
    CHECK(absl::StartsWith(result, row.expected));
    if (row.expected[0] != 'e') CHECK(result == row.expected);
  }
}

TEST_CASE("groups: of which only the size is known are refused unless a rule is given") {
  const ReplayTrace trace = one_rank(8, {}, 4);
  CHECK(
      absl::StartsWith(mapped(trace, 8), "error: group \"0\" of 4 ranks of 8: the trace does not say which"));
  CHECK(mapped(trace, 8, UnnamedGroups::kContiguous) == "0 1 2 3 | 4 5 6 7");
  CHECK(mapped(trace, 8, UnnamedGroups::kStrided) == "0 2 4 6 | 1 3 5 7");
  CHECK(mapped(trace, 4, UnnamedGroups::kStrided) == "0 2 | 1 3");
  CHECK(mapped(one_rank(8, {}, 8), 6) == "0 1 2 3 4 5");
}

TEST_CASE("sizes: all-gather and reduce-scatter keep the whole, the others what a rank brings") {
  struct Row {
    const char* what;
    int64_t in, out;
    Rank ranks;
    int64_t elements;
  };
  const Row rows[] = {{"allreduce", 1000, 1000, 7, 1000},       {"broadcast", 1000, 1000, 7, 1000},
                      {"_reduce_oop", 1000, 1000, 7, 1000},     {"all_to_all", 1000, 1000, 7, 1000},
                      {"_allgather_base", 500, 1000, 2, 1000},  {"_allgather_base", 500, 1000, 5, 1000},
                      {"_allgather_base", 500, 1000, 7, 1001},  {"_reduce_scatter_base", 1000, 500, 3, 1002},
                      {"reduce_scatter", 1000, 500, 2000, 2000}};
  for (const Row& row : rows) {
    CAPTURE(row.what, row.ranks);
    Diagnostics errors;
    const auto map = map_ranks(one_rank(2, {0, 1}, 2, row.what, row.in, row.out), row.ranks,
                               UnnamedGroups::kRefused, {}, errors);
    REQUIRE(map.has_value());
    CHECK(map->communicators[0].calls[0].elements == row.elements);
    CHECK(map->communicators[0].calls[0].element_bytes == 4);
  }
}

TEST_CASE("all ranks: uneven all-to-alls keep what each rank sends and receives") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const size_t n = 2 + random.below(7);
    // Draw what goes from i to j; tell only the totals.
    std::vector<int64_t> in(n), out(n);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j) {
        const int64_t elements = random.below(3) == 0 ? 0 : random.between(0, 5000);
        in[i] += elements;
        out[j] += elements;
      }
    in[0] += 1, out[n - 1] += 1;  // never even by chance
    ReplayTrace trace;
    std::vector<int64_t> all;
    for (size_t r = 0; r < n; ++r) all.push_back(static_cast<int64_t>(r));
    for (size_t r = 0; r < n; ++r) {
      WrittenTrace t;
      t.step(0, 0, 200);
      t.kernel("ncclDevKernel_SendRecv(x)", 30, 20, 52, 82, 1,
               WrittenTrace::comm_args("all_to_allv", in[r], out[r], list(all), static_cast<int64_t>(n)));
      trace.graphs.push_back(graph_of(t.text(static_cast<int64_t>(r), static_cast<int64_t>(n))));
    }
    trace.world = static_cast<int64_t>(n);
    trace.late.resize(n);
    Diagnostics errors;
    const auto map = map_ranks(trace, static_cast<Rank>(n), UnnamedGroups::kRefused, {}, errors);
    REQUIRE(map.has_value());
    const std::vector<int64_t>& sent = map->communicators[0].calls[0].sent;
    REQUIRE(sent.size() == n * n);
    for (size_t i = 0; i < n; ++i) {
      int64_t row = 0, column = 0;
      for (size_t j = 0; j < n; ++j) {
        CHECK(sent[i * n + j] >= 0);
        row += sent[i * n + j];
        column += sent[j * n + i];
      }
      CHECK(row == in[i]);
      CHECK(column == out[i]);
    }
  }
}

TEST_CASE("all ranks: splits that are traced hold; collectives that differ are an error") {
  const auto trace_of = [](const std::string& first, const std::string& second) {
    ReplayTrace trace;
    for (const std::string& args : {first, second}) {
      WrittenTrace t;
      t.step(0, 0, 200);
      t.kernel("ncclDevKernel_SendRecv(x)", 30, 20, 52, 82, 1, args);
      trace.graphs.push_back(graph_of(t.text(static_cast<int64_t>(trace.graphs.size()), 2)));
    }
    trace.world = 2;
    trace.late.resize(2);
    return trace;
  };
  const auto with_split = [](int64_t in, int64_t out, const char* split) {
    std::string args = WrittenTrace::comm_args("all_to_allv", in, out);
    const size_t at = args.find("\"In split size\":\"[]\"");
    return args.replace(at, 20, absl::StrCat("\"In split size\":\"", split, "\""));
  };
  Diagnostics errors;
  // Splits count rows: of 10 elements each here.
  const auto map = map_ranks(trace_of(with_split(40, 50, "[1, 3]"), with_split(60, 50, "[4, 2]")), 2,
                             UnnamedGroups::kRefused, {}, errors);
  REQUIRE(map.has_value());
  CHECK(map->communicators[0].calls[0].sent == std::vector<int64_t>{10, 30, 40, 20});

  const std::string sum = WrittenTrace::comm_args("allreduce", 8, 8);
  CHECK(absl::StrContains(mapped(trace_of(sum, WrittenTrace::comm_args("broadcast", 8, 8)), 2),
                          "collective 0 is allreduce of Float on rank 0, broadcast of Float on rank 1"));
  CHECK(absl::StrContains(mapped(trace_of(sum, sum), 3), "the traces are of all 2 ranks"));
}
