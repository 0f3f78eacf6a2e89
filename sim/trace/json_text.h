// Pieces of JSON appended to a string. A trace has millions of events: they are printed, not built as a
// document.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace brigade::json_text {

// With its quotes. `text` is UTF-8.
void append_string(std::string& out, std::string_view text);
void append_integer(std::string& out, uint64_t n);
// Nanoseconds as microseconds, with no more decimals than it needs, 3 at most: 1500 -> 1.5. ns >= 0.
void append_us(std::string& out, int64_t ns);
// The shortest text that reads back as the same double; whole numbers without exponent up to 2^53. Finite.
void append_number(std::string& out, double value);

}  // namespace brigade::json_text
