// The hash covers every byte that went in, and nothing else.
#include <set>

#include "sim/scenario/input_files.h"
#include "tests/catch.h"
#include "tests/scenario/scratch.h"

using namespace brigade;

namespace {

const std::string kCluster = "brigade: 1\nnode_types: {n: {gpus: 2}}\nnodes: [{type: n}]\n";
const std::string kScenario =
    "brigade: 1\ncluster: {file: c.yaml}\njobs: {a: {kind: collective, ranks: x, size: 1 B}}\n";

}  // namespace

TEST_CASE("the hash is FNV-1a over pieces and their lengths") {
  // Offset basis and the value of "a" and "foobar" as its authors publish them, before lengths are added.
  InputHash none;
  CHECK(none.value() == 0xcbf29ce484222325u);
  const auto fnv = [](std::string_view bytes) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
    return hash;
  };
  CHECK(fnv("a") == 0xaf63dc4c8601ec8cu);
  CHECK(fnv("foobar") == 0x85944171f73967e8u);
  InputHash hash;
  hash.add("foobar");
  CHECK(hash.value() == fnv(std::string_view("foobar\x06\0\0\0\0\0\0\0", 14)));
  CHECK(hash.hex().size() == 16);
}

TEST_CASE("a byte of any file and an override change the hash; the folder does not") {
  const auto hash = [](const std::string& cluster, const std::string& scenario,
                       const std::vector<std::string>& overrides) {
    const Scratch scratch;
    scratch.write("c.yaml", cluster);
    Diagnostics errors;
    std::optional<Scenario> loaded = load_scenario(scratch.write("a.yaml", scenario), overrides, errors);
    REQUIRE(loaded.has_value());
    return loaded->input_hash;
  };
  const std::string base = hash(kCluster, kScenario, {});
  CHECK(base == hash(kCluster, kScenario, {}));
  const std::set<std::string> all = {
      base, hash(kCluster + "#", kScenario, {}), hash(kCluster, kScenario + "#", {}),
      hash(kCluster, kScenario, {"seed=1"}), hash(kCluster, kScenario, {"seed=1", "seed=1"})};
  CHECK(all.size() == 5);
}
