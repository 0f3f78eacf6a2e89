// The summary: the answer in its first lines, never wider than a terminal, plain unless colour is asked for.
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "tests/report/small_scenarios.h"

using namespace brigade;

namespace {

// The first lines, without what follows.
std::string head(const std::string& text, const std::string& end) { return text.substr(0, text.find(end)); }

}  // namespace

TEST_CASE("text of a collective job") {
  const std::string text = print_text(finish(kTwoGpus + kBench).report());
  CHECK(head(text, "\ndefaults") ==
        "tiny on pair, 1 node\n"
        "\n"
        "bench: all_reduce (sum of uint8) on 2 ranks, rounds free\n"
        "  size  algorithm           rounds   time   algbw   busbw     closed  sent  busiest\n"
        "   (B)                               (us)  (GB/s)  (GB/s)  form (us)   (M)      (M)\n"
        "  1000  ring                     2  3.000    0.33    0.33      3.000     2        1\n"
        "  1000  double_binary_tree       2  3.000    0.33    0.33          -     2        1\n"
        "  M: multiples of the size, sent by all ranks and by the busiest one\n"
        "\n"
        "busiest links\n"
        "    busy  carried  bandwidth  links  link\n"
        "  33.3 %     2 KB     1 GB/s      2  such as node[0].gpu[0] -> node[0].gpu[1]\n");
}

TEST_CASE("text of a ddp job") {
  const std::string text = print_text(finish(kTwoGpus + kTrain).report());
  CHECK(head(text, "\nbusiest links") ==
        "tiny on pair, 1 node\n"
        "\n"
        "train: ddp of a model in tensors (1,000,000 parameters) on 2 ranks, 2 steps\n"
        "  step time             6.004 ms  p50 6.004 ms, p99 6.004 ms\n"
        "  throughput     1,332 samples/s  666 a GPU\n"
        "  compute                   4 ms  66.6 % of the step\n"
        "  communication         4.004 ms  66.7 % of the step\n"
        "    overlapped              2 ms  hidden by compute\n"
        "    exposed             2.004 ms  33.4 % of the step\n"
        "  efficiency              66.6 %  compute / step time\n"
        "  global batch         8 samples  on 2 ranks\n"
        "\n"
        "  2 buckets of 4 MB in all, times since the step began\n"
        "  bucket  size  elements     ready     start       end   busbw\n"
        "                              (us)      (us)      (us)  (GB/s)\n"
        "       0  2 MB    500000  2000.000  2000.000  4002.000    1.00\n"
        "       1  2 MB    500000  4000.000  4002.000  6004.000    1.00\n");
}

TEST_CASE("the timeline is named where it was written") {
  const Finished run = finish(kTwoGpus + kBench);
  Report report = run.report();
  CHECK_FALSE(absl::StrContains(print_text(report), "timeline"));
  report.trace_file = "out/step.json.gz";
  CHECK(absl::StrContains(print_text(report), "\ntimeline: out/step.json.gz "));
}

TEST_CASE("lines fit a terminal and have no blanks at their end") {
  const std::string many =
      "  wide: {kind: collective, ranks: \"node[*].gpu[*]\", sizes: [1 GB, 999999937 B], run: {steps: 3}, "
      "algorithm: [ring, halving_doubling, double_binary_tree, butterfly, direct, naive, tree]}\n";
  const std::string tensors = "{name: t, elements: 123456789, repeat: 40}], forward: 1 ms, backward: 2 ms}, ";
  const std::string buckets = "  train: {kind: ddp, ranks: \"node[*].gpu[*]\", model: {tensors: [" + tensors +
                              "optimizer: {kind: none}, buckets: {rule: fixed, cap: 1 MB, "
                              "gradient_as_bucket_view: true, broadcast_buffers: false}}\n";
  for (const std::string& job : {kBench, kTrain, many, buckets}) {
    const std::string text = print_text(finish(kTwoGpus + job, {"network.segment=auto"}).report());
    CHECK(text.ends_with("\n"));
    CHECK_FALSE(absl::StrContains(text, "\033"));
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      CAPTURE(std::string(line));
      CHECK(line.size() <= 100);
      CHECK_FALSE(absl::EndsWith(line, " "));
    }
  }
}

TEST_CASE("colour only puts headings in bold") {
  const Finished run = finish(kTwoGpus + kTrain);
  Report report = run.report();
  const std::string plain = print_text(report);
  report.colour = true;
  const std::string coloured = print_text(report);
  CHECK(absl::StrContains(coloured, "\033[1mbusiest links\033[0m\n"));
  std::string stripped = coloured;
  for (const std::string code : {"\033[1m", "\033[0m"}) {
    for (size_t at; (at = stripped.find(code)) != std::string::npos;) stripped.erase(at, code.size());
  }
  CHECK(stripped == plain);
}
