// Text of single JSON tokens to values, exactly: times of 19 digits do not fit a double.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brigade {

// "1682725898236567" or "4458676416788.066" microseconds as nanoseconds; digits beyond are dropped. Nothing
// where the token is no number, or beyond 292 years.
std::optional<int64_t> nanoseconds_of(std::string_view microseconds);
// A whole number, also one in quotes or with a fraction of zero.
std::optional<int64_t> whole_of(std::string_view token);
// The inside of a quoted string, escapes untouched; an unquoted token as it is.
std::string_view unquoted(std::string_view token);
// All whole numbers in a text: "[0, 1]". Nothing where it is cut ("[0, 1, ...]") or nested.
std::vector<int64_t> numbers_in(std::string_view text);
// "[[6144], [], [128, 48]]" as the elements of each tensor: 6144, 0, 6144. [] is a scalar or no tensor.
std::vector<int64_t> elements_in(std::string_view dims);
// The strings of ["float", ""].
std::vector<std::string> strings_in(std::string_view list);

}  // namespace brigade
