// The keys beside cluster and jobs: network, changes, trace.
#pragma once
#include "sim/scenario/fields.h"
#include "sim/scenario/scenario.h"

namespace brigade {

void read_network(Fields& in, NetworkSpec& out);
void read_changes(Fields& in, Scenario& out);
void read_trace(Fields& in, const std::string& scenario_file, std::optional<TraceSpec>& out);

}  // namespace brigade
