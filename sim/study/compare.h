// Two results side by side: what differs, by how much, and whether that is more than somebody allows.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/diagnostic.h"

namespace brigade {

// One figure of both results.
struct Compared {
  std::string path;
  std::optional<nlohmann::ordered_json> a, b;  // empty: that result has no such figure
  std::optional<double> change = {};           // (b - a) / a; empty where that means nothing
  bool equal() const { return a && b && *a == *b; }
};

// `step_time_us > +5%`: what must not be. A signed number is a change from A to B, with % a relative one; an
// unsigned one is B's own value. The figure is a path, or its last keys where several may have it.
struct Limit {
  std::string text;  // as given
  std::string figure;
  bool above = true, or_equal = false;
  bool of_change = false, percent = false;
  double number = 0;
};
// Empty, and reported, where `text` is no such sentence.
std::optional<Limit> parse_limit(const std::string& text, Diagnostics& errors);

struct Check {
  Limit limit;
  struct Found {
    std::string path, what;  // "jobs.train.step_time_us", "+29.4 %"
    bool broken = false;
  };
  std::vector<Found> found;  // every figure that was meant
  bool failed() const;
};

struct Comparison {
  std::string a, b;               // names of the two
  std::vector<Compared> figures;  // in the order of the results
  std::vector<Check> checks;
  bool failed() const;
};

// A limit on a figure that neither result has is a mistake.
Comparison compare(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b,
                   const std::vector<Limit>& limits, Diagnostics& errors);

// A result in a file: what brigade run --json wrote, or a scenario, which is run with `overrides`. Empty if
// `errors` got any; `failure` where its simulation could not end.
std::optional<nlohmann::ordered_json> result_of(const std::string& path,
                                                const std::vector<std::string>& overrides,
                                                Diagnostics& errors, std::string& failure);

// `all`: also what is equal, and every item of long lists.
std::string print_comparison(const Comparison& comparison, bool all, bool colour);
std::string print_comparison_csv(const Comparison& comparison, bool all);
std::string print_comparison_json(const Comparison& comparison, bool all);

}  // namespace brigade
