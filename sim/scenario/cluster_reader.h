// The keys of a cluster, once its files are read and its parameters filled in (parameters.h).
#pragma once
#include "sim/scenario/fields.h"
#include "sim/topology/spec.h"

namespace brigade {

// `in_file`: the cluster is a file of its own, which begins with `brigade: 1`.
void read_cluster(Fields& in, bool in_file, ClusterSpec& out);

// Keys that scenario and cluster files share: format version and name.
void read_file_header(Fields& in, std::string& name);

}  // namespace brigade
