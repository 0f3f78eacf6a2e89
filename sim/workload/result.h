// What jobs found out, as plain data for `report`. Times are simulated; null (nullopt) where a figure means
// nothing.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/base/bytes.h"
#include "sim/base/time.h"
#include "sim/workload/spec.h"

namespace brigade {

// Mean, and nearest-rank percentiles, over the measured steps.
struct Statistic {
  double mean_us = 0, p50_us = 0, p99_us = 0;
  int samples = 0;
};
Statistic statistic_of(std::vector<Duration> values);

struct CollectiveRow {
  Collective collective = Collective::kAllReduce;
  std::string algorithm;
  Rank ranks = 0;
  Bytes bytes;
  RoundsMode rounds_mode = RoundsMode::kFree;
  Statistic time{};
  Duration last_time{};  // of the last measured step, exact
  double algbw_gb_per_s = 0, busbw_gb_per_s = 0;
  std::optional<Duration> closed_form{};
  Round rounds = 0;
  Bytes bytes_sent_total{}, bytes_sent_max{};  // by all ranks, by the busiest rank; one step
  std::vector<Duration> rank_end{};         // of the last step, since its start
};
struct CollectiveResult {
  std::vector<CollectiveRow> rows;
};

struct BucketResult {
  int index = 0;
  Bytes bytes;
  int64_t elements = 0;
  Duration ready{}, start{}, end{};  // since the start of the step, on the rank that ends last
  double busbw_gb_per_s = 0;
};
struct DdpResult {
  Statistic step_time, compute, communication, overlapped, exposed;
  Duration last_step{}, last_compute{}, last_communication{}, last_exposed{};  // exact, of the last step
  double efficiency = 0;                                                       // compute / step time
  std::optional<double> mfu;
  std::optional<double> samples_per_s, tokens_per_s;  // all ranks together
  int64_t global_batch_samples = 0;
  std::optional<int64_t> global_batch_tokens;
  int64_t parameters = 0;
  std::string unit;                   // "samples" or "tokens"
  std::vector<BucketResult> buckets;  // of the last measured step
};

struct JobResult {
  std::string name;
  std::string kind;  // "collective", "ddp"
  Rank ranks = 0;
  std::vector<std::string> assumptions;  // "AdamW moves 28 bytes a parameter", ...
  std::variant<CollectiveResult, DdpResult> result;
};

}  // namespace brigade
