// Text to quantity and back. B KB MB GB TB PB are powers of 1000, KiB MiB GiB TiB of 1024; GB/s and Gb/s
// (bits); ns us ms s (and ps, min, h); FLOP/s with K M G T P; %. A space before the unit is optional.
//
// Decimals are read exactly (no floating point): "20.6 GB/s" is 20600000000 B/s. A value that is not a whole
// number of bytes, bytes per second or picoseconds is an error, and so is a number without a unit, a negative
// one, and one beyond the limits (2^60 bytes, 2^60 B/s, 30 days).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/bandwidth.h"
#include "sim/base/bytes.h"
#include "sim/base/time.h"

namespace brigade {

// A value, or in words what is wrong with the text ("needs a unit: B, KB, ...").
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string error;
};

Parsed<Bytes> parse_bytes(std::string_view text);
Parsed<Bandwidth> parse_bandwidth(std::string_view text);
Parsed<Duration> parse_duration(std::string_view text);
Parsed<double> parse_flop_per_s(std::string_view text);
// "25 %" -> 0.25. A bare number is an error.
Parsed<double> parse_percent(std::string_view text);
// "8 samples" -> 8, "1024 tokens" -> 1024.
Parsed<int64_t> parse_count(std::string_view text, std::string_view unit);

// For people: four significant digits, the largest unit that keeps at least 1 ("1.386 ms", "25 MB", "50
// GB/s").
std::string to_string(Duration d);
std::string to_string(Bytes b);
std::string to_string(Bandwidth b);

}  // namespace brigade
