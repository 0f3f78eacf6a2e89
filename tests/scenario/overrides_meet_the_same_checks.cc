// --set: any value, made where the schema knows it, refused with the place that was given.
#include "tests/catch.h"
#include "tests/scenario/scratch.h"

using namespace brigade;

namespace {

Scenario load_good(const std::vector<std::string>& overrides) {
  const Scratch scratch;
  Diagnostics errors;
  std::optional<Scenario> scenario = load_scenario(scratch.write("a.yaml", kGood), overrides, errors);
  CAPTURE(errors.text());
  REQUIRE(scenario.has_value());
  return *scenario;
}

}  // namespace

TEST_CASE("an override replaces what is there and makes what is not") {
  CHECK(load_good({"network.segment=2 MiB"}).network.segment == mebibytes(2));
  CHECK(load_good({"network.segment=2MiB", "network.segment=3MiB"}).network.segment == mebibytes(3));
  CHECK(std::get<DdpJobSpec>(load_good({"jobs.b.buckets.cap=50MB"}).jobs.at(1).kind).buckets.cap ==
        megabytes(50));
  CHECK(std::get<CollectiveJobSpec>(load_good({"jobs.a.algorithm=[ring, tree]"}).jobs.at(0).kind)
            .algorithms.size() == 2);
  CHECK(load_good({"jobs.a.ranks=node[0].gpu[1]"}).jobs.at(0).ranks ==
        std::vector<std::string>{"node[0].gpu[1]"});
  CHECK(load_good({"cluster.nodes[0].count=4"}).cluster.nodes.at(0).count == 4);
  CHECK(load_good({"cluster.models.g.memory=80 GB"}).cluster.types.at(0).gpu.memory == gigabytes(80));
}

TEST_CASE("the path of a trace set on the command line is not beside the scenario") {
  const Scratch scratch;
  Diagnostics errors;
  const std::string file = scratch.write("a.yaml", kGood + "trace: {file: out/t.json}\n");
  CHECK(load_scenario(file, {}, errors).value().trace.value().file == scratch.path("out/t.json"));
  CHECK(load_scenario(file, {"trace.file=t.json"}, errors).value().trace.value().file == "t.json");
}

TEST_CASE("overrides that are wrong") {
  struct Row {
    const char* override;
    const char* error;
  };
  const Row rows[] = {
      {"jobs.b.buckets.capp=50MB",
       R"(--set jobs.b.buckets.capp: unknown key "capp" in jobs.b.buckets; did you mean "cap"?)"},
      {"jobs.b.buckets.cap=50",
       R"(--set jobs.b.buckets.cap: cap "50" needs a unit: B, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB)"},
      {"jobs.c.start=1 s", R"(--set jobs.c.start: unknown key "c" in jobs; allowed: a, b)"},
      {"netwrk.segment=1 B", R"(--set netwrk.segment: unknown key "netwrk"; did you mean "network"?)"},
      {"jobs.a.ranks[0]=x", R"(--set jobs.a.ranks[0]: jobs.a.ranks is text; [0] needs a list)"},
      {"cluster.nodes[1].count=3",
       R"(--set cluster.nodes[1].count: cluster.nodes has 1 items, numbered from 0; given: 1)"},
      {"network.segment.x=3", R"(--set network.segment.x: network.segment is text; "x" needs a map)"},
      {"seed", R"(--set seed: expected PATH=VALUE, such as jobs.train.buckets.cap=50MB)"},
      {"=3", R"(--set =3: expected PATH=VALUE, such as jobs.train.buckets.cap=50MB)"},
      {"a..b=3", R"(--set a..b=3: expected PATH=VALUE, such as jobs.train.buckets.cap=50MB)"},
      {"[0]=3", R"(--set [0]=3: expected PATH=VALUE, such as jobs.train.buckets.cap=50MB)"},
      {"jobs[x]=3", R"(--set jobs[x]=3: expected PATH=VALUE, such as jobs.train.buckets.cap=50MB)"},
      {"seed=", R"(--set seed: key "seed" has no value; expected whole number from 0)"},
      {"jobs.a.sizes=3 GB", R"(8:56: "size" and "sizes" are given; allowed: one of them)"},
      {"jobs.a.model.name=gpt2", R"(--set jobs.a.model.name: unknown key "model" in jobs.a)"},
      {"cluster.nodes=[{type: m}]", R"(--set cluster.nodes: unknown type "m"; allowed: n)"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.override);
    const std::vector<std::string> errors = errors_of(kGood, {row.override});
    CAPTURE(errors);
    REQUIRE(!errors.empty());
    CHECK((errors[0].starts_with(row.error) || errors.back().starts_with(row.error)));
  }
}
