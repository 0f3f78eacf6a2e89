// What the checks of a spec share: messages about one named thing at one place.
#pragma once
#include <string>

#include "absl/strings/str_cat.h"
#include "sim/base/diagnostic.h"
#include "sim/topology/spec.h"

namespace brigade {

struct Reporter {
  const Place& at;
  std::string what;  // "node type \"hgx\""
  Diagnostics& errors;

  template <class... Parts>
  void error(const Parts&... parts) const {
    errors.error(at, absl::StrCat(what, ": ", parts...));
  }
  // Whether `value` is within [low, high].
  bool range(const char* name, int64_t value, int64_t low, int64_t high) const {
    if (value >= low && value <= high) return true;
    error(name, " is ", value, "; allowed: ", low, " to ", high);
    return false;
  }
};

// `otherwise`: the place of a cable that has none of its own.
void check_cable(const CableSpec& c, const std::string& what, const Place& otherwise, Diagnostics& errors);

}  // namespace brigade
