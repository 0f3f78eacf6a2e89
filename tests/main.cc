#include "tests/source_dir.h"

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
#else
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

// The only file that knows the path, so that all others compile to the same bytes in every checkout.
std::string source_dir() { return BRIGADE_SOURCE_DIR; }
