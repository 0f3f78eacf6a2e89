#include "sim/collective/contents.h"

#include "sim/base/check.h"

namespace brigade {

std::vector<Range> brings(const Plan& plan, Rank r) {
  switch (plan.algorithm->collective) {
    case Collective::kAllReduce:
    case Collective::kReduce:
    case Collective::kReduceScatter:
      return {plan.whole()};
    case Collective::kAllGather:
      return {plan.part(r)};
    case Collective::kBroadcast:
      if (r == plan.root) return {plan.whole()};
      return {};
    case Collective::kAllToAll:
      return {{r * plan.elements, plan.elements}};
    case Collective::kSendRecv: {
      std::vector<Range> blocks;
      for (size_t i = 0; i < plan.pairs.size(); ++i)
        if (plan.pairs[i].from == r)
          blocks.push_back({static_cast<int64_t>(i) * plan.elements, plan.elements});
      return blocks;
    }
    case Collective::kBarrier:
      return {};
  }
  BRIGADE_CHECK(false, "collective ", static_cast<int>(plan.algorithm->collective));
}

std::vector<FinalPart> ends_with(const Plan& plan, Rank r) {
  std::vector<FinalPart> list;
  switch (plan.algorithm->collective) {
    case Collective::kAllReduce:
      return {{plan.whole()}};
    case Collective::kReduce:
      if (r == plan.root) return {{plan.whole()}};
      return {};
    case Collective::kReduceScatter:
      return {{plan.part(r)}};
    case Collective::kAllGather:
      for (Rank i = 0; i < plan.ranks; ++i) list.push_back({plan.part(i), i});
      return list;
    case Collective::kBroadcast:
      return {{plan.whole(), plan.root}};
    case Collective::kAllToAll:
      for (Rank i = 0; i < plan.ranks; ++i) {
        const Range mine = plan.part(r);
        list.push_back({{i * plan.elements + mine.first, mine.count}, i});
      }
      return list;
    case Collective::kSendRecv:
      for (size_t i = 0; i < plan.pairs.size(); ++i)
        if (plan.pairs[i].to == r)
          list.push_back({{static_cast<int64_t>(i) * plan.elements, plan.elements}, plan.pairs[i].from});
      return list;
    case Collective::kBarrier:
      return {};
  }
  BRIGADE_CHECK(false, "collective ", static_cast<int>(plan.algorithm->collective));
}

}  // namespace brigade
