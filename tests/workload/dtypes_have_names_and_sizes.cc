#include "sim/workload/spec.h"
#include "tests/catch.h"

using namespace brigade;

TEST_CASE("each dtype is found by its name and has its size in memory") {
  const auto [name, bytes] = GENERATE(table<std::string, int64_t>({{"uint8", 1},
                                                                   {"fp8", 1},
                                                                   {"fp16", 2},
                                                                   {"bf16", 2},
                                                                   {"fp32", 4},
                                                                   {"tf32", 4},
                                                                   {"fp64", 8},
                                                                   {"int32", 4},
                                                                   {"int64", 8}}));
  const std::optional<DType> found = find_dtype(name);
  REQUIRE(found);
  CHECK(name_of(*found) == name);
  CHECK(bytes_of(*found) == bytes);
}

TEST_CASE("other names are no dtype") {
  CHECK_FALSE(find_dtype("float"));
  CHECK_FALSE(find_dtype(""));
  CHECK_FALSE(find_dtype("FP32"));
  CHECK(dtype_names().size() == 9);
}
