// Counts operator new while the engine runs a ring of 1,024 ranks through a switch, and other even
// collectives.
#include <cstdlib>
#include <new>

#include "tests/catch.h"
#include "tests/engine/run_calls.h"

namespace {
int64_t allocations = 0;
}

void* operator new(size_t n) {
  ++allocations;
  if (void* p = std::malloc(n)) return p;
  throw std::bad_alloc();
}
// The sanitizers' own nothrow form would not match the deletes below.
void* operator new(size_t n, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(n);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }

using namespace brigade;

TEST_CASE("from the first event to the last nothing is allocated") {
  struct Row {
    const char* algorithm;
    Rank ranks;
    int64_t elements;
    bool skewed;
  };
  for (const Row& row : {Row{"ring", 1024, 1'000'000'000, false}, Row{"ring", 256, 1'000'000, true},
                         Row{"halving_doubling", 4096, 1 << 20, false}, Row{"tree", 1000, 1 << 20, false},
                         Row{"direct", 128, 1 << 20, false}, Row{"naive", 64, 64 << 20, false}}) {
    const auto topology =
        oracle::nvswitch(static_cast<int>(row.ranks), Bandwidth::gb_per_s(50), microseconds(5));
    FastEngine engine(*topology, {}, {});
    const CommId comm = engine.add_communicator(0, oracle::gpus_of(*topology), "ring");
    engine.add_collective(comm, {plans_of({.algorithm = find_algorithm(Collective::kAllReduce, row.algorithm),
                                           .ranks = row.ranks,
                                           .elements = row.elements}),
                                 false, ""});
    for (Rank r = 0; r < row.ranks; ++r)
      engine.timer(0, r, Time{} + (row.skewed ? nanoseconds(r * 7919 % row.ranks) : Duration{}), 0);
    // The first call sets the execution up; the loop begins behind it.
    std::optional<Notice> n = engine.next();
    engine.launch(comm, n->rank);
    const int64_t before = allocations;
    Rank done = 0;
    while ((n = engine.next())) {
      if (n->what == Notice::What::kTimer)
        engine.launch(comm, n->rank);
      else
        ++done;
    }
    const int64_t during = allocations - before;
    INFO(row.algorithm << " of " << row.ranks << " ranks, skewed " << row.skewed);
    CHECK(done == row.ranks);
    CHECK(during == 0);
  }
}
