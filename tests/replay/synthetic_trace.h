// Kineto traces of any size, step after step, written piece by piece: for what depends on how large a trace
// is, and what it mostly consists of. Replayed as rank 0 of 2.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace brigade {

enum class TraceShape {
  kUsual,  // operators with their input's shapes, launches, kernels with all that Kineto says of them, flows
  kTiny,   // operators with nothing but a name and a time
  kLong    // Python functions with stacks, kernels with names of templates
};

class SyntheticTrace {
 public:
  using Sink = std::function<void(std::string_view)>;
  SyntheticTrace(TraceShape shape, Sink sink) : shape_(shape), sink_(std::move(sink)) {}

  // Whole steps until there are `bytes`; returns how many bytes there are.
  int64_t write(int64_t bytes) {
    piece_ =
        R"({"schemaVersion":1,"distributedInfo":{"backend":"nccl","rank":0,"world_size":2,)"
        R"("pg_config":[{"pg_name":"0","pg_desc":"default_pg","pg_size":2,"ranks":[0,1]}]},"traceEvents":[)"
        "\n";
    while (written_ < bytes) {
      step();
      flush();
    }
    piece_ += R"({"ph":"M","name":"process_name","pid":100,"tid":0,"ts":0,"args":{"name":"python"}}]})";
    flush();
    return written_;
  }

 private:
  static constexpr int kOperators = 200, kReduceEvery = 50;

  void flush() {
    written_ += static_cast<int64_t>(piece_.size());
    sink_(piece_);
    piece_.clear();
  }
  void event(const char* cat, const std::string& name, int pid, int tid, int64_t ts, int64_t dur,
             const std::string& args) {
    absl::StrAppend(&piece_, R"({"ph":"X","cat":")", cat, R"(","name":")", name, R"(","pid":)", pid,
                    R"(,"tid":)");
    absl::StrAppend(&piece_, tid, R"(,"ts":)", ts, R"(,"dur":)", dur, args.empty() ? "" : R"(,"args":{)",
                    args, args.empty() ? "},\n" : "}},\n");
  }
  void flow(const char* phase, int pid, int tid, int64_t ts) {
    absl::StrAppend(&piece_, R"({"ph":")", phase, R"(","id":)", correlation_, R"(,"pid":)", pid, R"(,"tid":)",
                    tid);
    absl::StrAppend(&piece_, R"(,"ts":)", ts, R"(,"cat":"ac2g","name":"ac2g"},)", "\n");
  }

  // A launch now, and its kernel as soon as the stream is free.
  void kernel(const std::string& name, int stream, int64_t dur, const char* more) {
    ++correlation_;
    const std::string correlation =
        absl::StrCat(R"("External id":)", correlation_, R"(,"correlation":)", correlation_);
    event("cuda_runtime", "cudaLaunchKernel", 100, 1, now_ + 2, 4,
          absl::StrCat(R"("cbid":211,)", correlation));
    int64_t& free = stream == 7 ? compute_free_ : reduce_free_;
    const int64_t begin = std::max(free, now_ + 8);
    free = begin + dur;
    event("kernel", name, 0, stream, begin, dur,
          absl::StrCat(
              R"("queued":0,"device":0,"context":1,"stream":)", stream, ",", correlation,
              R"(,"registers per thread":32,"shared memory":49152,"blocks per SM":3.2,"warps per SM":25.6,)"
              R"("grid":[256,1,1],"block":[256,1,1],"est. achieved occupancy %":40)",
              more));
    if (shape_ == TraceShape::kTiny) return;
    flow("s", 100, 1, now_ + 2);
    flow("f", 0, stream, begin);
  }

  void usual_operator(int i) {
    event("cpu_op", "aten::addmm", 100, 1, now_, 9,
          absl::StrCat(R"("External id":)", correlation_, R"(,"Ev Idx":)", i,
                       R"(,"Input Dims":[[1024],[4096,1024],[1024,1024],[],[]],)"
                       R"("Input type":["float","float","float","Scalar","Scalar"])"));
    kernel("ampere_sgemm_128x64_tn", 7, 9, "");
  }
  void long_operator(int i) {
    std::string stack;
    for (int frame = 0; frame < 24; ++frame)
      absl::StrAppend(&stack, frame > 0 ? ";" : "", "torch/nn/modules/module.py(", 1500 + frame,
                      "): _call_impl");
    event("python_function", "torch/nn/modules/linear.py(114): forward", 100, 1, now_, 9,
          absl::StrCat(R"("Python id":)", i, R"(,"Python parent id":)", i - 1, R"(,"Call stack":")", stack,
                       "\""));
    std::string name = "void at::native::vectorized_elementwise_kernel<4";
    for (int argument = 0; argument < 12; ++argument)
      absl::StrAppend(&name, ", at::detail::Array<char*, ", argument, ">, OffsetCalculator<", argument,
                      ", unsigned>");
    kernel(name + ">(int)", 7, 9, "");
  }

  void step() {
    const int64_t begin = now_;
    for (int i = 0; i < kOperators; ++i, now_ += 10) {
      if (shape_ == TraceShape::kTiny) {
        for (int64_t at = 0; at < 10; ++at) event("cpu_op", "a", 100, 1, now_ + at, 1, "");
      } else if (shape_ == TraceShape::kLong) {
        long_operator(i);
      } else {
        usual_operator(i);
      }
      if (i % kReduceEvery != kReduceEvery - 1) continue;
      now_ += 10;
      kernel(
          "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 20, 100,
          R"(,"Collective name":"allreduce","In msg nelems":1000000,"Out msg nelems":1000000,"Group size":2,)"
          R"("dtype":"Float","In split size":"[]","Out split size":"[]","Process Group Name":"0",)"
          R"("Process Group Ranks":"[0, 1]")");
    }
    const int64_t idle = std::max({now_, compute_free_, reduce_free_});
    ++correlation_;
    event("cuda_runtime", "cudaDeviceSynchronize", 100, 1, now_, idle + 5 - now_,
          absl::StrCat(R"("cbid":165,"correlation":)", correlation_));
    now_ = idle + 10;
    event("user_annotation", absl::StrCat("ProfilerStep#", step_++), 100, 1, begin, now_ - begin, "");
    now_ += 5;
  }

  TraceShape shape_;
  Sink sink_;
  std::string piece_;
  int64_t written_ = 0;
  int step_ = 0, correlation_ = 0;
  int64_t now_ = 1'700'000'000'000'000, compute_free_ = 0, reduce_free_ = 0;  // us, as Kineto since 1970
};

}  // namespace brigade
