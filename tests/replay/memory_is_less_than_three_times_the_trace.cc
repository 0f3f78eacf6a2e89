// What is allocated at any time while a trace becomes a graph, its bytes and simdjson's index among it.
#include <malloc.h>
#include <zlib.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "tests/replay/synthetic_trace.h"
#include "tests/replay/traces.h"

namespace {
int64_t live = 0, peak = 0;

void* counted(void* p) {
  if (p != nullptr) peak = std::max(peak, live += static_cast<int64_t>(malloc_usable_size(p)));
  return p;
}
void uncounted(void* p) {
  if (p != nullptr) live -= static_cast<int64_t>(malloc_usable_size(p));
  std::free(p);
}
}  // namespace

void* operator new(size_t n) {
  if (void* p = counted(std::malloc(n))) return p;
  throw std::bad_alloc();
}
void* operator new(size_t n, const std::nothrow_t&) noexcept { return counted(std::malloc(n)); }
void operator delete(void* p) noexcept { uncounted(p); }
void operator delete(void* p, size_t) noexcept { uncounted(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { uncounted(p); }

using namespace brigade;

namespace {

constexpr int64_t kBytes = 6'000'000;

// The size of the trace, unpacked.
int64_t write(TraceShape shape, const std::string& path) {
  if (!path.ends_with(".gz")) {
    std::ofstream out(path, std::ios::binary);
    return SyntheticTrace(shape, [&](std::string_view piece) { out << piece; }).write(kBytes);
  }
  const gzFile out = gzopen(path.c_str(), "wb1");
  REQUIRE(out != nullptr);
  const int64_t bytes = SyntheticTrace(shape, [&](std::string_view piece) {
                          gzwrite(out, piece.data(), static_cast<unsigned>(piece.size()));
                        }).write(kBytes);
  gzclose(out);
  return bytes;
}

}  // namespace

TEST_CASE("a graph is made of a trace with less memory than three times its size") {
  for (const TraceShape shape : {TraceShape::kUsual, TraceShape::kTiny, TraceShape::kLong})
    for (const char* name : {"brigade_memory.json", "brigade_memory.json.gz"}) {
      INFO("shape " << static_cast<int>(shape) << ", " << name);
      const std::string path = std::filesystem::temp_directory_path() / name;
      const int64_t bytes = write(shape, path);
      const int64_t before = live;
      peak = live;
      Diagnostics errors;
      const std::shared_ptr<const ReplayTrace> trace = load_replay({path}, {}, errors);
      const int64_t most = peak - before;
      std::filesystem::remove(path);
      REQUIRE(trace != nullptr);
      CHECK(trace->graphs.front().steps.size() > 10);
      INFO(most << " bytes for " << bytes);
      CHECK(most >= bytes);
      CHECK(most < 3 * bytes);
    }
}
