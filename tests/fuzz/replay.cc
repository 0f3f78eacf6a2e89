// Replays a corpus without libFuzzer: `fuzz_scenario FOLDER...` gives every file in it to the target, in
// order of names. Says how long the slowest took; more than the limit is a failure.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

int main(int argc, char** argv) {
  constexpr double kSecondsMax = 10;  // a sanitizer on a busy machine
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  double slowest = 0;
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    std::fprintf(stderr, "%s\n", file.c_str());
    const auto begin = std::chrono::steady_clock::now();
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    slowest = std::max(slowest, took.count());
    if (took.count() <= kSecondsMax) continue;
    std::fprintf(stderr, "took %.1f s\n", took.count());
    return 1;
  }
  std::printf("%zu inputs, the slowest in %.3f s\n", files.size(), slowest);
  return files.empty() ? 1 : 0;
}
