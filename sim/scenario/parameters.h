// A cluster that stands in another file, and the parameters that such files take.
//
// A cluster file may declare `parameters: {nodes: 2}` with their defaults; `$nodes` as the whole of a value
// stands for the parameter. Whoever names the file may set them: `cluster: {file: hgx.yaml, nodes: 16}`. A
// cluster file may itself be only another one with other parameters.
#pragma once
#include <optional>

#include "sim/base/diagnostic.h"
#include "sim/scenario/document.h"
#include "sim/scenario/input_files.h"

namespace brigade {

// Values for parameters: a map whose items are scalars.
using Arguments = Node;

// The cluster with its files read and its parameters filled in: keys of `read_cluster` only. Empty after an
// error. `file` is the one that `cluster` stands in.
std::optional<Node> resolve_cluster(const Node& cluster, const std::string& file, const Arguments& arguments,
                                    InputFiles& files, Diagnostics& errors);

}  // namespace brigade
