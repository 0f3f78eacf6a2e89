// Link speeds as people write them on maps and in attributes of graphs.
#pragma once
#include <optional>
#include <string_view>

#include "sim/base/bandwidth.h"

namespace brigade {

// "10 Gbps", "<2.5 Gb/s", "10GE", "155Mbit/s", "OC-192c", "STM-64", "GigE": the first speed in the text.
// Always bits, as such labels are; OC-n is n x 51.84 Mb/s, STM-n three times that. None where there is no
// speed.
std::optional<Bandwidth> labelled_speed(std::string_view text);

}  // namespace brigade
