// bench_bars COMMAND FOLDER [ARGUMENT...]: the whole process, scenario text included, of the scenario files
// that bar_scenarios.sh wrote into FOLDER, beside the bars that they must not exceed. Each runs alone, by
// `COMMAND run FILE ARGUMENT...`. Seconds are CPU time; wall time says how busy the machine was.
#include <fcntl.h>

#include <cctype>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/bench/child.h"

namespace brigade::bench {
namespace {

struct Bar {
  const char* scenario;
  const char* work;
  double cpu_s;   // 0: no bar
  double rss_mb;  // 0: no bar
};
constexpr Bar kBars[] = {
    {"ring_1024", "ring, 1 GB, 1,024 ranks, 2 links", 0.25, 0},
    {"ring_1024_uneven", "the same, uneven links and starts", 0, 0},
    {"ring_4096", "ring, 1 GB, 4,096 ranks, 2 links", 3, 100},
    {"ring_4096_uneven", "the same, uneven links and starts", 0, 0},
    {"butterfly_65536", "butterfly, 1 MiB, 65,536 ranks, 2 links", 0.5, 300},
    {"halving_doubling_65536", "halving-doubling, 1 MiB, 65,536 ranks, 2 links", 0.5, 300},
    {"hierarchical_65536", "hierarchical, 8 MiB, 65,536 GPUs, rails in three tiers, up to 8 links", 4, 1000},
    {"ddp_1024", "DDP step, 1,024 GPUs, 96 buckets", 5, 0},
    {"incast_4096", "incast, 4,096 x 1 GB in 1 MiB segments, skewed", 2, 0},
    {"incast_4096_half", "the same, 500 MB each", 0, 0},
};

struct Run {
  Process process;
  double messages = 0, events = 0;
};

// What the last line of the output counts: "simulated 50.19 ms in 4,191,232 events, 2,095,104 messages; ...".
void read_counts(const std::string& output, Run& run) {
  const size_t line = output.rfind("simulated ");
  BRIGADE_CHECK(line != std::string::npos, "no counts in the output");
  const auto number_before = [&](const char* word) {
    size_t end = output.find(word, line), begin = end;
    while (begin > line && (std::isdigit(output[begin - 1]) || output[begin - 1] == ',')) --begin;
    std::string digits;
    for (char c : output.substr(begin, end - begin))
      if (c != ',') digits += c;
    return digits.empty() ? 0.0 : std::stod(digits);
  };
  run.events = number_before(" events");
  run.messages = number_before(" messages");
}

Run run(const std::string& command, const std::string& file, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{command, "run", file};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  const std::string output_file = file + ".out";
  Run result;
  result.process = in_child([&] {
    const int out = open(output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(out, STDOUT_FILENO);
    execv(argv[0], argv.data());
    return 127;
  });
  BRIGADE_CHECK(result.process.exit_code == 0, command, " run ", file, " ended with ",
                result.process.exit_code);
  std::string output;
  if (std::FILE* f = std::fopen(output_file.c_str(), "r")) {
    char buffer[4096];
    while (const size_t n = std::fread(buffer, 1, sizeof buffer, f)) output.append(buffer, n);
    std::fclose(f);
  }
  read_counts(output, result);
  return result;
}

std::string bar_of(double bar, const char* unit) {
  if (bar == 0) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%g%s", bar, unit);
  return text;
}

int print_bars(const std::string& command, const std::string& folder,
               const std::vector<std::string>& arguments) {
  print_load();
  std::puts("| whole process | CPU s | bar | wall s | MB | bar | M events | M messages/s |");
  std::puts("| --- | --- | --- | --- | --- | --- | --- | --- |");
  bool all_met = true;
  for (const Bar& bar : kBars) {
    const Run r = run(command, folder + "/" + bar.scenario + ".yaml", arguments);
    const bool met =
        (bar.cpu_s == 0 || r.process.cpu_s < bar.cpu_s) && (bar.rss_mb == 0 || r.process.rss_mb < bar.rss_mb);
    all_met &= met;
    std::printf("| %s%s | %.2f | %s | %.2f | %.0f | %s | %.1f | %.1f |\n", bar.work, met ? "" : " **missed**",
                r.process.cpu_s, bar_of(bar.cpu_s, "").c_str(), r.process.wall_s, r.process.rss_mb,
                bar_of(bar.rss_mb, "").c_str(), r.events / 1e6, r.messages / r.process.cpu_s / 1e6);
    std::fflush(stdout);
  }
  print_load();
  return all_met ? 0 : 1;
}

}  // namespace
}  // namespace brigade::bench

int main(int count, char** words) {
  if (count < 3) {
    std::fputs("usage: bench_bars COMMAND FOLDER [ARGUMENT...]\n", stderr);
    return 2;
  }
  return brigade::bench::print_bars(words[1], words[2], {words + 3, words + count});
}
