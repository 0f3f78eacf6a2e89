// `changes:`.
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/scenario/settings_reader.h"

namespace brigade {
namespace {

constexpr int kPercentMax = 100;

// When a change holds: from `at` on, until `until`.
struct Span {
  Time begins{}, ends = kNever;
};

Span read_span(Fields& in) {
  Span span;
  Duration at{};
  std::optional<Duration> until;
  in.defaulted("at", duration(), at, "when it begins");
  in.optional("until", duration(), until, "when all is as before; without it never");
  span.begins = Time{} + at;
  if (!until) return span;
  span.ends = Time{} + *until;
  if (span.ends <= span.begins)
    in.error(in.place_of("until"), absl::StrCat("ends at ", to_string(*until), ", and begins at ",
                                                to_string(at), "; allowed: later"));
  return span;
}

void read_link_change(Fields& in, const Span& span, std::vector<LinkChange>& out) {
  LinkChange change;
  change.at = in.place();
  change.begins = span.begins;
  change.ends = span.ends;
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

void read_rank_change(Fields& in, const std::vector<std::string>& jobs, const Span& span,
                      std::vector<RankChange>& out) {
  RankChange change;
  change.at = in.place();
  change.begins = span.begins;
  change.ends = span.ends;
  in.required("ranks", text(), change.ranks, "3, or 0-7, or 1,5-6: ranks of the job; or devices by selector");
  in.optional("job", name_in(in, "jobs", jobs), change.job, "whose ranks; without it those of every job");
  in.optional("compute", share(true, kPercentMax), change.compute_share,
              "computes at this share of its speed");
  in.optional("start", duration(), change.start, "starts so much later");
  std::optional<Duration> pause;
  in.optional("pause", duration(), pause, "computes nothing for so long, once; what it sends goes on");
  if (pause && pause->ps > 0) {
    change.stops = true;
    change.ends = change.begins + *pause;
  }
  if (in.describing()) return;
  if (!in.has("compute") && !in.has("start") && !in.has("pause"))
    in.error(in.place(),
             "the change changes nothing; allowed: compute (50 %), start (2 ms), or pause (200 ms)");
  if (in.has("pause") && (in.has("compute") || in.has("until") || in.has("start")))
    in.error(in.place_of("pause"), "a pause stands alone, and lasts as long as it says; allowed: with at");
  if (in.has("start") && (in.has("at") || in.has("until")))
    in.error(in.place_of("start"), "a start has no time of its own; allowed: without at and until");
  out.push_back(std::move(change));
}

// A node that dies: its links do, and what computes on it stops.
void read_node_change(Fields& in, const Span& span, Scenario& out) {
  LinkChange links;
  RankChange ranks;
  links.at = ranks.at = in.place();
  links.begins = ranks.begins = span.begins;
  links.ends = ranks.ends = span.ends;
  bool down = true;
  in.required("nodes", text(), links.links,
              "by selector, node[2]: dies whole, its links and what computes on it");
  in.required("state", choice<bool>({{"down", true}}), down, "the node does not work");
  links.down = ranks.stops = ranks.of_node = true;
  ranks.ranks = links.links;
  out.link_changes.push_back(std::move(links));
  out.rank_changes.push_back(std::move(ranks));
}

}  // namespace

void read_changes(Fields& in, Scenario& out) {
  std::vector<std::string> jobs;
  for (const JobSpec& job : out.jobs) jobs.push_back(job.name);
  in.maps("changes", Need::kOptional, "what is slower, later or dead: links, ranks or nodes",
          [&](Fields& change) {
            const bool of_links = change.has("links"), of_ranks = change.has("ranks"),
                       of_nodes = change.has("nodes");
            if (!change.describing() && of_links + of_ranks + of_nodes != 1) {
              change.error(change.place(), "a change names what it is about; allowed: links, ranks or nodes");
              return change.ignore_rest();
            }
            const Span span = read_span(change);
            change.when("links", of_links, [&] { read_link_change(change, span, out.link_changes); });
            change.when("ranks", of_ranks, [&] { read_rank_change(change, jobs, span, out.rank_changes); });
            change.when("nodes", of_nodes, [&] { read_node_change(change, span, out); });
          });
}

}  // namespace brigade
