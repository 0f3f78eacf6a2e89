// Incast and unequal senders: contention happens, nothing divides a bandwidth.
#include "tests/catch.h"
#include "tests/engine/run_calls.h"

using namespace brigade;

namespace {

PlanRequest to_rank_0(Rank senders, Bytes bytes) {
  PlanRequest request{.algorithm = find_algorithm(Collective::kSendRecv, "listed"),
                      .ranks = senders + 1,
                      .elements = bytes.count};
  for (Rank r = 1; r <= senders; ++r) request.pairs.push_back({r, 0});
  return request;
}

}  // namespace

TEST_CASE("K senders of M bytes through one switch take K M/B + latencies and end nearly together") {
  for (const int k : {1, 2, 3, 7, 31}) {
    const Bandwidth b = Bandwidth::gb_per_s(50);
    const auto topology = oracle::star(k + 1, {b}, microseconds(1));
    const Bytes m = mebibytes(8);
    NetworkSpec network;
    network.segment = kibibytes(256);
    // Each sender's end, seen at the receiver: one job a sender, so that its receiver's end is that of its
    // message.
    std::vector<oracle::PlainJob> jobs;
    const auto gpus = oracle::gpus_of(*topology);
    for (int i = 1; i <= k; ++i)
      jobs.push_back(job_of({gpus[0], gpus[static_cast<size_t>(i)]}, to_rank_0(1, m)));
    FastEngine engine(*topology, network, {});
    const Ends ends = run_fast(engine, jobs);
    Time first = kNever, last{};
    for (const auto& job : ends.end) {
      first = std::min(first, job[0]);
      last = std::max(last, job[0]);
    }
    INFO("K = " << k);
    CHECK(last.ps == (microseconds(2) + b.time(k * m)).ps);
    CHECK((last - first).ps <= ((k - 1) * b.time(network.segment)).ps);
  }
}

TEST_CASE("a fast sender is not held up by a slow one: it ends at 1.386 ms") {
  const auto topology = [] {
    ClusterSpec spec;
    for (const char* name : {"gpu[0]", "gpu[1]", "gpu[2]"}) {
      VertexSpec v;
      v.name = name;
      v.kind = "gpu";
      spec.vertices.push_back(v);
    }
    VertexSpec s;
    s.name = "switch[0]";
    s.kind = "switch";
    spec.vertices.push_back(s);
    const int64_t gb_per_s[] = {50, 1, 50};
    for (int i = 0; i < 3; ++i) {
      CableSpec cable;
      cable.bandwidth = Bandwidth::gb_per_s(gb_per_s[i]);
      cable.latency = microseconds(1);
      spec.cables.push_back({spec.vertices[static_cast<size_t>(i)].name, "switch[0]", cable});
    }
    Diagnostics errors;
    return build_topology(spec, {}, errors);
  }();
  const auto gpus = oracle::gpus_of(*topology);
  std::vector<oracle::PlainJob> jobs{job_of({gpus[0], gpus[1]}, to_rank_0(1, mebibytes(64))),
                                     job_of({gpus[0], gpus[2]}, to_rank_0(1, mebibytes(64)))};
  for (Time& start : jobs[1].start) start = Time{} + microseconds(10);
  FastEngine engine(*topology, {}, {});
  const Ends ends = run_fast(engine, jobs);
  // 10 us + 2 us + 64 MiB at 50 GB/s (1342.18 us), and the slow one's segments that came between (21 us
  // each).
  CHECK(in_us(ends.end[1][0] - Time{}) == Approx(1386).margin(0.5));
  CHECK(ends.end[0][0].ps == (microseconds(2) + Bandwidth::gb_per_s(1).time(mebibytes(64))).ps);
}
