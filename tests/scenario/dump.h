// A scenario as text, every field of it, so that two can be compared.
#pragma once
#include <string>

#include "sim/scenario/scenario.h"

namespace brigade {

std::string dump(const Scenario& scenario);

}  // namespace brigade
