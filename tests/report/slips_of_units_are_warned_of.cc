// 400 GB/s on a NIC is allowed, but hardly meant.
#include "sim/report/suspicious.h"
#include "tests/report/small_scenarios.h"

using namespace brigade;

namespace {

std::string warnings(Bandwidth port, Duration latency = microseconds(5)) {
  Scenario scenario;
  NodeType type;
  type.gpus = type.nics = 8;
  type.family = NodeFamily::kSwitched;
  type.nvlink.bandwidth = Bandwidth::gb_per_s(450);
  type.nic_port.bandwidth = port;
  type.nic_port.latency = latency;
  scenario.cluster.types = {type};
  Diagnostics out;
  warn_of_suspicious_values(scenario, out);
  CHECK(out.ok());
  return out.text();
}

}  // namespace

TEST_CASE("values that exist pass") {
  for (const int64_t gb_per_s : {1, 12, 25, 50, 100, 200})
    CHECK(warnings(Bandwidth::gb_per_s(gb_per_s)) == "");
}

TEST_CASE("values that look like a slip") {
  CHECK(warnings(Bandwidth::gb_per_s(400)) ==
        "warning: a NIC port of 400 GB/s is 3200 Gb/s; are bits (Gb/s) meant?\n");
  CHECK(warnings(Bandwidth::per_second(kilobytes(400))) == "warning: a NIC port of 400 KB/s is very slow\n");
  CHECK(warnings(Bandwidth::gb_per_s(50), milliseconds(5000)) ==
        "warning: a NIC port with a latency of 5 s is very long\n");
}

TEST_CASE("a warning does not stop a session") {
  const Scratch scratch;
  const std::string file = scratch.write("a.yaml", kTwoGpus + kBench);
  Diagnostics errors;
  const auto session =
      Session::open({.file = file, .overrides = {"cluster.models.g.peak.fp32=1000 PFLOP/s"}}, errors);
  CHECK(session != nullptr);
  CHECK(errors.ok());
  CHECK(errors.list().size() >= 1);
}
