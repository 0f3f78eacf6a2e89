// What the cycles of Horovod found, in text, JSON and CSV.
#include <nlohmann/json.hpp>

#include "tests/report/small_scenarios.h"

using namespace brigade;

namespace {

// Both gradients go in the cycle that begins at 5 ms, and in the next step, which begins at 9.002 ms and has
// them ready at 13.002 ms, in that of 15 ms.
Finished horovod() {
  return finish(kTwoGpus + kTrain,
                {"jobs.train.buckets={rule: horovod, cycle: 5 ms, gradient_as_bucket_view: true}"});
}

}  // namespace

TEST_CASE("fused buffers and cycles in JSON") {
  const Finished run = horovod();
  const auto job = nlohmann::ordered_json::parse(print_json(run.report()))["jobs"][0];
  CHECK(job["step_time_us"] == 9501.0);
  CHECK(job["waiting_for_cycle_us"] == (1000.0 + 1998.0) / 2);
  CHECK(job["tensors"] == 2);
  CHECK(job["fused_buffers"] == 1.0);
  CHECK(job["fused_buffers_min"] == 1);
  CHECK(job["fused_buffers_max"] == 1);
  CHECK(job["cycles_used"] == 1.0);
  CHECK(job["cycles"] == 2.0);  // 0, 5, 10 and 15 ms
  const char* expected =
      R"([{"index": 0, "bytes": 4000000, "elements": 1000000, "ready_us": 4000.0, "start_us": 5998.0,
           "end_us": 10000.0, "busbw_gb_per_s": 0.9995, "tensors": 2, "cycle_us": 5998.0}])";
  CHECK(job["buckets"].dump(1) == nlohmann::ordered_json::parse(expected).dump(1));
  // Other rules have none of it.
  const auto plain = nlohmann::ordered_json::parse(print_json(finish(kTwoGpus + kTrain).report()))["jobs"][0];
  CHECK_FALSE(plain.contains("fused_buffers"));
  CHECK_FALSE(plain["buckets"][0].contains("cycle_us"));
}

TEST_CASE("fused buffers and cycles in text and CSV") {
  const Finished run = horovod();
  const std::string text = print_text(run.report()), csv = print_csv(run.report());
  for (const char* part :
       {"waiting", "1.499 ms", "for a cycle to begin", "of 2 tensors, from 1 of the 2 cycles of a step",
        "1 fused buffer of 4 MB in all", "agreeing on tensors takes no time (negotiation: 0 s)"}) {
    CAPTURE(text, part);
    CHECK(text.find(part) != std::string::npos);
  }
  CHECK(csv.find("waiting_for_cycle_us,fused_buffers,cycles_used,cycles") != std::string::npos);
  CHECK(csv.find(",1499.0,1.0,1.0,2.0,") != std::string::npos);
}
