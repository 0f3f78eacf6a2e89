// bench_replay COMMAND FOLDER: the whole process of `COMMAND replay`, on traces of 100 MB that are written
// into FOLDER (and removed), beside the bars: 100 MB in less than 2 s, and less memory than three times the
// trace; of a gzip file the trace is what it unpacks to. Seconds are CPU time; wall time says how busy the
// machine was.
#include <fcntl.h>
#include <zlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/bench/child.h"
#include "tests/replay/synthetic_trace.h"

namespace brigade::bench {
namespace {

constexpr int64_t kBytes = 100'000'000;
constexpr double kSecondsPerTrace = 2, kTimesTheTrace = 3;

struct Row {
  const char* what;
  TraceShape shape;
  bool gzip;
};
constexpr Row kRows[] = {
    {"operators, launches and kernels, as PyTorch writes them", TraceShape::kUsual, false},
    {"the same, gzip", TraceShape::kUsual, true},
    {"tiny events without args", TraceShape::kTiny, false},
    {"Python stacks and names of templates", TraceShape::kLong, false}};

// Returns the size of the trace, unpacked. Pieces go straight to the file: a large parent would count as a
// large child, which begins as its copy.
int64_t write_trace(const Row& row, const std::string& path) {
  if (!row.gzip) {
    std::ofstream out(path, std::ios::binary);
    return SyntheticTrace(row.shape, [&](std::string_view piece) { out << piece; }).write(kBytes);
  }
  const gzFile out = gzopen(path.c_str(), "wb1");
  BRIGADE_CHECK(out != nullptr, path, " cannot be written");
  const int64_t bytes = SyntheticTrace(row.shape, [&](std::string_view piece) {
                          gzwrite(out, piece.data(), static_cast<unsigned>(piece.size()));
                        }).write(kBytes);
  BRIGADE_CHECK(gzclose(out) == Z_OK, path, " was not written");
  return bytes;
}

Process replay(const std::string& command, const std::string& trace, const std::string& topology) {
  std::vector<std::string> words{command, "replay", trace, "--topology", topology, "--ranks", "2", "--json"};
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  const Process process = in_child([&] {
    dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    execv(argv[0], argv.data());
    return 127;
  });
  BRIGADE_CHECK(process.exit_code == 0, command, " replay ", trace, " ended with ", process.exit_code);
  return process;
}

int print_bars(const std::string& command, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::string topology = folder / "two_gpus.yaml";
  std::ofstream(topology)
      << "brigade: 1\nnode_types:\n  two: {gpus: 2, nvlink: {family: switched, bandwidth: 50 GB/s, "
         "latency: 2.5 us}}\nnodes: [{type: two}]\n";
  print_load();
  std::puts("| brigade replay, 100 MB | CPU s | bar | wall s | MB/s | peak MB | x trace | bar |");
  std::puts("| --- | --- | --- | --- | --- | --- | --- | --- |");
  bool all_met = true;
  for (const Row& row : kRows) {
    const std::string trace = folder / (row.gzip ? "trace.json.gz" : "trace.json");
    const double mb = static_cast<double>(write_trace(row, trace)) / 1e6;
    const Process p = replay(command, trace, topology);
    std::filesystem::remove(trace);
    const double peak_mb = p.rss_mb * 1.024 * 1.024, times = peak_mb / mb;
    const double bar_s = kSecondsPerTrace * mb * 1e6 / static_cast<double>(kBytes);
    const bool met = p.cpu_s < bar_s && times < kTimesTheTrace;
    all_met &= met;
    std::printf("| %s%s | %.2f | %.1f | %.2f | %.0f | %.0f | %.2f | %g |\n", row.what,
                met ? "" : " **missed**", p.cpu_s, bar_s, p.wall_s, mb / p.cpu_s, peak_mb, times,
                kTimesTheTrace);
    std::fflush(stdout);
  }
  print_load();
  return all_met ? 0 : 1;
}

}  // namespace
}  // namespace brigade::bench

int main(int count, char** words) {
  if (count != 3) {
    std::fputs("usage: bench_replay COMMAND FOLDER\n", stderr);
    return 2;
  }
  return brigade::bench::print_bars(words[1], words[2]);
}
