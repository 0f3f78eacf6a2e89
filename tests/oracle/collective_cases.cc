#include "tests/oracle/collective_cases.h"

#include <set>

namespace brigade::oracle {
namespace {

void add_divisions_into_nodes(const PlanRequest& base, std::vector<PlanRequest>& requests) {
  for (Rank group = 1; group <= base.ranks; ++group) {
    if (base.ranks % group != 0) continue;
    for (const char* inner : {"ring", "halving_doubling", "direct"}) {
      for (const char* outer : {"naive", "ring", "tree", "butterfly", "halving_doubling", "direct"}) {
        PlanRequest request = base;
        request.group = group;
        request.inner = inner;
        request.outer = outer;
        requests.push_back(request);
      }
    }
  }
}

}  // namespace

std::vector<PlanRequest> requests(const CollectiveCase& row, Rank ranks, int64_t elements) {
  PlanRequest base;
  base.algorithm = find_algorithm(row.collective, row.algorithm);
  base.ranks = ranks;
  base.elements = elements;
  std::vector<PlanRequest> requests;
  if (row.varied == Varied::kNodes) {
    add_divisions_into_nodes(base, requests);
  } else if (row.varied == Varied::kRoot) {
    for (Rank root : std::set<Rank>{0, 1 % ranks, ranks / 2, ranks - 1}) {
      requests.push_back(base);
      requests.back().root = root;
    }
  } else {
    requests.push_back(base);
  }
  return requests;
}

}  // namespace brigade::oracle
