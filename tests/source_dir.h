// Where this checkout lies: tests that read scenarios, topologies or documents start from here.
#pragma once
#include <string>

std::string source_dir();
