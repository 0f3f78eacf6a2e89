#include "sim/workload/ranks.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace brigade {
namespace {

// "1,5-6" as numbers; nothing if the text is no such list.
std::optional<std::vector<uint64_t>> parse_numbers(std::string_view text, uint64_t end) {
  std::vector<uint64_t> numbers;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    uint64_t low = 0, high = 0;
    const char* const stop = item.data() + item.size();
    auto parsed = std::from_chars(item.data(), stop, low);
    high = low;
    if (parsed.ec == std::errc{} && parsed.ptr != stop && *parsed.ptr == '-')
      parsed = std::from_chars(parsed.ptr + 1, stop, high);
    if (parsed.ec != std::errc{} || parsed.ptr != stop || high < low) return std::nullopt;
    // Out of range is found by the caller: one number beyond the end is enough for that.
    for (uint64_t i = low; i <= std::min(high, std::max(low, end)); ++i) numbers.push_back(i);
    if (comma == std::string_view::npos) return numbers;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<VertexId> find_endpoints(std::span<const std::string> selectors, const std::string& what,
                                     const Place& at, const Topology& topology, Diagnostics& errors) {
  std::vector<VertexId> devices;
  for (const std::string& selector : selectors)
    for (const VertexId v : topology.select(selector, at, errors)) {
      if (topology.is_endpoint(v)) {
        devices.push_back(v);
      } else {
        errors.error(at, absl::StrCat(what, ": ", topology.vertex_name(v),
                                      " cannot be a rank: only GPUs and hosts send and receive"));
        return {};
      }
    }
  return devices;
}

std::vector<VertexId> find_ranks(const JobSpec& spec, const Topology& topology, Diagnostics& errors) {
  const std::string what = absl::StrCat("job \"", spec.name, "\"");
  if (spec.ranks.empty()) errors.error(spec.ranks_at, absl::StrCat(what, " has no ranks"));
  const std::vector<VertexId> devices = find_endpoints(spec.ranks, what, spec.ranks_at, topology, errors);
  std::vector<VertexId> sorted = devices;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    errors.error(spec.ranks_at, absl::StrCat("job \"", spec.name, "\": ", topology.vertex_name(*twice),
                                             " is listed twice; a device is one rank of a job"));
  return devices;
}

size_t apply_change(const RankChange& change, bool computes, JobContext& context, Diagnostics& errors) {
  if (change.job && *change.job != context.name) return 0;
  const bool acts_later = change.timed() || change.stops;
  if (acts_later && !computes) return 0;
  std::vector<Rank> ranks;
  if (const auto numbers = parse_numbers(change.ranks, context.devices.size())) {
    for (const uint64_t n : *numbers) {
      if (n >= context.devices.size()) {
        errors.error(change.at,
                     absl::StrCat("rank ", n, " is out of range: job \"", context.name, "\" has ranks 0 to ",
                                  static_cast<int64_t>(context.devices.size()) - 1));
        return 0;
      }
      ranks.push_back(static_cast<Rank>(n));
    }
  } else {
    Diagnostics said_of_links;
    for (const VertexId v :
         context.topology.select(change.ranks, change.at, change.of_node ? said_of_links : errors)) {
      const auto it = std::find(context.devices.begin(), context.devices.end(), v);
      if (it != context.devices.end()) ranks.push_back(static_cast<Rank>(it - context.devices.begin()));
    }
  }
  for (const Rank r : ranks) {
    if (acts_later) {
      context.compute_changes.resize(context.devices.size());
      context.compute_changes[r].push_back({.begins = change.begins,
                                            .ends = change.ends,
                                            .share = change.compute_share.value_or(1),
                                            .stops = change.stops});
    } else if (change.compute_share) {
      context.compute_share[r] *= *change.compute_share;
    }
    if (change.start) context.late[r] += *change.start;
  }
  return ranks.size();
}

void check_change(const RankChange& change, std::span<const JobSpec> jobs, size_t concerned,
                  Diagnostics& errors) {
  std::vector<std::string> names;
  for (const JobSpec& job : jobs) names.push_back(job.name);
  if (change.job && std::find(names.begin(), names.end(), *change.job) == names.end())
    errors.error(change.at,
                 absl::StrCat("unknown job \"", *change.job, "\"", suggestion(*change.job, names)));
  else if (concerned == 0 && errors.ok() && !change.of_node)  // links may be all that a node has
    errors.error(change.at, absl::StrCat("\"", change.ranks, "\" names no rank of ",
                                         change.timed() ? "what computes in " : "",
                                         change.job ? absl::StrCat("job \"", *change.job, "\"") : "any job"));
}

std::vector<TimedLink> find_timed_links(std::span<const LinkChange> changes, const Topology& topology,
                                        const NetworkSpec& network, Diagnostics& errors) {
  std::vector<TimedLink> list;
  for (const LinkChange& c : changes) {
    if (network.model != NetworkModel::kPacket) {
      errors.error(c.at, "links of model fluid do not change in mid-run; allowed: model: packet");
      return {};
    }
    if (network.routing == Routing::kAdaptive) {
      errors.error(c.at,
                   "adaptive routes go by what waits at a link, and links that change settle that later; "
                   "allowed: another routing");
      return {};
    }
    Diagnostics said_before;
    for (const LinkId l : topology.select_links(c.links, c.at, said_before))
      list.push_back({l, c.begins, c.ends, c.bandwidth_share.value_or(1), c.down});
  }
  return list;
}

}  // namespace brigade
