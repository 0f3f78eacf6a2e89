// Whatever is done to a topology file of another tool, it imports to a cluster file that loads, or says why
// not. Seeded. Also over the public files beside the checkout, where they are.
#include <fstream>
#include <iostream>
#include <iterator>

#include "sim/base/random.h"
#include "tests/scenario/foreign.h"
#include "tests/source_dir.h"

using namespace brigade;

namespace {

std::vector<NamedText> public_files() {
  const std::filesystem::path folder = std::filesystem::path(source_dir()) / ".." / "shared" / "topologies";
  std::vector<NamedText> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename() == "README.md") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files.push_back({entry.path().filename().string(), {std::istreambuf_iterator<char>(in), {}}});
  }
  std::sort(files.begin(), files.end(),
            [](const NamedText& a, const NamedText& b) { return a.name < b.name; });
  return files;
}

void check(const std::string& text) {
  Diagnostics errors;
  const std::optional<ImportedFile> file = import_topology(text, "mutated", {}, errors);
  CHECK(file.has_value() == errors.ok());
}

// One change such as a person or a disk makes: a line gone, repeated or moved, another digit, a cut, a byte.
std::string mutated(std::string text, Random& random) {
  if (text.empty()) return text;
  const size_t at = random.below(text.size());
  const size_t line = text.rfind('\n', at) == std::string::npos ? 0 : text.rfind('\n', at) + 1;
  const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
  switch (random.below(6)) {
    case 0:
      return line < end ? text.erase(line, end - line) : text;
    case 1:
      return line < end ? text.insert(end, text.substr(line, end - line)) : text;
    case 2:
      return text.substr(0, at);
    case 3:
      text[at] = static_cast<char>(random.below(256));
      return text;
    case 4: {
      const size_t digit = text.find_first_of("0123456789", at);
      if (digit != std::string::npos) text[digit] = static_cast<char>('0' + random.below(10));
      return text;
    }
    default: {
      const size_t other = random.below(text.size());
      return text.insert(other, text.substr(at, random.below(40)));
    }
  }
}

}  // namespace

TEST_CASE("every file imports, and every mutation of it imports or is explained") {
  std::vector<NamedText> files = foreign_files();
  const std::vector<NamedText> others = public_files();
  if (others.empty()) std::cout << "skipped: no ../shared/topologies beside the checkout\n";
  files.insert(files.end(), others.begin(), others.end());
  for (const NamedText& file : files) {
    INFO(file.name);
    import_ok(file.text);
    for (uint64_t seed = 1; seed <= 40; ++seed) {
      INFO("seed " << seed);
      Random random(seed);
      std::string text = file.text;
      for (uint64_t i = 1 + random.below(4); i > 0; --i) text = mutated(std::move(text), random);
      check(text);
    }
  }
}

TEST_CASE("random bytes of each kind are explained") {
  for (const std::string head :
       {"<system>", "<graphml>", "5 2 5\n", "npus_count: [2]\ntopology: ", "GPU0\nGPU0 X\n"}) {
    for (uint64_t seed = 1; seed <= 30; ++seed) {
      INFO(head << " seed " << seed);
      Random random(seed);
      std::string text = head;
      for (uint64_t i = random.below(300); i > 0; --i) text += static_cast<char>(random.below(256));
      check(text);
    }
  }
}
