// What cannot be read at all: one clean line, never the library's words alone.
#include "tests/catch.h"
#include "tests/scenario/scratch.h"

using namespace brigade;

namespace {

using Lines = std::vector<std::string>;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("bytes that are no document") {
  struct Row {
    std::string bytes, error;
  };
  const std::vector<Row> rows = {
      {"", "the file is empty"},
      {"# nothing but a comment\n", "the file is empty"},
      {"---\n", "the file is empty"},
      {"just text\n", "1:1: the file holds text; expected a map of keys"},
      {"[1, 2]\n", "1:1: the file holds a list; expected a map of keys"},
      {"a: 1\nb: \xff\n", "2:4: not text in UTF-8"},
      {std::string("a: 1\n\0", 6), "2:1: not text in UTF-8"},
      {"\xff\xfe"
       "a\0:\0",
       "1:1: not text in UTF-8"},
      {"a: \xed\xa0\x80\n", "1:4: not text in UTF-8"},
      {"a: 1\n---\nb: 2\n", "2:1: a second document begins here; a file holds one"},
      {"a:\n\tb: 1\n", "2:3: not valid YAML: a tab indents this line; use spaces"},
      {"a: [1, 2\nb: 3\n", "2:2: not valid YAML: end of sequence flow not found"},
      {"a: \"text\n", "1:4: this quote is never closed"},
      {"a: 'it''s\n", "1:4: this quote is never closed"},
      {"a: *nobody\n", "1:4: not valid YAML: the referenced anchor is not defined"},
      {"a: &a [*a]\n", "1:8: an alias inside the value that it repeats"},
      {"a: {<<: {b: 1}}\n",
       "1:5: merge keys (<<) are not allowed; write the keys out or repeat the whole value by *alias"},
      {"a: !!int 3\n", "1:4: the tag tag:yaml.org,2002:int is not allowed; write the plain value"},
      {"? [a, b]\n: 1\n", "1:3: a key is a name, not a map or a list; or this bracket is never closed"},
      {"a: " + repeated("[", 70) + repeated("]", 70), "1:67: more than 64 maps and lists inside each other"},
      {repeated("- ", 3000), "1:129: more than 64 maps and lists inside each other"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.bytes.substr(0, 80));
    const Lines errors = errors_of(row.bytes);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].substr(0, row.error.size()) == row.error);  // newer yaml-cpp adds the name of an anchor
  }
}

TEST_CASE("aliases work, and a bomb of them is refused") {
  CHECK(
      errors_of(good_with("size: 1 KB", "size: &s 1 KB, dtype: uint8") + "x: *s\n") ==
      Lines{
          R"(10:1: unknown key "x"; allowed: brigade, name, seed, cluster, alone, network, jobs, changes, trace)"});
  CHECK(errors_of(good_with("size: 1 KB}", "sizes: &s [1 KB]}\n  c: {kind: collective, ranks: x, sizes: *s}"))
            .empty());

  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    const std::string before(1, static_cast<char>(c - 1));
    bomb += absl::StrCat(std::string(1, c), ": &", std::string(1, c), " [*", before,
                         repeated(", *" + before, 9), "]\n");
  }
  CHECK(errors_of(bomb) == Lines{"6:8: the file holds more than 200000 values (aliases expanded)"});

  std::string tower = "a: &a [x]\n";
  for (int i = 0; i < 20; ++i) tower += absl::StrCat("k", i, ": &a [[[[[*a]]]]]\n");
  CHECK(errors_of(tower).size() == 1);
}

TEST_CASE("a file larger than 16 MiB is refused") {
  CHECK(errors_of("# " + std::string(17 << 20, 'x')) == Lines{"larger than the limit of 16 MiB"});
}

TEST_CASE("files that are missing, or no files") {
  const Scratch scratch;
  Diagnostics errors;
  CHECK_FALSE(load_scenario(scratch.path("no.yaml"), {}, errors).has_value());
  CHECK_FALSE(load_scenario(scratch.path(""), {}, errors).has_value());
  CHECK(scratch.shortened(errors.text()) ==
        ": error: is a directory, not a file\nno.yaml: error: no such file\n");
}

TEST_CASE("a cluster file is not a scenario, and says what to do") {
  const std::vector<std::string> errors = errors_of("brigade: 1\nnodes: []\n");
  REQUIRE(errors.size() == 1);
  CHECK(errors[0] ==
        "is a cluster file, which a scenario names: cluster: {file: PATH}; to see it: brigade topology");
}
