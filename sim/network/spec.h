// How messages cross the network: the settings of `network:` in a scenario.
#pragma once
#include <cstdint>
#include <optional>

#include "sim/base/bytes.h"
#include "sim/base/time.h"

namespace brigade {

enum class NetworkModel : uint8_t { kPacket, kFluid };

// Which of equally good routes a segment takes.
enum class Routing : uint8_t {
  kEcmp,      // that of its message, drawn by a hash of sender, receiver and flow
  kSpray,     // one of its own, drawn by a hash
  kAdaptive,  // at every switch by the least loaded link, see adaptive_routes.h
};

enum class SegmentRule : uint8_t {
  kFixed,  // pieces of `segment` bytes
  kWhole,  // a message is one segment (of at most kSegmentMax)
  kAuto,   // at most 64 segments a message
};

// A segment's size is kept in 32 bits; larger ones are cut, which changes nothing on an idle route.
constexpr Bytes kSegmentMax{int64_t{1} << 31};
constexpr int64_t kAutoSegments = 64;

// A message's class, 2 bits: a free link takes the highest first.
using MessageClass = uint8_t;
constexpr MessageClass kClasses = 4;

struct NetworkSpec {
  NetworkModel model = NetworkModel::kPacket;
  SegmentRule segment_rule = SegmentRule::kFixed;
  Bytes segment = mebibytes(1);   // with kFixed
  std::optional<int64_t> window;  // segments of a message under way at most; unlimited if absent
  Duration overhead{};            // LogP's o, paid by sender and receiver of each message
  Routing routing = Routing::kEcmp;
  Duration detection{};  // from the death of a link until all know of it
};

}  // namespace brigade
