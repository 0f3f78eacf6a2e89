// PyTorch traces: bytes become a graph in which everything ends, or are refused with words.
#include <string>

#include "sim/base/check.h"
#include "sim/replay/json_pieces.h"
#include "sim/replay/make_graph.h"
#include "sim/replay/mapping.h"
#include "sim/replay/together.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace brigade;
  std::string text(reinterpret_cast<const char*>(data), size);
  text.resize(size + kTracePadding);
  if (const auto cut = cut_trace(std::string_view(text).substr(0, size), 1 + size % 40)) {
    size_t behind = 0;
    for (const auto& piece : cut->pieces) {
      BRIGADE_CHECK(behind <= piece.first && piece.first < piece.second && piece.second <= size,
                    "a piece from ", piece.first, " to ", piece.second);
      behind = piece.second + 1;
    }
  }
  Diagnostics errors;
  TraceEvents events = read_events({"fuzzed", std::string_view(text).substr(0, size), true}, errors);
  if (!errors.ok()) return 0;
  std::optional<ReplayGraph> graph = make_graph(std::move(events), errors);
  BRIGADE_CHECK(graph.has_value() == errors.ok(), "a graph with errors, or none without: ", errors.text());
  if (!graph) return 0;
  const auto traced = [&](const ReplayCollective& c) { return graph->nodes[c.node].work; };
  BRIGADE_CHECK(replay_alone(*graph, traced).all_ended(), "nodes that never begin");
  ReplayTrace trace;
  trace.world = std::max<int64_t>(graph->world, 1);
  trace.graphs.push_back(std::move(*graph));
  const Rank ranks = 1 + static_cast<Rank>(size % 9);
  const auto map = map_ranks(trace, ranks, UnnamedGroups::kContiguous, {}, errors);
  BRIGADE_CHECK(map.has_value() == errors.ok(), "a map with errors, or none without: ", errors.text());
  if (!map) return 0;
  const std::vector<Time> begins(ranks);
  const std::vector<double> shares(ranks, 1.0);
  for (const Dataflow& flow : replay_together(trace, *map, begins, shares, Unsimulated::kNone))
    BRIGADE_CHECK(flow.all_ended(), "ranks that wait for each other for ever");
  return 0;
}
