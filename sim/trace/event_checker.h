// The rules of check_trace.h, applied to one event after the other while a file is parsed.
#pragma once
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/trace/check_trace.h"

namespace brigade {

class EventChecker {
 public:
  using Json = nlohmann::json;

  void event(const Json& e);
  // Of the file as a whole.
  void file_violation(const std::string& what) { check_.violations.push_back(what); }
  // After the last event, once: what only the whole file shows.
  TraceCheck finish();

 private:
  struct Interval {
    int64_t begin_ns, end_ns;
    double seen_end_us = 0;  // ts + dur, added as viewers do
  };

  struct Thread {
    std::optional<std::string> name;
    bool used = false;
    int64_t last_begin_ns = 0;
    std::vector<Interval> open;
    std::vector<Interval> outermost;  // in order of begin
  };

  struct Process {
    std::optional<std::string> name;
    bool used = false;
    std::map<int64_t, Thread> threads;
  };

  struct FlowEnd {
    int64_t pid, tid, at_ns;
    std::string where;
  };
  struct Flow {
    std::string identity;  // name and category
    std::vector<FlowEnd> starts, finishes;
  };

  void violation(const std::string& what);
  void metadata(const Json& e, int64_t pid);
  void name(const Json& e, std::optional<std::string>& named);
  void slice(const Json& e, int64_t pid);
  void flow(const Json& e, int64_t pid, bool starts);
  void counter(const Json& e, int64_t pid);
  void args(const Json& e);
  std::optional<int64_t> identifier(const Json& e, const char* key);
  std::optional<int64_t> time_ns(const Json& e, const char* key);
  std::string text(const Json& e, const char* key);
  void finish_flow(int64_t id, const Flow& flow);
  bool inside_slice(const FlowEnd& end);

  TraceCheck check_;
  std::string where_;
  int64_t index_ = 0;
  std::map<int64_t, Process> processes_;
  std::map<int64_t, Flow> flows_;
  std::map<std::string, int64_t> counter_at_ns_;
};

}  // namespace brigade
