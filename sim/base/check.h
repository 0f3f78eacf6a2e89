// BRIGADE_CHECK: a broken invariant of our own. Always on, names the values, ends the process with SIGABRT.
// A user's mistake is never a CHECK: see diagnostic.h.
#pragma once
#include <string>

#include "absl/strings/str_cat.h"

namespace brigade {

[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& values);

// Out of line, so that a check costs the code around it one comparison and one branch.
template <class Values>
[[noreturn, gnu::cold, gnu::noinline]] void check_failed_with(const char* condition, const char* file,
                                                              int line, const Values& values) {
  check_failed(condition, file, line, values());
}

}  // namespace brigade

// BRIGADE_CHECK(event.at >= now, "event at ", event.at.ps, " ps pushed at ", now.ps, " ps")
#define BRIGADE_CHECK(condition, ...)                                          \
  do {                                                                         \
    if (!(condition)) [[unlikely]]                                             \
      ::brigade::check_failed_with(#condition, __FILE__, __LINE__,             \
                                   [&] { return absl::StrCat(__VA_ARGS__); }); \
  } while (false)
