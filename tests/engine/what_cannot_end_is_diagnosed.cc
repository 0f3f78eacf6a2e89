// Deadlock, unreachable peer, a message that nobody receives: a text that names ranks, rounds and links.
#include "tests/catch.h"
#include "tests/engine/run_calls.h"

using namespace brigade;

namespace {

PlanRequest listed(Rank n, std::vector<Pair> sends, std::vector<Pair> receives) {
  return {.algorithm = find_algorithm(Collective::kSendRecv, "listed"),
          .ranks = n,
          .elements = 1000,
          .pairs = std::move(sends),
          .receives = std::move(receives)};
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a receive that nobody sends") {
  const auto topology = oracle::star(3, {Bandwidth::gb_per_s(50)}, microseconds(1));
  FastEngine engine(*topology, {}, {});
  const Ends ends =
      run_fast(engine, {job_of(oracle::gpus_of(*topology), listed(3, {{0, 1}}, {{0, 1}, {2, 1}}))});
  INFO(ends.stuck);
  CHECK(holds(ends.stuck, "deadlock"));
  CHECK(holds(ends.stuck, "rank 1 (gpu[1]) waits in round 0 of 1 with 1 of 2 messages arrived"));
  CHECK(holds(ends.stuck, "rank 2 (gpu[2]), which has finished"));
}

TEST_CASE("a send that nobody receives") {
  const auto topology = oracle::star(3, {Bandwidth::gb_per_s(50)}, microseconds(1));
  FastEngine engine(*topology, {}, {});
  const Ends ends =
      run_fast(engine, {job_of(oracle::gpus_of(*topology), listed(3, {{0, 1}, {2, 1}}, {{0, 1}}))});
  INFO(ends.failure);
  CHECK(holds(ends.failure, "rank 1 (gpu[1]) got a message"));
}

TEST_CASE("a collective that one rank never calls") {
  const auto topology = oracle::star(4, {Bandwidth::gb_per_s(50)}, microseconds(1));
  FastEngine engine(*topology, {}, {});
  oracle::PlainJob job =
      job_of(oracle::gpus_of(*topology),
             {.algorithm = find_algorithm(Collective::kAllReduce, "ring"), .ranks = 4, .elements = 1000});
  job.start[2] = kNever;
  const Ends ends = run_fast(engine, {job});
  INFO(ends.stuck);
  CHECK(holds(ends.stuck, "rank 2 (gpu[2]) never called it"));
  CHECK(holds(ends.stuck, "for rank 2 (gpu[2]), which has not started"));
}

TEST_CASE("a peer behind a dead link") {
  ClusterSpec spec;
  for (const char* name : {"gpu[0]", "gpu[1]", "gpu[2]", "switch[0]"}) {
    VertexSpec v;
    v.name = name;
    v.kind = name[0] == 'g' ? "gpu" : "switch";
    spec.vertices.push_back(v);
    CableSpec cable;
    cable.latency = microseconds(1);
    if (name[0] == 'g') spec.cables.push_back({name, "switch[0]", cable});
  }
  LinkChange cut;
  cut.links = "gpu[2]";
  cut.down = true;
  Diagnostics errors;
  const auto topology = build_topology(spec, {cut}, errors);
  REQUIRE(topology != nullptr);
  FastEngine engine(*topology, {}, {});
  const Ends ends = run_fast(
      engine,
      {job_of(oracle::gpus_of(*topology),
              {.algorithm = find_algorithm(Collective::kAllReduce, "ring"), .ranks = 3, .elements = 1000})});
  INFO(ends.failure);
  CHECK(holds(ends.failure, "rank 1 (gpu[1]) has no route to rank 2 (gpu[2]) in round 0"));
  CHECK(holds(ends.failure, "gpu[2] -> switch[0]"));

  FastEngine other(*topology, {}, {});
  other.send(other.add_communicator(0, oracle::gpus_of(*topology), "server"),
             {.from = 2, .to = 0, .bytes = {1000}, .tag = 5});
  CHECK(!other.next());
  INFO(other.failure());
  CHECK(holds(other.failure(), "job \"server\", message 5: rank 2 (gpu[2]) has no route to rank 0 (gpu[0])"));
}
