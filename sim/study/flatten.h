// A result as a list of figures by path: "jobs.train.step_time_us",
// "jobs.bench.rows[algorithm=ring,bytes=4096].time_us".
//
// Items of lists go by their name, rows of a collective by what they measured, all others by number; so does
// a row that is the only one here and in `other`, the result that this one is compared with. A list of
// objects is also a figure of its own: how many items it has. What identifies the run and is no figure (the
// hash of its input) is left out, and so are percentiles that only repeat their mean.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace brigade {

using Figures = std::vector<std::pair<std::string, nlohmann::ordered_json>>;
Figures flatten(const nlohmann::ordered_json& result, const nlohmann::ordered_json& other);

}  // namespace brigade
