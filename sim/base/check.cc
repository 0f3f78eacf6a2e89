#include "sim/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace brigade {

void check_failed(const char* condition, const char* file, int line, const std::string& values) {
  std::fprintf(stderr, "%s:%d: internal error: %s is false: %s\n", file, line, condition, values.c_str());
  std::fprintf(stderr,
               "this is a fault of brigade, not of your scenario; please report it with the scenario\n");
  std::abort();
}

}  // namespace brigade
