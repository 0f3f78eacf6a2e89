// A misspelt name gets the closest one; anything else gets the list.
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"
#include "tests/catch.h"

using namespace brigade;

TEST_CASE("the closest name is suggested, and the list where none is close") {
  const std::vector<std::string> algorithms = {"naive", "ring", "tree", "butterfly", "halving_doubling",
                                               "direct"};
  const std::string list = "; allowed: naive, ring, tree, butterfly, halving_doubling, direct";
  struct Row {
    std::string given, text;
  };
  const std::vector<Row> rows = {
      {"rng", "; did you mean \"ring\"?"},
      {"rnig", "; did you mean \"ring\"?"},  // neighbours exchanged: one edit
      {"rings", "; did you mean \"ring\"?"},
      {"Ring", "; did you mean \"ring\"?"},
      {"ring", "; did you mean \"ring\"?"},
      {"tre", "; did you mean \"tree\"?"},
      {"buterfli", "; did you mean \"butterfly\"?"},
      {"halving-doubling", "; did you mean \"halving_doubling\"?"},
      {"indirect", "; did you mean \"direct\"?"},
      {"dirct", "; did you mean \"direct\"?"},
      {"xxng", list},  // two edits of four letters are a guess
      {"star", list},
      {"", list},
      {"a very long name that is near nothing", list},
  };
  for (const auto& [given, text] : rows) {
    CAPTURE(given);
    CHECK(suggestion(given, algorithms) == text);
  }
}

TEST_CASE("of equally close names the first is suggested") {
  CHECK(suggestion("bucket", {"buckets", "bucketX"}) == "; did you mean \"buckets\"?");
}

TEST_CASE("nothing allowed suggests nothing") { CHECK(suggestion("ring", {}) == ""); }

TEST_CASE("a long list is cut and says by how much") {
  std::vector<std::string> names;
  for (int i = 0; i < 25; ++i) names.push_back("gpu" + std::to_string(i));
  const std::string text = suggestion("something else", names);
  CHECK(text.starts_with("; allowed: gpu0, gpu1, "));
  CHECK(text.ends_with(", gpu19 and 5 more"));
}
