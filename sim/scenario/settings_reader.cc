#include "sim/scenario/settings_reader.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sim/scenario/input_files.h"

namespace brigade {
namespace {

struct Segment {
  SegmentRule rule = SegmentRule::kFixed;
  Bytes bytes{};
};

Kind<Segment> segment() {
  return {"size (1 MiB), whole, or auto",
          {},
          [](const std::string& text) -> Parsed<Segment> {
            if (text == "whole") return {Segment{SegmentRule::kWhole, {}}, ""};
            if (text == "auto") return {Segment{SegmentRule::kAuto, {}}, ""};
            Parsed<Bytes> bytes = size().parse(text);
            if (!bytes.value) return {{}, std::move(bytes.error)};
            return {Segment{SegmentRule::kFixed, *bytes.value}, ""};
          },
          [](const Segment& segment) -> std::string {
            if (segment.rule == SegmentRule::kFixed) return size().print(segment.bytes);
            return segment.rule == SegmentRule::kWhole ? "whole" : "auto";
          }};
}

}  // namespace

void read_network(Fields& in, NetworkSpec& out) {
  constexpr int kWindowMax = 1'000'000;
  in.map("network", Need::kDefault, "how messages cross the cluster", [&](Fields& network) {
    network.defaulted(
        "model", choice<NetworkModel>({{"packet", NetworkModel::kPacket}, {"fluid", NetworkModel::kFluid}}),
        out.model, "of links under load; fluid: what shares links has max-min fair rates, nothing queues");
    network.when("model: packet", out.model == NetworkModel::kPacket, [&] {
      Segment piece{out.segment_rule, out.segment};
      network.defaulted("segment", segment(), piece,
                        "piece in which a message crosses links; auto: at most 64 a message");
      out.segment_rule = piece.rule;
      if (piece.rule == SegmentRule::kFixed) out.segment = piece.bytes;
      network.optional("window", whole<int64_t>(1, kWindowMax), out.window,
                       "segments of a message under way; unlimited without");
      network.defaulted(
          "routing",
          choice<Routing>(
              {{"ecmp", Routing::kEcmp}, {"spray", Routing::kSpray}, {"adaptive", Routing::kAdaptive}}),
          out.routing,
          "among equal routes: one a message, by hash; one a segment, by hash; or at each switch the least "
          "loaded");
    });
    std::optional<Duration> detection;
    network.optional("detection", duration(), detection,
                     "from the death of a link until all know, and send what it lost anew; none without");
    out.detection = detection.value_or(Duration{});
    network.defaulted("overhead", duration(), out.overhead, "that sender and receiver pay for each message");
    if (network.describing() || out.model == NetworkModel::kPacket) return;
    for (const char* key : {"segment", "window", "routing"}) {
      if (!network.has(key)) continue;
      network.error(network.place_of(key),
                    absl::StrCat("model fluid has no segments, so ", key,
                                 " means nothing; allowed: model: packet, or without ", key));
      network.ignore_rest();
    }
  });
}

void read_trace(Fields& in, const std::string& scenario_file, std::optional<TraceSpec>& out) {
  TraceSpec trace;
  const bool given = in.map("trace", Need::kOptional, "writes a timeline for Perfetto", [&](Fields& map) {
    map.required("file", text(), trace.file, "path beside this file; gzip if it ends in .gz");
    trace.at = map.place_of("file");
    map.defaulted("level",
                  choice<TraceLevel>({{"job", TraceLevel::kJob},
                                      {"collective", TraceLevel::kCollective},
                                      {"message", TraceLevel::kMessage},
                                      {"segment", TraceLevel::kSegment}}),
                  trace.level, "finest thing that is written");
    std::optional<std::vector<RankRange>> ranks;
    map.optional("ranks", rank_ranges(), ranks, "whose tracks are written; without it all");
    if (ranks) trace.ranks = std::move(*ranks);
    std::vector<Duration> window;
    const bool bounded =
        map.list("window", Need::kOptional, duration(), window, "[begin, end): only what lies in it");
    if (!bounded) return;
    if (window.size() != 2 || window[0] >= window[1]) {
      return map.error(map.place_of("window"), "a window has a begin and a later end, such as [0 s, 5 ms]");
    }
    trace.window_begin = Time{} + window[0];
    trace.window_end = Time{} + window[1];
  });
  if (!given) return;
  if (trace.at.line > 0) trace.file = path_beside(scenario_file, trace.file);  // not of --set
  out = std::move(trace);
}

}  // namespace brigade
