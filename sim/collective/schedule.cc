#include "sim/collective/schedule.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "sim/collective/schedule_states.h"

namespace brigade {
namespace {

constexpr size_t kColumns = 100;
constexpr size_t kLabel = 9;  // "  rank 63"

// "0-3, 7": numbers that count up one by one, at least `shortest` of them, become a run.
std::string runs(const std::vector<int64_t>& numbers, size_t shortest, const char* between) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (end - i < shortest) end = i + 1;
    absl::StrAppend(&text, i ? between : "", numbers[i]);
    if (end - i > 1) absl::StrAppend(&text, "-", numbers[end - 1]);
    i = end;
  }
  return text;
}

// "element 3", "elements 0-3", "no elements".
std::string span(const char* word, int64_t first, int64_t count) {
  if (count == 0) return absl::StrCat("no ", word, "s");
  if (count == 1) return absl::StrCat(word, " ", first);
  return absl::StrCat(word, "s ", first, "-", first + count - 1);
}

std::string plural(int64_t count, const char* word) {
  return absl::StrCat(count, " ", word, count == 1 ? "" : "s");
}

class Printer {
 public:
  Printer(const PlanRequest& request, const Executions& executions, const std::vector<double>& values)
      : request_(request),
        executions_(executions),
        shows_values_(!values.empty()),
        states_(schedule_states(executions, values)) {
    for (const SegmentTable& table : states_.tables) {
      for (const auto& row : table) {
        for (const SegmentCell& c : row) cell_width_ = std::max(cell_width_, cell(c).size());
      }
    }
  }

  std::string text() {
    title();
    if (states_.segments() > 0) {
      out_ += "\nat the start\n";
      table(states_.tables[0]);
    }
    for (Round k = 0; k < states_.rounds.size(); ++k) {
      absl::StrAppend(&out_, "\nround ", k, caption(states_.rounds[k]), "\n");
      messages(states_.rounds[k]);
      table(states_.tables[k + 1]);
    }
    totals();
    return std::move(out_);
  }

 private:
  const Plan& plan() const { return *executions_[0]; }
  Rank ranks() const { return plan().ranks; }
  bool is_barrier() const { return plan().algorithm->collective == Collective::kBarrier; }

  void title() {
    absl::StrAppend(&out_, plan().algorithm->name, " ", name_of(plan().algorithm->collective), ": ",
                    plural(ranks(), "rank"), ", ",
                    plural(static_cast<int64_t>(states_.rounds.size()), "round"), "\n",
                    plan().algorithm->summary, "\n");
    if (!plan().parts.empty()) {
      absl::StrAppend(&out_, "nodes of ", plural(plan().group, "rank"), "; inside ", request_.inner,
                      ", across ", request_.outer, "\n");
    }
    if (executions_.size() > 1) {
      std::vector<std::string> slices;
      for (const auto& execution : executions_) {
        slices.push_back(span("element", execution->slice_first, execution->elements));
      }
      absl::StrAppend(&out_, executions_.size(), " executions at once, over ",
                      absl::StrJoin(slices, " and over "), "\n");
    }
    out_ += is_barrier()     ? "cells: the ranks of whom a rank has heard"
            : !shows_values_ ? "cells: the ranks whose contributions a segment holds"
                             : "cells: the value of each element of a segment";
    out_ += "; * came in this round; . nothing\n";
    if (!is_barrier() && states_.segments() > 0) describe_segments();
  }

  void describe_segments() {
    const int64_t elements = states_.cuts.back(), segments = static_cast<int64_t>(states_.segments());
    absl::StrAppend(&out_, plural(elements, "element"), " in ", plural(segments, "segment"),
                    elements == segments && segments > 1 ? " of one element each\n" : "\n");
  }

  std::string caption(const std::vector<PlannedMessage>& round) const {
    if (is_barrier()) return "";
    const bool adds =
        std::any_of(round.begin(), round.end(), [](const PlannedMessage& m) { return m.reduce; });
    const bool copies =
        std::any_of(round.begin(), round.end(), [](const PlannedMessage& m) { return !m.reduce; });
    return absl::StrCat(": what arrives is ", adds ? "added" : "", adds && copies ? " or " : "",
                        copies ? "copied" : "");
  }

  std::string what(Range r) const {
    if (is_barrier() || r.count == 0) return "an empty message";
    const Range s = states_.in_segments(r);
    return absl::StrCat(span("segment", s.first, s.count), " (", span("element", r.first, r.count), ")");
  }

  // A line a message; messages of one rank with the same content share it.
  void messages(const std::vector<PlannedMessage>& round) {
    for (size_t i = 0; i < round.size();) {
      std::vector<int64_t> to;
      const size_t first = i;
      for (; i < round.size() && round[i].from == round[first].from && round[i].range == round[first].range;
           ++i) {
        to.push_back(round[i].to);
      }
      absl::StrAppend(&out_, "  rank ", round[first].from, to.size() == 1 ? " -> rank " : " -> ranks ",
                      runs(to, 2, ", "), ": ", what(round[first].range), "\n");
    }
  }

