#include "sim/report/suspicious.h"

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"

namespace brigade {
namespace {

// Beyond what is sold: NIC ports have up to 800 Gb/s, NVLink 5 has 900 GB/s per direction and GPU.
constexpr Bytes kNicPerSecondMax = gigabytes(200);
constexpr Bytes kCablePerSecondMax = gigabytes(10'000);
constexpr Bytes kCablePerSecondMin = megabytes(10);
// Light needs 5 ms for 1000 km of fibre.
constexpr Duration kLatencyMax = milliseconds(100);
constexpr double kPeakFlopPerSMax = 1e17;

void check_cable(const char* what, const CableSpec& cable, Bytes per_second_max, Diagnostics& out) {
  const Bytes rate = cable.bandwidth.bytes_per_s();
  if (rate > per_second_max) {
    out.warning(cable.at, absl::StrCat(what, " of ", to_string(cable.bandwidth), " is ",
                                       rate.count / 125'000'000, " Gb/s; are bits (Gb/s) meant?"));
  } else if (rate < kCablePerSecondMin) {
    out.warning(cable.at, absl::StrCat(what, " of ", to_string(cable.bandwidth), " is very slow"));
  }
  if (cable.latency > kLatencyMax)
    out.warning(cable.at,
                absl::StrCat(what, " with a latency of ", to_string(cable.latency), " is very long"));
}

void check_device(const DeviceModel& device, Diagnostics& out) {
  for (const auto& [dtype, rate] : device.peak_flop_per_s) {
    if (rate <= kPeakFlopPerSMax) continue;
    out.warning(device.at, absl::StrCat(device.name, " with ", rate * 1e-12, " TFLOP/s of ", dtype,
                                        " is faster than any device known"));
  }
}

}  // namespace

void warn_of_suspicious_values(const Scenario& scenario, Diagnostics& out) {
  for (const NodeType& type : scenario.cluster.types) {
    if (type.family != NodeFamily::kNone) check_cable("NVLink", type.nvlink, kCablePerSecondMax, out);
    if (type.nics > 0) check_cable("a NIC port", type.nic_port, kNicPerSecondMax, out);
    if (type.gpus > 0) check_device(type.gpu, out);
  }
  for (const WrittenCable& written : scenario.cluster.cables)
    check_cable("a cable", written.cable, kCablePerSecondMax, out);
  for (const auto& [name, device] : scenario.cluster.models) check_device(device, out);
}

}  // namespace brigade
