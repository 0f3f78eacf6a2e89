// A fuzz target: hostile bytes in, nothing out. A crash, a broken invariant, an exception of a library or a
// hang is a finding; what the bytes mean does not matter.
#pragma once
#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
