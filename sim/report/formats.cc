#include "sim/report/report.h"

namespace brigade {
namespace {

constexpr Format kFormats[] = {
    {"text", "a summary for people", print_text},
    {"json", "everything, keys with units", print_json},
    {"csv", "a line for each collective and each other job", print_csv},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

}  // namespace brigade
