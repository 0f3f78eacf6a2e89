// From the events of one rank to its graph.
#pragma once
#include <optional>

#include "sim/base/diagnostic.h"
#include "sim/replay/events.h"
#include "sim/replay/graph.h"

namespace brigade {

// Nothing where the trace is none of a training job on several GPUs; `errors` says why. Takes the trace's
// names.
std::optional<ReplayGraph> make_graph(TraceEvents trace, Diagnostics& errors);

}  // namespace brigade
