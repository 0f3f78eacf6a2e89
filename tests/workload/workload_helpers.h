// Short ways to models, buckets and timelines for the tests of this folder.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "sim/base/check.h"
#include "sim/workload/buckets.h"
#include "sim/workload/compute.h"
#include "sim/workload/model_catalogue.h"
#include "tests/catch.h"

#if __has_include(<catch2/catch_all.hpp>)
using Catch::Approx;  // Catch2 2 puts it into the global namespace
#endif

namespace brigade {

// At its default size unless `size` (tokens or pixels) is given.
inline Model named_model(const std::string& name, int64_t size = 0) {
  const ModelRow* row = find_model(name);
  BRIGADE_CHECK(row != nullptr, name);
  return row->build(size == 0 ? row->size_default : size);
}

// The order that PyTorch's documentation assumes and that most models have.
inline std::vector<TensorIndex> reversed_registration(size_t tensors) {
  std::vector<TensorIndex> order(tensors);
  for (size_t i = 0; i < tensors; ++i) order[i] = static_cast<TensorIndex>(tensors - 1 - i);
  return order;
}

// When each bucket's last gradient is ready, in shares of backward.
inline std::vector<double> ready_shares(const std::vector<Bucket>& buckets, const ComputeTimeline& timeline) {
  std::vector<double> ready(timeline.gradients.size());
  for (const GradientReady& g : timeline.gradients) {
    ready[g.tensor] = static_cast<double>(g.at.ps) / static_cast<double>(timeline.backward.ps);
  }
  std::vector<double> shares;
  for (const Bucket& bucket : buckets) {
    double last = 0;
    for (const TensorIndex tensor : bucket.tensors) last = std::max(last, ready[tensor]);
    shares.push_back(last);
  }
  return shares;
}

}  // namespace brigade
