// The timeline of a parameter server: its workers and servers as processes, and the incast as the queue at
// the server's port, which no scenario mentions.
#include <map>

#include "tests/workload/server_jobs.h"

using namespace brigade;

TEST_CASE("the queue at the server's port grows to what N - 1 workers have sent") {
  const int workers = 5;
  const int64_t bytes = 10'000'000;
  const auto topology = server_star(workers, 1);
  for (const bool classes : {false, true}) {
    Recorder recorder;
    ParameterServerJobSpec job = server_job(bytes);
    job.transfer = Transfer::kLayers;
    job.priorities = classes;  // links keep their queues then
    job.update_rate = Bandwidth::gb_per_s(100);
    run_jobs(*topology, {job_on("gpu[*]", job)}, {}, {}, {.recorder = &recorder});
    std::map<std::string, double> deepest;
    for (const auto& c : recorder.counters())
      if (recorder.text(c.key) == "KB")
        deepest[recorder.text(c.name)] = std::max(deepest[recorder.text(c.name)], c.value);
    INFO("classes " << classes);
    // At the end of the workers' pushes N M have come and M has been passed on; give or take a segment.
    CHECK(deepest["queue at switch[0] -> host[0]"] ==
          Approx((workers - 1) * static_cast<double>(bytes) / 1000).margin(1.1 * (1 << 20) / 1000.0));
    CHECK(deepest.count("queue at gpu[0] -> switch[0]") == 0);
  }
}

TEST_CASE("workers and servers have tracks of their own") {
  const auto topology = server_star(2, 1);
  Recorder recorder;
  ParameterServerJobSpec job = server_job(1'000'000);
  job.work.model.forward = microseconds(10);
  job.work.model.backward = microseconds(20);
  job.update_rate = Bandwidth::gb_per_s(100);
  run_jobs(*topology, {job_on("gpu[*]", job)}, {}, {}, {.recorder = &recorder});
  std::map<std::string, int> slices;
  for (const auto& s : recorder.slices())
    ++slices[recorder.processes()[recorder.tracks()[s.track].process].name + ": " + recorder.text(s.name)];
  CHECK(slices["rank 0 gpu[0]: forward"] == 1);
  CHECK(slices["rank 1 gpu[1]: backward"] == 1);
  CHECK(slices["rank 1 gpu[1]: push and pull"] == 1);
  CHECK(slices["server 0 host[0]: update"] == 2);
  CHECK(slices["network: 0 to 2, message 0"] >= 1);
}
