// Random bytes and mutated good files: a scenario or errors, never both, never neither, never a crash.
// Seeded.
#include <string_view>

#include "sim/base/random.h"
#include "sim/scenario/document.h"
#include "tests/catch.h"
#include "tests/scenario/scratch.h"

using namespace brigade;

namespace {

constexpr std::string_view kPieces[] = {"a",       ": ",
                                        "\n",      "  ",
                                        "- ",      "[",
                                        "]",       "{",
                                        "}",       ",",
                                        "&x ",     "*x",
                                        "!",       "|",
                                        ">",       "'",
                                        "\"",      "#",
                                        "%",       "@",
                                        "`",       "?",
                                        "---\n",   "...",
                                        "\t",      "~",
                                        "<<",      "1e3",
                                        "$n",      "\xc3\xa9",
                                        "\xff",    "\r\n",
                                        "null",    "brigade: 1\n",
                                        "jobs:\n", "\\x",
                                        "\\"};

std::string random_text(Random& random) {
  std::string text;
  for (uint64_t i = random.below(60); i > 0; --i) text += kPieces[random.below(std::size(kPieces))];
  return text;
}

// Cuts, copies and overwrites parts of `text`.
std::string mutated(std::string text, Random& random) {
  for (uint64_t i = 1 + random.below(4); i > 0; --i) {
    const size_t at = random.below(text.size() + 1), size = random.below(12);
    switch (random.below(4)) {
      case 0:
        text.erase(std::min(at, text.size()), size);
        break;
      case 1:
        text.insert(at, std::string(kPieces[random.below(std::size(kPieces))]));
        break;
      case 2:
        text.insert(at, text.substr(random.below(text.size() + 1), size));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
    }
  }
  return text;
}

void check_sane(const std::string& text) {
  CAPTURE(text);
  const std::vector<std::string> errors = errors_of(text);
  REQUIRE((errors.empty() || errors[0] != "a scenario with errors, or none without"));
  for (const std::string& error : errors) REQUIRE(error.find("yaml-cpp") == std::string::npos);
}

}  // namespace

TEST_CASE("random bytes are refused with words") {
  const uint64_t seed = 20261129;
  CAPTURE(seed);
  Random random(seed);
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = random_text(random);
    CAPTURE(text);
    Diagnostics errors;
    const bool read = parse_document(text, "a.yaml", errors).has_value();
    REQUIRE((read || !errors.ok()));
  }
  for (int i = 0; i < 200; ++i) check_sane(random_text(random));
}

TEST_CASE("mutated scenarios are read or refused with words") {
  const uint64_t seed = 4711;
  CAPTURE(seed);
  Random random(seed);
  for (int i = 0; i < 1'000; ++i) check_sane(mutated(kGood, random));
}

TEST_CASE("mutated overrides are applied or refused with words") {
  const uint64_t seed = 815;
  CAPTURE(seed);
  Random random(seed);
  const Scratch scratch;
  const std::string file = scratch.write("a.yaml", kGood);
  for (int i = 0; i < 500; ++i) {
    const std::string override = mutated("jobs.b.buckets.cap=[{a: 50 MB}]", random);
    CAPTURE(override);
    Diagnostics errors;
    const bool loaded = load_scenario(file, {override}, errors).has_value();
    REQUIRE(loaded == errors.ok());
  }
}
