#include "sim/workload/compression.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/base/check.h"

namespace brigade {
namespace {

// To `digits` binary digits, of numbers from 2^min_exponent on; smaller ones are spaced as those.
double round_to(double x, int digits, int min_exponent) {
  if (x == 0 || !std::isfinite(x)) return x;
  int exponent = 0;
  std::frexp(x, &exponent);
  const int spacing = std::max(exponent, min_exponent + 1) - digits;
  return std::ldexp(std::nearbyint(std::ldexp(x, -spacing)), spacing);
}

std::vector<double> as_list(const Vector& v) { return {v.data(), v.data() + v.size()}; }
Vector as_vector(const std::vector<double>& v) {
  return Eigen::Map<const Vector>(v.data(), static_cast<int64_t>(v.size()));
}

class NoHook : public Compression {
 public:
  explicit NoHook(int64_t count) : count_(count) {}
  int64_t values(int) const override { return count_; }
  std::vector<double> send(int, const Vector& gradient) override { return as_list(gradient); }
  void receive(int, const std::vector<double>& values) override { result_ = as_vector(values); }
  Vector result() const override { return result_; }

 private:
  int64_t count_;
  Vector result_;
};

class Cast final : public NoHook {
 public:
  Cast(int64_t count, double (*round)(double)) : NoHook(count), round_(round) {}
  int64_t value_bytes() const override { return 2; }
  double (*rounding() const)(double) override { return round_; }
  std::vector<double> send(int, const Vector& gradient) override {
    std::vector<double> out = as_list(gradient);
    for (double& x : out) x = round_(x);
    return out;
  }

 private:
  double (*round_)(double);
};

class TopK final : public Compression {
 public:
  TopK(int64_t count, double share)
      : kept_(std::clamp<int64_t>(std::llround(share * static_cast<double>(count)), 1, count)),
        error_(Vector::Zero(count)) {}
  Collective collective() const override { return Collective::kAllGather; }
  int64_t values(int) const override { return 2 * kept_; }
  std::vector<double> send(int, const Vector& gradient) override {
    error_ += gradient;
    std::vector<int64_t> order(static_cast<size_t>(error_.size()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return std::fabs(error_[a]) > std::fabs(error_[b]); });
    std::vector<double> out;
    for (int64_t i = 0; i < kept_; ++i) {
      const int64_t place = order[static_cast<size_t>(i)];
      out.push_back(static_cast<double>(place));
      out.push_back(error_[place]);
      error_[place] = 0;
    }
    return out;
  }
  void receive(int, const std::vector<double>& values) override {
    result_ = Vector::Zero(error_.size());
    for (size_t i = 0; i < values.size(); i += 2) result_[static_cast<int64_t>(values[i])] += values[i + 1];
  }
  Vector result() const override { return result_; }

