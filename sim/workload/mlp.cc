#include "sim/workload/mlp.h"

#include <algorithm>
#include <cmath>

#include "sim/base/check.h"

namespace brigade {
namespace {

constexpr double kEpsilon = 1e-5;  // of batch norm
constexpr double kDistance = 5;    // of a class's centre from 0, in each feature
constexpr double kNoise = 0.4;     // of a sample around it

// Mean 0, variance 1: the sum of 12 uniform numbers, so that no function of a library is asked.
double bell(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.unit();
  return sum;
}

Vector column_sums(const Matrix& m) { return m.colwise().sum().transpose(); }

}  // namespace

std::vector<MlpParameter> parameters_of(const MlpShape& s) {
  std::vector<MlpParameter> list;
  int64_t first = 0;
  const auto add = [&](const char* name, int64_t rows, int64_t columns) {
    list.push_back({name, first, rows, columns});
    first += rows * columns;
  };
  add("w1", s.features, s.hidden);
  add("b1", s.hidden, 1);
  if (s.batch_norm) add("gamma", s.hidden, 1);
  if (s.batch_norm) add("beta", s.hidden, 1);
  add("w2", s.hidden, MlpShape::kClasses);
  add("b2", MlpShape::kClasses, 1);
  return list;
}

int64_t parameter_count(const MlpShape& shape) {
  const MlpParameter last = parameters_of(shape).back();
  return last.first + last.count();
}

Vector initial_parameters(const MlpShape& shape, Random& random) {
  Vector all = Vector::Zero(parameter_count(shape));
  for (const MlpParameter& p : parameters_of(shape)) {
    const double bound = 1 / std::sqrt(static_cast<double>(p.rows));
    for (int64_t i = p.first; i < p.first + p.count(); ++i) {
      if (p.name == "gamma") all[i] = 1;
      if (p.name[0] == 'w') all[i] = (2 * random.unit() - 1) * bound;
    }
  }
  return all;
}

Samples Samples::rows(int64_t first, int64_t count) const {
  return {x.middleRows(first, count), {labels.begin() + first, labels.begin() + first + count}};
}

Samples synthetic_samples(const MlpShape& shape, int64_t count, Random& random) {
  Samples samples{Matrix(count, shape.features), {}};
  for (int64_t i = 0; i < count; ++i) {
    const auto label = static_cast<int>(random.below(MlpShape::kClasses));
    samples.labels.push_back(label);
    for (int64_t f = 0; f < shape.features; ++f) {
      const double centre = (label >> (f % 2) & 1) == 0 ? kDistance : -kDistance;
      samples.x(i, f) = centre + kNoise * bell(random);
    }
  }
  return samples;
}

MlpPass::MlpPass(const MlpShape& shape, const Samples& shard, const Vector& parameters)
    : shape_(shape), shard_(shard), parameters_(parameters), layout_(parameters_of(shape)) {
  z_ = shard.x.lazyProduct(parameter("w1"));
  z_.rowwise() += parameter("b1").col(0).transpose();
}

Eigen::Map<const Matrix> MlpPass::parameter(const char* name) const {
  const auto it =
      std::find_if(layout_.begin(), layout_.end(), [&](const MlpParameter& p) { return p.name == name; });
  BRIGADE_CHECK(it != layout_.end(), "no parameter ", name);
  return {parameters_.data() + it->first, it->rows, it->columns};
}

Vector MlpPass::statistics() const {
  Vector sums(2 * shape_.hidden);
  sums << column_sums(z_), column_sums(z_.cwiseProduct(z_));
  return sums;
}

Vector MlpPass::normalise(const Vector& statistics, int64_t count) {
  count_ = count;
  const auto n = static_cast<double>(count);
  const Vector mean = statistics.head(shape_.hidden) / n;
  const Vector variance = statistics.tail(shape_.hidden) / n - mean.cwiseProduct(mean);
  deviation_ = (variance.array() + kEpsilon).sqrt();
  normalised_ = (z_.rowwise() - mean.transpose()).array().rowwise() / deviation_.transpose().array();
  z_ = normalised_.array().rowwise() * parameter("gamma").col(0).transpose().array();
  z_.rowwise() += parameter("beta").col(0).transpose();
  head();
  const Matrix scaled = h_gradient_.array().rowwise() * parameter("gamma").col(0).transpose().array();
  Vector sums(2 * shape_.hidden);
  sums << column_sums(scaled), column_sums(scaled.cwiseProduct(normalised_));
  return sums;
}

void MlpPass::head() {
  h_ = z_.cwiseMax(0);
  logits_gradient_ = h_.lazyProduct(parameter("w2"));
  logits_gradient_.rowwise() += parameter("b2").col(0).transpose();
  loss_ = 0;
  for (int64_t i = 0; i < logits_gradient_.rows(); ++i) {  // logits become softmax - one-hot
    auto row = logits_gradient_.row(i);
    const double largest = row.maxCoeff();
    double sum = 0;
    for (int64_t c = 0; c < row.size(); ++c) sum += row[c] = std::exp(row[c] - largest);
    row /= sum;
    const int label = shard_.labels[static_cast<size_t>(i)];
    loss_ -= std::log(row[label]);
    row[label] -= 1;
  }
  h_gradient_ = logits_gradient_.lazyProduct(parameter("w2").transpose());
  h_gradient_ = (h_.array() > 0).select(h_gradient_, 0.0);
}

Vector MlpPass::gradient(const Vector& sums) {
  if (!shape_.batch_norm) head();
  Matrix z_gradient = h_gradient_;
  Vector out(parameter_count(shape_));
  const auto set = [&](const char* name, const Matrix& value) {
    for (const MlpParameter& p : layout_)
      if (p.name == name) out.segment(p.first, p.count()) = value.reshaped();
  };
  if (shape_.batch_norm) {
    set("gamma", column_sums(h_gradient_.cwiseProduct(normalised_)));
    set("beta", column_sums(h_gradient_));
    z_gradient.array().rowwise() *= parameter("gamma").col(0).transpose().array();
    const Vector mean = sums / static_cast<double>(count_);
    z_gradient.rowwise() -= mean.head(shape_.hidden).transpose();
    z_gradient -= (normalised_.array().rowwise() * mean.tail(shape_.hidden).transpose().array()).matrix();
    z_gradient.array().rowwise() /= deviation_.transpose().array();
  }
  set("w1", shard_.x.transpose().lazyProduct(z_gradient));
  set("b1", column_sums(z_gradient));
  set("w2", h_.transpose().lazyProduct(logits_gradient_));
  set("b2", column_sums(logits_gradient_));
  return out;
}

WholeGradient whole_gradient(const MlpShape& shape, const Samples& batch, const Vector& parameters) {
  MlpPass pass(shape, batch, parameters);
  const Vector sums = shape.batch_norm ? pass.normalise(pass.statistics(), batch.count()) : Vector();
  const Vector gradient = pass.gradient(sums);
  return {gradient, pass.loss()};
}

}  // namespace brigade
