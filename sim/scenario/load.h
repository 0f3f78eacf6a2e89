// The second half of reading a scenario, for those who hold its tree already: a study lays other values over
// one tree again and again.
#pragma once
#include <string>

#include "sim/base/diagnostic.h"
#include "sim/scenario/document.h"
#include "sim/scenario/input_files.h"
#include "sim/scenario/scenario.h"

namespace brigade {

// `root` is a scenario with its overrides applied, `path` the file that its paths are relative to.
ScenarioParts read_parts(const Node& root, const std::string& path, InputFiles& files, Diagnostics& errors);

}  // namespace brigade
