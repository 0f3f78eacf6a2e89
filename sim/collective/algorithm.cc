#include "sim/collective/algorithm.h"

#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/collective/catalogue.h"

namespace brigade {
namespace {

constexpr Rank kRanksMax = Rank{1} << 30;  // so that r + N fits a Rank

constexpr const Algorithm* kCatalogue[] = {
    &kNaiveAllReduce,
    &kRingAllReduce,
    &kTreeAllReduce,
    &kButterflyAllReduce,
    &kHalvingDoublingAllReduce,
    &kHierarchicalAllReduce,
    &kDoubleBinaryTreeAllReduce,
    &kDirectAllReduce,
    &kRingReduceScatter,
    &kDirectReduceScatter,
    &kRingAllGather,
    &kDirectAllGather,
    &kTreeBroadcast,
    &kChainBroadcast,
    &kTreeReduce,
    &kChainReduce,
    &kDirectAllToAll,
    &kListedSendRecv,
    &kDisseminationBarrier,
};

bool has_root(Collective c) { return c == Collective::kBroadcast || c == Collective::kReduce; }

// Blocks of the logical buffer: see the list at the head of algorithm.h.
int64_t blocks(const PlanRequest& request) {
  if (request.algorithm->collective == Collective::kAllToAll) return request.ranks;
  if (request.algorithm->collective != Collective::kSendRecv) return 1;
  return std::max<int64_t>(request.ranks, static_cast<int64_t>(request.pairs.size()));
}

std::string check_request(const PlanRequest& request) {
  constexpr int64_t kBytesMax = int64_t{1} << 62;
  if (request.ranks < 1) return "a collective needs at least one rank";
  if (request.ranks > kRanksMax) return absl::StrCat(request.ranks, " ranks are more than ", kRanksMax);
  if (request.elements < 0) return absl::StrCat("a buffer of ", request.elements, " elements");
  if (request.element_bytes < 1) return absl::StrCat("an element of ", request.element_bytes, " bytes");
  if (static_cast<__int128>(request.elements) * request.element_bytes * blocks(request) > kBytesMax) {
    return absl::StrCat(request.elements, " elements of ", request.element_bytes, " bytes on ", request.ranks,
                        " ranks are more than 2^62 bytes");
  }
  if (has_root(request.algorithm->collective) && request.root >= request.ranks) {
    return absl::StrCat("root ", request.root, " is out of range; ranks are 0 to ", request.ranks - 1);
  }
  return "";
}

// Cuts `count` elements into `pieces`, the first count mod pieces of them one larger: piece i.
Range cut(int64_t count, int64_t pieces, int64_t i) {
  const int64_t base = count / pieces, rest = count % pieces;
  return {i * base + std::min(i, rest), base + (i < rest)};
}

}  // namespace

const char* name_of(Collective c) {
  switch (c) {
    case Collective::kAllReduce:
      return "all_reduce";
    case Collective::kReduceScatter:
      return "reduce_scatter";
    case Collective::kAllGather:
      return "all_gather";
    case Collective::kBroadcast:
      return "broadcast";
    case Collective::kReduce:
      return "reduce";
    case Collective::kAllToAll:
      return "all_to_all";
    case Collective::kSendRecv:
      return "send_recv";
    case Collective::kBarrier:
      return "barrier";
  }
  BRIGADE_CHECK(false, "collective ", static_cast<int>(c));
}

bool Plan::in_step() const {
  if (parts.empty()) return algorithm->in_step_at_any_ranks || ranks == power;
  return std::all_of(parts.begin(), parts.end(), [](const auto& part) { return part->in_step(); });
}

bool Plan::repeats_peers() const {
  return algorithm->repeats_peers ||
         std::any_of(parts.begin(), parts.end(), [](const auto& part) { return part->repeats_peers(); });
}

int64_t Plan::buffer_elements() const {
  switch (algorithm->collective) {
    case Collective::kAllToAll:
      return ranks * elements;
    case Collective::kSendRecv:
      return static_cast<int64_t>(pairs.size()) * elements;
    default:
      return elements;
  }
}

PlanResult make_plan(const PlanRequest& request, uint32_t execution) {
  BRIGADE_CHECK(request.algorithm, "no algorithm");
  BRIGADE_CHECK(execution < static_cast<uint32_t>(request.algorithm->executions), "execution ", execution);
  if (std::string error = check_request(request); !error.empty()) return {nullptr, std::move(error)};

  auto plan = std::make_shared<Plan>();
  plan->algorithm = request.algorithm;
  plan->ranks = request.ranks;
  const bool has_elements = request.algorithm->collective != Collective::kBarrier;
  const Range slice = cut(has_elements ? request.elements : 0, request.algorithm->executions, execution);
  plan->elements = slice.count;
  plan->slice_first = slice.first;
  plan->element_bytes = request.element_bytes;
  plan->root = has_root(request.algorithm->collective) ? request.root : 0;
  plan->execution = execution;
  plan->shares = request.ranks;
  plan->log2 = static_cast<uint32_t>(std::bit_width(request.ranks)) - 1;
  plan->power = Rank{1} << plan->log2;
  if (request.algorithm->prepare) {
    if (std::string error = request.algorithm->prepare(request, *plan); !error.empty()) {
      return {nullptr, std::move(error)};
    }
  }
  plan->part_base = plan->elements / plan->shares;
  plan->part_rest = plan->elements % plan->shares;
  return {std::move(plan), ""};
}

std::span<const Algorithm* const> algorithms() { return kCatalogue; }

const Algorithm* find_algorithm(Collective c, std::string_view name) {
  for (const Algorithm* row : kCatalogue) {
    if (row->collective == c && row->name == name) return row;
  }
  return nullptr;
}

std::vector<std::string> algorithm_names(Collective c) {
  std::vector<std::string> names;
  for (const Algorithm* row : kCatalogue) {
    if (row->collective == c) names.push_back(row->name);
  }
  return names;
}

double busbw_factor(Collective c, Rank ranks) {
  const double n = ranks;
  switch (c) {
    case Collective::kAllReduce:
      return 2 * (n - 1) / n;
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kAllToAll:
      return (n - 1) / n;
    case Collective::kBroadcast:
    case Collective::kReduce:
    case Collective::kSendRecv:
    case Collective::kBarrier:
      return 1;
  }
  BRIGADE_CHECK(false, "collective ", static_cast<int>(c));
}

}  // namespace brigade
