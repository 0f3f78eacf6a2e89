// Eigen, for `training` only. Without vectors of its own, and products coefficient by coefficient
// (lazyProduct): so sums are added in the same order by every compiler and on every processor.
#pragma once
#ifndef EIGEN_DONT_VECTORIZE
#define EIGEN_DONT_VECTORIZE
#endif
#include <Eigen/Core>

namespace brigade {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

}  // namespace brigade
