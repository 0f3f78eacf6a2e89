// One cluster of every kind of node and fabric, odd sizes and uneven leaves included.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "tests/topology/clusters.h"

namespace brigade::testing {

struct NamedCluster {
  std::string name;
  ClusterSpec spec;
};
std::vector<NamedCluster> all_families();

}  // namespace brigade::testing
