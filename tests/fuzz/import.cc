// Topology files of other tools: bytes import to a cluster file that loads, or are refused with words.
#include <string_view>

#include "sim/base/check.h"
#include "sim/scenario/import.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  brigade::Diagnostics errors;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = brigade::import_topology(
      text, "fuzzed", {.nodes = size % 7 == 0 ? 2 : 1, .nvlinks = size % 5 == 0 ? 18 : 0}, errors);
  BRIGADE_CHECK(file.has_value() == errors.ok(), "a file with errors, or none without: ", errors.text());
  return 0;
}
