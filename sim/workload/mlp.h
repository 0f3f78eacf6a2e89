// A two-layer perceptron on synthetic classes, in float64: what a `training` job trains. Its gradients are
// sums over samples, which is why data parallelism is large-batch SGD.
//
//   z = x W1 + b1;  [batch norm: z = gamma (z - mean) / sqrt(var + eps) + beta;]  h = max(z, 0)
//   logits = h W2 + b2;  the loss of a sample is the cross entropy of its class
//
// Batch norm (Ioffe, Szegedy 2015) couples the samples: forward and backward stop at the sums over the batch,
// so that they may be those of one worker or of all (synchronised: what SyncBatchNorm does).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/base/random.h"
#include "sim/workload/matrix.h"

namespace brigade {

struct MlpShape {
  static constexpr int64_t kClasses = 4;
  int64_t features = 2, hidden = 16;
  bool batch_norm = false;
};

// Where a parameter lies in the vector of all parameters; a matrix by columns.
struct MlpParameter {
  std::string name;  // w1 b1 gamma beta w2 b2
  int64_t first, rows, columns;
  int64_t count() const { return rows * columns; }
};
std::vector<MlpParameter> parameters_of(const MlpShape& shape);
int64_t parameter_count(const MlpShape& shape);
// Uniform weights within 1 / sqrt(inputs), no bias.
Vector initial_parameters(const MlpShape& shape, Random& random);

// Samples by row, of random classes, around the corners of a square: feature f is high or low by bit f mod 2
// of the class.
struct Samples {
  Matrix x;
  std::vector<int> labels;
  int64_t count() const { return x.rows(); }
  Samples rows(int64_t first, int64_t count) const;
};
Samples synthetic_samples(const MlpShape& shape, int64_t count, Random& random);

// One forward and backward pass over a shard of the batch, in the pieces between which workers may exchange
// sums.
class MlpPass {
 public:
  MlpPass(const MlpShape& shape, const Samples& shard, const Vector& parameters);

  // --- with batch norm: sums over the shard; to be added over all workers, or not
  Vector statistics() const;  // of z and of z squared
  // Goes on with the statistics of `count` samples; returns the sums that backward needs.
  Vector normalise(const Vector& statistics, int64_t count);

  // The sum over the shard's samples of the loss's gradient. `sums`: with batch norm those that `normalise`
  // gave, again over the same samples.
  Vector gradient(const Vector& sums = {});
  double loss() const { return loss_; }  // sum over the shard, once the gradient is there

 private:
  Eigen::Map<const Matrix> parameter(const char* name) const;
  // From the hidden layer to the loss and back to the hidden layer's input.
  void head();

  const MlpShape& shape_;
  const Samples& shard_;
  const Vector& parameters_;
  std::vector<MlpParameter> layout_;
  Matrix z_, normalised_, h_;
  Matrix logits_gradient_, h_gradient_;  // of h's input, per sample
  Vector deviation_;
  int64_t count_ = 0;
  double loss_ = 0;
};

// Gradient and loss of a whole batch on one worker.
struct WholeGradient {
  Vector sum;
  double loss;
};
WholeGradient whole_gradient(const MlpShape& shape, const Samples& batch, const Vector& parameters);

}  // namespace brigade
