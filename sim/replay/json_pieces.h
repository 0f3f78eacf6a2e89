// A large trace in pieces, each sound JSON if the whole is: simdjson's index of a text takes 4 bytes for
// every bracket, colon, comma and value, which of many small events is more than the text itself.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace brigade {

struct JsonPieces {
  // The text without what is in its array of events.
  std::string outline;
  // Of what is in it: from the first byte of an element to behind the last byte of another. None if it is
  // empty.
  std::vector<std::pair<size_t, size_t>> pieces;
  size_t elements = 0;
};

// The array of events is the text itself, or the value of the key "traceEvents" of the object that it is.
// Pieces have `piece` bytes or a little more. Nothing where brackets do not match, or the key comes not once.
std::optional<JsonPieces> cut_trace(std::string_view text, size_t piece);

}  // namespace brigade
