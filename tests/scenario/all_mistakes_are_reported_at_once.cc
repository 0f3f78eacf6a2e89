// Ten mistakes of ten kinds give ten lines, in the order of the file, and the source line with a caret.
#include "tests/catch.h"
#include "tests/scenario/scratch.h"

using namespace brigade;

namespace {

constexpr const char* kTen =
    "brigade: 1\n"
    "sed: 3\n"                                // unknown key
    "cluster: {file: nowhere.yaml}\n"         // missing file
    "network: {segment: 1024, window: -1}\n"  // unit, range
    "changes: {links: a}\n"                   // wrong shape
    "jobs:\n"
    "  a: {kind: collective, ranks: x, sizes: [1e300 B], algorithm: rng}\n"  // overflow, choice
    "  b: {kind: ddp, ranks: x, model: {name: resnet18}, batch: {micro: 1 samples, micro: 2 samples}}\n"  // duplicate
    "  c: {kind: ddp, ranks:, model: {name: resnet18}}\n"  // no value
    "  d: {kind: ddp, ranks: x}\n";                        // missing key

}  // namespace

TEST_CASE("ten mistakes give ten lines") {
  const std::vector<std::string> expected = {
      R"(2:1: unknown key "sed"; did you mean "seed"?)",
      R"(3:17: cannot read "nowhere.yaml": no such file)",
      R"(4:20: segment "1024" needs a unit: B, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB)",
      R"(4:34: window "-1" is out of range; allowed: 1 to 1000000)",
      R"(5:10: changes is a map; expected a list)",
      R"(7:43: sizes "1e300 B" is beyond the limit of 2^60 bytes)",
      R"(7:64: unknown algorithm "rng"; did you mean "ring"?)",
      R"(8:79: duplicate key "micro"; the first is at line 8)",
      R"(9:18: key "ranks" has no value; expected text, or a list of them)",
      R"(10:3: missing key "model" in jobs.d (by name, or written out as layers or tensors); expected a map)"};
  CHECK(errors_of(kTen) == expected);
}

TEST_CASE("an error shows its line with a caret") {
  const Scratch scratch;
  const std::string file = scratch.write("a.yaml", good_with("ring", "rng"));
  Diagnostics errors;
  CHECK_FALSE(load_scenario(file, {}, errors).has_value());
  CHECK(scratch.shortened(errors.text()) ==
        "a.yaml:4:54: error: unknown family \"rng\"; did you mean \"ring\"?\n"
        "    4 |   node_types: {n: {gpus: 2, gpu: g, nvlink: {family: rng, bandwidth: 1 GB/s, latency: 1 "
        "us}}}\n"
        "      |                                                      ^\n");
}
