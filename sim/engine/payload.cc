#include "sim/engine/payload.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/base/random.h"
#include "sim/collective/contents.h"

namespace brigade {
namespace {

constexpr int kIntegers = 0, kFractions = 1;  // the two buffers of a verified collective
constexpr double kUnit = 0x1p53;              // of random values

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();  // what a rank does not bring

// Adds an arrival to a buffer, or copies it in.
void lay(const std::vector<double>& contents, const Range& range, int buffer, bool reduce,
         double (*rounding)(double), double* values) {
  const double* theirs = contents.data() + buffer * range.count;
  double* mine = values + range.first;
  for (int64_t e = 0; e < range.count; ++e) {
    mine[e] = reduce ? mine[e] + theirs[e] : theirs[e];
    if (rounding != nullptr) mine[e] = rounding(mine[e]);
  }
}

}  // namespace

std::string Payload::refusal(const CollectiveCall& call) {
  __int128 values = 0;
  for (const auto& plan : call.plans) values += static_cast<__int128>(plan->buffer_elements()) * plan->ranks;
  if (values <= kValuesMax) return "";
  const int64_t elements = call.plans.front()->buffer_elements() * static_cast<int64_t>(call.plans.size());
  return absl::StrCat("verify carries each element of each rank as float64: about ", elements,
                      " elements on ", call.plans.front()->ranks, " ranks are more than ", kValuesMax,
                      " in all; allowed: smaller sizes, or verify: false");
}

Payload::Call& Payload::call(CommId comm, uint32_t index) {
  const auto [it, fresh] = calls_.try_emplace({comm, index});
  if (fresh) {
    for (const auto& plan : engine_.call_of(comm, index).plans) {
      it->second.executions.emplace_back();
      it->second.executions.back().plan = plan;
      it->second.executions.back().ranks.resize(plan->ranks);
    }
  }
  return it->second;
}

// Values of a call are numbered by what they are, so that they do not depend on when a rank starts.
double Payload::value(const Key& key, uint32_t execution, Rank r, int64_t element, int buffer) const {
  const uint64_t call = mix(mix(seed_ ^ (uint64_t{key.first} << 32 | key.second)) + execution);
  const uint64_t bits =
      mix(mix(call ^ r) + static_cast<uint64_t>(element) * 2 + static_cast<uint64_t>(buffer));
  constexpr int64_t kLargest = 1'000'000;
  if (buffer == kIntegers)
    return static_cast<double>(static_cast<int64_t>(bits % (2 * kLargest + 1)) - kLargest);
  return static_cast<double>(bits >> 11) / kUnit - 0.5;
}

void Payload::put(CommId comm, uint32_t index, Rank r, std::span<const double> values,
                  double (*rounding)(double)) {
  Call& c = call(comm, index);
  for (Execution& x : c.executions) {
    x.rounding = rounding;
    auto next = values.begin();
    if (x.plan->algorithm->collective == Collective::kAllReduce)
      next += x.plan->slice_first;
    else
      BRIGADE_CHECK(c.executions.size() == 1, "data of a cut ", name_of(x.plan->algorithm->collective));
    x.ranks[r].values.assign(static_cast<size_t>(x.plan->buffer_elements()), kNothing);
    for (const Range& range : brings(*x.plan, r)) {
      std::copy_n(next, range.count, x.ranks[r].values.begin() + range.first);
      next += range.count;
    }
  }
}

std::vector<double> Payload::take(CommId comm, uint32_t index, Rank r) {
  Call& c = call(comm, index);
  std::vector<double> values;
  for (Execution& x : c.executions) {
    values.resize(std::max(values.size(), static_cast<size_t>(x.plan->slice_first + x.plan->elements)));
    std::copy(x.ranks[r].values.begin(), x.ranks[r].values.end(), values.begin() + x.plan->slice_first);
  }
  if (++c.taken == c.executions.front().plan->ranks) calls_.erase({comm, index});
  return values;
}

void Payload::collective_started(CommId comm, uint32_t index, Rank r, Time) {
  if (!role(engine_.job_of(comm)).verifies) return;
  Call& c = call(comm, index);
  for (uint32_t i = 0; i < c.executions.size(); ++i) {
    Execution& x = c.executions[i];
    const int64_t n = x.plan->buffer_elements();
    x.ranks[r].values.assign(static_cast<size_t>(2 * n), kNothing);
    for (const Range& range : brings(*x.plan, r))
      for (int buffer : {kIntegers, kFractions})
        for (int64_t e = range.first; e < range.first + range.count; ++e)
          x.ranks[r].values[static_cast<size_t>(buffer * n + e)] = value({comm, index}, i, r, e, buffer);
  }
}

// In each round the arrivals and the rank's own contents in the order of ranks; what is copied replaces.
void Payload::apply_before(Execution& x, Rank r, Round k, int buffers) const {
  RankData& mine = x.ranks[r];
  const int64_t n = x.plan->buffer_elements();
  while (!mine.inbox.empty() && mine.inbox.begin()->first < k) {
    const bool reduce = x.plan->step(r, mine.inbox.begin()->first).reduce;
    std::vector<Arrival>& arrivals = mine.inbox.begin()->second;
    std::stable_sort(arrivals.begin(), arrivals.end(),
                     [](const Arrival& a, const Arrival& b) { return a.from < b.from; });
    // Of the ranks below r the first is laid down, r's own contents come after the last of them.
    const auto above =
        std::partition_point(arrivals.begin(), arrivals.end(), [&](const Arrival& a) { return a.from < r; });
    const bool several = reduce && arrivals.size() > 1 && above != arrivals.begin();
    std::vector<double> own;
    for (int b = 0; b < buffers; ++b) {
      double* values = mine.values.data() + b * n;
      if (several) {
        const Range range = arrivals.front().range;
        own.assign(values + range.first, values + range.first + range.count);
        lay(*arrivals.front().contents, range, b, false, x.rounding, values);
        for (auto a = arrivals.begin() + 1; a != above; ++a) {
          BRIGADE_CHECK(a->range == range, "unlike parts are added in one round");
          lay(*a->contents, range, b, true, x.rounding, values);
        }
        lay(own, range, 0, true, x.rounding, values);
      }
      for (auto a = several ? above : arrivals.begin(); a != arrivals.end(); ++a)
        lay(*a->contents, a->range, b, reduce, x.rounding, values);
    }
    mine.inbox.erase(mine.inbox.begin());
  }
}

void Payload::message_launched(uint32_t, const MessageTag& tag, Bytes, Time) {
  if (!wanted(tag)) return;
  Execution& x = call(tag.comm, tag.index).executions[tag.execution];
  const int count = buffers(tag.comm);
  apply_before(x, tag.from, tag.round, count);
  RankData& mine = x.ranks[tag.from];
  const Range range = x.plan->send(tag.from, tag.round, tag.send).range;
  if (mine.sent_round != tag.round || mine.sent_range != range) {
    std::vector<double> contents;
    contents.reserve(static_cast<size_t>(count * range.count));
    for (int b = 0; b < count; ++b) {
      const auto first = mine.values.begin() + b * x.plan->buffer_elements() + range.first;
      contents.insert(contents.end(), first, first + range.count);
    }
    mine.sent_round = tag.round;
    mine.sent_range = range;
    mine.sent = std::make_shared<const std::vector<double>>(std::move(contents));
  }
  const bool fresh =
      x.under_way.try_emplace({tag.from, tag.round, tag.send}, Arrival{tag.from, range, mine.sent}).second;
  BRIGADE_CHECK(fresh, "rank ", tag.from, " sends message ", tag.send, " of round ", tag.round, " twice");
}

void Payload::message_received(const MessageTag& tag, Time) {
  if (!wanted(tag)) return;
  Execution& x = call(tag.comm, tag.index).executions[tag.execution];
  auto message = x.under_way.extract({tag.from, tag.round, tag.send});
  BRIGADE_CHECK(!message.empty(), "rank ", tag.to, " got message ", tag.send, " of round ", tag.round,
                " from rank ", tag.from, ", which is not under way");
  x.ranks[tag.to].inbox[tag.round].push_back(std::move(message.mapped()));
}

void Payload::collective_finished(CommId comm, uint32_t index, Rank r, Time) {
  if (!wanted(comm)) return;
  Call& c = call(comm, index);
  Role& mine = role(engine_.job_of(comm));
  for (uint32_t i = 0; i < c.executions.size(); ++i) {
    Execution& x = c.executions[i];
    apply_before(x, r, x.plan->rounds(), buffers(comm));
    x.ranks[r].sent.reset();
    if (mine.verifies) compare({comm, index}, i, r, mine.found);
  }
  ++mine.found.ranks;
  if (!mine.verifies) return;
  for (Execution& x : c.executions) std::vector<double>().swap(x.ranks[r].values);
  if (++c.finished < c.executions.front().plan->ranks) return;
  ++mine.found.collectives;
  calls_.erase({comm, index});
}

// The direct sum and the sum of magnitudes, exactly: in units of 1, and of 2^-53.
void Payload::add_up(const Key& key, uint32_t execution, Execution& x) const {
  const int64_t n = x.plan->buffer_elements();
  x.sums.assign(static_cast<size_t>(2 * n), 0);
  x.magnitudes.assign(static_cast<size_t>(2 * n), 0);
  for (Rank r = 0; r < x.plan->ranks; ++r)
    for (const Range& range : brings(*x.plan, r))
      for (int buffer : {kIntegers, kFractions})
        for (int64_t e = range.first; e < range.first + range.count; ++e) {
          const double v = value(key, execution, r, e, buffer) * (buffer == kIntegers ? 1 : kUnit);
          x.sums[static_cast<size_t>(buffer * n + e)] += static_cast<int64_t>(v);
          x.magnitudes[static_cast<size_t>(buffer * n + e)] += std::abs(static_cast<int64_t>(v));
        }
}

Payload::Judgement Payload::judge(const Key& key, uint32_t execution, const Execution& x, Rank of,
                                  int64_t element, int buffer, double got) const {
  if (of != kNone) {
    const double expected = value(key, execution, of, element, buffer);
    return {expected, got == expected ? 0 : INFINITY};
  }
  const auto at = static_cast<size_t>(buffer * x.plan->buffer_elements() + element);
  const double unit = buffer == kIntegers ? 1 : kUnit;
  const double expected = static_cast<double>(x.sums[at]) / unit;
  if (buffer == kIntegers) return {expected, got == expected ? 0 : INFINITY};
  if (!(std::fabs(got) < 0x1p40)) return {expected, INFINITY};  // NaN too
  const double apart = std::fabs(static_cast<double>(static_cast<__int128>(got * unit) - x.sums[at]));
  return {expected, apart / static_cast<double>(std::max<__int128>(x.magnitudes[at], 1))};
}

void Payload::compare(const Key& key, uint32_t execution, Rank r, Verification& found) {
  Execution& x = calls_.at(key).executions[execution];
  const int64_t n = x.plan->buffer_elements();
  for (const FinalPart& outcome : ends_with(*x.plan, r)) {
    if (outcome.of == kNone && x.sums.empty()) add_up(key, execution, x);
    for (int buffer : {kIntegers, kFractions}) {
      for (int64_t e = outcome.range.first; e < outcome.range.first + outcome.range.count; ++e) {
        const double got = x.ranks[r].values[static_cast<size_t>(buffer * n + e)];
        const Judgement j = judge(key, execution, x, outcome.of, e, buffer, got);
        ++found.values;
        if (j.difference <= kTolerance) {
          found.largest_difference = std::max(found.largest_difference, j.difference);
        } else if (found.failure.empty()) {
          found.failure = absl::StrCat(
              "job \"", engine_.name_of(key.first), "\", collective ", key.second, " (",
              name_of(x.plan->algorithm->collective), " ", x.plan->algorithm->name, "): rank ", r,
              " ends with ", got, " in element ", e + x.plan->slice_first, ", not with ", j.expected,
              outcome.of == kNone ? ", the sum over all ranks"
                                  : absl::StrCat(", which rank ", outcome.of, " brought"));
        }
      }
    }
  }
}

}  // namespace brigade