 private:
  int64_t kept_;
  Vector error_, result_;
};

// Gram and Schmidt; a column that depends on those before it becomes 0.
void orthogonalise(Eigen::Ref<Matrix> m) {
  for (int64_t c = 0; c < m.cols(); ++c) {
    for (int64_t before = 0; before < c; ++before) m.col(c) -= m.col(before).dot(m.col(c)) * m.col(before);
    const double norm = std::sqrt(m.col(c).dot(m.col(c)));
    m.col(c) = norm > 1e-12 ? Vector(m.col(c) / norm) : Vector::Zero(m.rows());
  }
}

class PowerSgd final : public Compression {
 public:
  PowerSgd(const MlpShape& shape, int rank)
      : error_(Vector::Zero(parameter_count(shape))), gradient_(error_), result_(error_) {
    Random random(1);  // the same start on all workers
    for (const MlpParameter& p : parameters_of(shape)) {
      if (p.name[0] != 'w') {
        plain_.push_back(p);
        continue;
      }
      const int64_t r = std::min<int64_t>({rank, p.rows, p.columns});
      Low low{p, Matrix(p.rows, r), Matrix(p.columns, r)};
      for (int64_t i = 0; i < low.q.size(); ++i) low.q(i) = random.unit() - 0.5;
      lows_.push_back(std::move(low));
    }
  }
  int exchanges() const override { return 2; }
  int64_t values(int exchange) const override {
    int64_t n = 0;
    for (const Low& low : lows_) n += exchange == 0 ? low.p.size() : low.q.size();
    if (exchange == 0)
      for (const MlpParameter& p : plain_) n += p.count();
    return n;
  }
  std::vector<double> send(int exchange, const Vector& gradient) override {
    if (exchange == 0) gradient_ = gradient + error_;
    std::vector<double> out;
    for (Low& low : lows_) {
      const auto m = matrix(gradient_, low.at);
      Matrix& side = exchange == 0 ? low.p : low.q;
      side = exchange == 0 ? Matrix(m.lazyProduct(low.q)) : Matrix(m.transpose().lazyProduct(low.p));
      out.insert(out.end(), side.data(), side.data() + side.size());
    }
    if (exchange == 0)
      for (const MlpParameter& p : plain_)
        out.insert(out.end(), gradient_.data() + p.first, gradient_.data() + p.first + p.count());
    return out;
  }
  void receive(int exchange, const std::vector<double>& values) override {
    auto next = values.begin();
    for (Low& low : lows_) {
      Matrix& side = exchange == 0 ? low.p : low.q;
      std::copy_n(next, side.size(), side.data());
      next += side.size();
      if (exchange == 0) orthogonalise(side);
    }
    if (exchange == 0) {
      for (const MlpParameter& p : plain_) {
        std::copy_n(next, p.count(), result_.data() + p.first);
        next += p.count();
      }
      return;
    }
    for (const Low& low : lows_)
      result_.segment(low.at.first, low.at.count()) = low.p.lazyProduct(low.q.transpose()).reshaped();
    // What all of them together have lost is shared out: each keeps its own part of it.
    error_ = gradient_;
    for (const MlpParameter& p : plain_) error_.segment(p.first, p.count()).setZero();
    for (const Low& low : lows_) {
      const auto m = matrix(gradient_, low.at);
      const Matrix mine = low.p.lazyProduct(m.transpose().lazyProduct(low.p).transpose());
      error_.segment(low.at.first, low.at.count()) -= mine.reshaped();
    }
  }
  Vector result() const override { return result_; }

 private:
  struct Low {
    MlpParameter at;
    Matrix p, q;
  };
  static Eigen::Map<const Matrix> matrix(const Vector& all, const MlpParameter& p) {
    return {all.data() + p.first, p.rows, p.columns};
  }
  std::vector<Low> lows_;
  std::vector<MlpParameter> plain_;
  Vector error_, gradient_, result_;
};

}  // namespace

double round_to_fp16(double x) {
  const double rounded = round_to(x, 11, -14);
  return std::fabs(rounded) >= 65520 ? std::copysign(INFINITY, x) : rounded;  // not a number stays it
}
double round_to_bf16(double x) { return round_to(x, 8, -126); }

std::unique_ptr<Compression> make_compression(const CommHookSpec& spec, const MlpShape& shape) {
  const int64_t count = parameter_count(shape);
  switch (spec.kind) {
    case CommHook::kNone:
    case CommHook::kLocalSgd:  // nothing is compressed
      return std::make_unique<NoHook>(count);
    case CommHook::kFp16:
      return std::make_unique<Cast>(count, round_to_fp16);
    case CommHook::kBf16:
      return std::make_unique<Cast>(count, round_to_bf16);
    case CommHook::kTopK:
      return std::make_unique<TopK>(count, spec.share);
    case CommHook::kPowerSgd:
      return std::make_unique<PowerSgd>(shape, spec.rank);
  }
  BRIGADE_CHECK(false, "hook ", static_cast<int>(spec.kind));
}

}  // namespace brigade
