// Takes its own options and hands the others to Catch2, in version 2 as in 3.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/property/options.h"

namespace brigade::property {
Options& options() {
  static Options options;
  return options;
}
}  // namespace brigade::property

int main(int argc, char** argv) {
  std::vector<char*> rest{argv[0]};
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name != "--cases" && name != "--seed") {
      rest.push_back(argv[i]);
      continue;
    }
    char* end = nullptr;
    const unsigned long long value = i + 1 < argc ? std::strtoull(argv[i + 1], &end, 10) : 0;
    if (end == nullptr || *end != '\0' || end == argv[i + 1]) {
      std::fprintf(stderr, "%s needs a number\n", name.c_str());
      return 2;
    }
    if (name == "--cases")
      brigade::property::options().cases = static_cast<int>(value);
    else
      brigade::property::options().seed = value;
    ++i;
  }
  return Catch::Session().run(static_cast<int>(rest.size()), rest.data());
}
