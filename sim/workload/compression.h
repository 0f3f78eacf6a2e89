// Communication hooks of `training`: what a worker sends in place of its gradient, and what it makes of what
// comes back. Really compresses; what is lost is kept as an error and added to the next gradient (but for the
// casts, as in PyTorch's hooks).
//
//   fp16, bf16  each element rounded to 2 bytes, and again after every addition on the way
//   topk        the largest elements by magnitude, values and places (Aji, Heafield 2017), by all-gather
//   powersgd    each matrix as P Q^T of low rank (Vogels et al. 2019): an all-reduce of P, orthogonalised,
//   then
//               one of Q; what is no matrix goes along uncompressed
//
// Left out: PowerSGD's start with plain SGD, and its batching of matrices into one.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/collective/algorithm.h"
#include "sim/workload/mlp.h"
#include "sim/workload/spec.h"

namespace brigade {

// One worker's hook; the same exchanges in the same order on all workers.
class Compression {
 public:
  virtual ~Compression() = default;
  // The exchanges of a step. `values`: what a worker sends in exchange `i`; `bytes`: of each of them.
  virtual int exchanges() const { return 1; }
  virtual Collective collective() const { return Collective::kAllReduce; }
  virtual int64_t values(int exchange) const = 0;
  virtual int64_t value_bytes() const { return 8; }
  // Applied to every element after each addition on the way; null: float64.
  virtual double (*rounding() const)(double) { return nullptr; }

  // What goes out in exchange i; in the first one `gradient` is new.
  virtual std::vector<double> send(int exchange, const Vector& gradient) = 0;
  // What came back: the sum, or of an all-gather the values of all workers, one after the other.
  virtual void receive(int exchange, const std::vector<double>& values) = 0;
  // The gradient that the workers use, after the last exchange.
  virtual Vector result() const = 0;
};

std::unique_ptr<Compression> make_compression(const CommHookSpec& spec, const MlpShape& shape);

// To the nearest value of the format, ties to even; fp16 overflows to infinity.
double round_to_fp16(double x);
double round_to_bf16(double x);

}  // namespace brigade
