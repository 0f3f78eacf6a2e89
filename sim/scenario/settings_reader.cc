#include "sim/scenario/settings_reader.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sim/scenario/input_files.h"

namespace brigade {
namespace {

constexpr int kPercentMax = 100;

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

void check_now(Fields& change) {
  Duration at{};
  change.defaulted("at", duration(), at, "only 0 s: timed changes are not available yet");
  if (at.ps == 0) return;
  change.error(change.place_of("at"), "timed changes are not available yet; allowed: 0 s");
}

void read_link_change(Fields& in, std::vector<LinkChange>& out) {
  LinkChange change;
  change.at = in.place();
  in.required("links", text(), change.links, "links by selector; of a vertex: all that touch it");
  in.optional("bandwidth", share(true, kPercentMax), change.bandwidth_share, "slows to this share");
  std::optional<bool> down;
  in.optional("state", choice<bool>({{"down", true}}), down, "does not work");
  change.down = down.value_or(false);
  if (!in.describing() && !in.has("bandwidth") && !in.has("state")) {
    in.error(in.place(), "the change changes nothing; allowed: bandwidth (25 %), or state: down");
  } else if (in.has("bandwidth") && in.has("state")) {
    in.error(in.place_of("state"), "a dead link has no bandwidth; allowed: bandwidth or state");
  }
  out.push_back(std::move(change));
}

void read_rank_change(Fields& in, const std::vector<std::string>& jobs, std::vector<RankChange>& out) {
  RankChange change;
  change.at = in.place();
  in.required("ranks", text(), change.ranks, "3, or 0-7, or 1,5-6: ranks of the job; or devices by selector");
  in.optional("job", name_in(in, "jobs", jobs), change.job, "whose ranks; without it those of every job");
  in.optional("compute", share(true, kPercentMax), change.compute_share,
              "computes at this share of its speed");
  in.optional("start", duration(), change.start, "starts so much later");
  if (!in.describing() && !in.has("compute") && !in.has("start")) {
    in.error(in.place(), "the change changes nothing; allowed: compute (50 %), or start (2 ms)");
  }
  out.push_back(std::move(change));
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

void read_changes(Fields& in, Scenario& out) {
  std::vector<std::string> jobs;
  for (const JobSpec& job : out.jobs) jobs.push_back(job.name);
  in.maps("changes", Need::kOptional, "what is slower, later or dead: links or ranks", [&](Fields& change) {
    const bool of_links = change.has("links"), of_ranks = change.has("ranks");
    if (!change.describing() && of_links == of_ranks) {
      change.error(change.place(), "a change names what it is about; allowed: links or ranks");
      return change.ignore_rest();
    }
    check_now(change);
    change.when("links", of_links, [&] { read_link_change(change, out.link_changes); });
    change.when("ranks", of_ranks, [&] { read_rank_change(change, jobs, out.rank_changes); });
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
