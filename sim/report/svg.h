// DOT to SVG, by Graphviz' own command.
#pragma once
#include <string>

namespace brigade {

struct Svg {
  std::string text;
  std::string error;  // why there is none: Graphviz is not installed, it failed
};

// Runs `dot -Tsvg`, found on the PATH, with `dot` as its input.
Svg svg_of(const std::string& dot);

}  // namespace brigade