  std::string cell(const SegmentCell& c) const {
    if (c.contributors == 0) return ".";
    std::string text;
    if (!shows_values_) {
      std::vector<int64_t> from;
      for (Rank r = 0; r < ranks(); ++r) {
        if (c.contributors >> r & 1) from.push_back(r);
      }
      // The lecture's 0+1+2+3 while it fits.
      text = runs(from, ranks() <= 4 ? from.size() + 1 : 3, "+");
    } else {
      text = absl::StrFormat("%.15g", c.value);
    }
    return c.fresh ? text + "*" : text;
  }

  // One line of a table: the label, then as many texts as there are segments.
  template <class TextOf>
  void table_line(std::string line, size_t width, TextOf text_of) {
    for (size_t s = 0; s < states_.segments(); ++s) {
      absl::StrAppendFormat(&line, "  %-*s", static_cast<int>(width), text_of(s));
    }
    add_line(std::move(line));
  }

  void table(const SegmentTable& state) {
    if (states_.segments() == 0) return;
    for (const char* word : {"segment ", "s"}) {
      const auto heading = [&](size_t s) {
        return is_barrier() ? std::string("heard of") : absl::StrCat(word, s);
      };
      const size_t width = std::max(heading(states_.segments() - 1).size(), cell_width_);
      if (kLabel + states_.segments() * (width + 2) > kColumns) continue;
      table_line(std::string(kLabel, ' '), width, heading);
      for (Rank r = 0; r < ranks(); ++r) {
        table_line(label(r), width, [&](size_t s) { return cell(state[r][s]); });
      }
      return;
    }
    for (Rank r = 0; r < ranks(); ++r) list(r, state[r]);
  }

  // For tables that are too wide: equal neighbours together, empty segments left out.
  void list(Rank r, const std::vector<SegmentCell>& row) {
    std::string line = label(r);
    for (size_t s = 0; s < row.size();) {
      size_t end = s + 1;
      while (end < row.size() && cell(row[end]) == cell(row[s])) ++end;
      if (row[s].contributors != 0) {
        const std::string name = end - s > 1 ? absl::StrCat("s", s, "-", end - 1) : absl::StrCat("s", s);
        const std::string item = absl::StrCat("  ", name, ":", cell(row[s]));
        if (line.size() + item.size() > kColumns) {
          add_line(line);
          line = std::string(kLabel, ' ');
        }
        line += item;
      }
      s = end;
    }
    add_line(line);
  }

  static std::string label(Rank r) { return absl::StrFormat("  rank %-2d", r); }

  void add_line(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&out_, line, "\n");
  }

  std::string in_buffers(int64_t elements) const {
    return absl::StrFormat(" = %.6g M",
                           static_cast<double>(elements) / static_cast<double>(request_.elements));
  }

  void totals() {
    int64_t count = 0, total = 0;
    std::vector<int64_t> sent(ranks());
    for (const std::vector<PlannedMessage>& round : states_.rounds) {
      for (const PlannedMessage& m : round) {
        ++count;
        if (!is_barrier()) sent[m.from] += m.range.count;
      }
    }
    for (int64_t elements : sent) total += elements;
    const int64_t busiest = *std::max_element(sent.begin(), sent.end());
    absl::StrAppend(&out_, "\nsent in all: ", plural(count, "message"));
    if (total > 0) {
      absl::StrAppend(&out_, ", ", plural(total, "element"), in_buffers(total), "; at most ",
                      plural(busiest, "element"), in_buffers(busiest), " by one rank");
    }
    out_ += "\n";
  }

  const PlanRequest& request_;
  const Executions& executions_;
  bool shows_values_;
  ScheduleStates states_;
  size_t cell_width_ = 0;  // of the widest cell of all rounds, so that columns stand still
  std::string out_;
};

}  // namespace

ScheduleText print_schedule(const PlanRequest& request, const std::vector<double>& values) {
  if (request.ranks > kScheduleRanksMax) {
    return {"", absl::StrCat("a schedule is printed for up to ", kScheduleRanksMax, " ranks, not ",
                             request.ranks)};
  }
  ExecutionsResult made = make_executions(request);
  if (!made.error.empty()) return {"", std::move(made.error)};
  if (!values.empty() && request.algorithm->collective == Collective::kBarrier) {
    return {"", "a barrier has no values"};
  }
  if (!values.empty() && values.size() != request.ranks) {
    return {"", absl::StrCat(plural(static_cast<int64_t>(values.size()), "value"), " for ",
                             plural(request.ranks, "rank"), "; give one a rank")};
  }
  return {Printer(request, made.executions, values).text(), ""};
}

std::string list_algorithms() {
  std::string text;
  for (const Algorithm* row : algorithms()) {
    absl::StrAppendFormat(&text, "%-15s %-19s %s\n", name_of(row->collective), row->name, row->summary);
  }
  return text;
}

}  // namespace brigade
