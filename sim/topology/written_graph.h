// Adds what a spec writes out, vertex by vertex and cable by cable, to a graph under construction.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sim/topology/graph.h"

namespace brigade {

// `names` holds the names of the graph's vertices and grows with it; `model_id` numbers a device model.
// Mistakes (unknown kind, model or vertex; names taken or malformed; a cable to itself; a vertex without a
// cable) go to `errors`.
void add_written(const ClusterSpec& spec, const std::function<uint32_t(const DeviceModel&)>& model_id,
                 Graph& graph, std::vector<std::string>& names, Diagnostics& errors);

}  // namespace brigade
