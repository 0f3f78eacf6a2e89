// `kind: training`: data parallelism is large-batch SGD. The lecture's two-layer perceptron (mlp.h), really
// trained by every rank on its shard of the batch; what ranks exchange travels with the messages of the
// simulated collectives (payload.h), and one worker that has the whole batch trains beside them.
//
// Its switches are the mistakes that break the equivalence without a word: shards averaged plainly, no
// all-reduce, a parameter that is not synchronised, batch norm on local statistics.
//
// Computing takes no simulated time: only the exchanges do.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/payload.h"
#include "sim/workload/compression.h"
#include "sim/workload/job.h"
#include "sim/workload/mlp.h"

namespace brigade {

class TrainingJob final : public Job {
 public:
  static std::unique_ptr<Job> make(const TrainingJobSpec& spec, JobContext context, Diagnostics& errors);
  void carry(Payload& payload) override;
  void begin(Simulation& simulation, JobTrace* trace) override;
  void on(const Notice& notice, Simulation& simulation) override;
  bool finished() const override { return finished_ == workers_.size(); }
  JobResult result(const Simulation& simulation) const override;

 private:
  enum class What : uint8_t { kStatistics, kNormSums, kOtherSum, kGradient };
  struct Exchange {
    What what;
    int number = 0;  // of the hook's exchanges, of the other sums
    CollectiveCall call;
  };
  struct Worker {
    Samples shard;
    Vector parameters, gradient;  // what it adds to the sum over all workers
    std::optional<MlpPass> pass;
    std::unique_ptr<Compression> hook;
    Vector norm_sums;
    int step = 0;
    size_t next = 0;  // exchange of its step
  };
  struct Step {
    uint32_t first_call = 0;
    size_t ended = 0;
    Time end{};
  };

  TrainingJob(const TrainingJobSpec& spec, JobContext context) : spec_(spec), context_(std::move(context)) {}
  bool check(Diagnostics& errors);
  bool plan(Diagnostics& errors);
  bool add_exchange(What what, int number, Collective collective, const AlgorithmSpec& algorithm,
                    int64_t elements, int64_t element_bytes, const std::string& label, Diagnostics& errors);

  // Exchanges of a step: the other sums only in the first.
  size_t exchanges_of(int step) const { return exchanges_.size() - (step == 0 ? 0 : other_sums_); }
  const Exchange& exchange(const Worker& w) const {
    return exchanges_[w.step == 0 || w.next < before_others_ ? w.next : w.next + other_sums_];
  }
  void begin_step(Worker& w, Simulation& simulation);
  void advance(Rank r, Simulation& simulation);
  std::vector<double> outgoing(Worker& w, const Exchange& e);
  void receive(Rank r, const Exchange& e, const std::vector<double>& values);
  void local_gradient(Worker& w, const Vector& norm_sums);
  void end_step(Rank r, Simulation& simulation);
  // Of the parameter that is left out.
  std::vector<double> without_left_out(std::vector<double> values) const;
  std::vector<double> with_left_out(const std::vector<double>& values) const;

  TrainingJobSpec spec_;
  JobContext context_;
  MlpShape shape_;
  Samples batch_;
  Vector start_;
  std::optional<MlpParameter> left_out_;
  std::vector<Exchange> exchanges_;            // of the first step
  size_t before_others_ = 0, other_sums_ = 0;  // exchanges_[before_others_ ...] are the other sums
  Payload* payload_ = nullptr;
  CommId comm_ = 0;
  uint32_t calls_ = 0;  // added to the communicator so far
  std::vector<Worker> workers_;
  std::vector<Step> steps_;
  size_t finished_ = 0;
  std::vector<Vector> first_gradients_;               // by rank, as used
  std::map<int, std::vector<Vector>> snapshots_;      // by step: parameters by rank
  std::vector<std::vector<double>> other_gradients_;  // of rank 0
};

}  // namespace brigade
