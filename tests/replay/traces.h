// Traces written by tests: a timeline in microseconds, event by event, and its graph.
#pragma once
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sim/replay/dataflow.h"
#include "sim/replay/make_graph.h"
#include "sim/replay/replay_trace.h"
#include "tests/catch.h"
#include "tests/source_dir.h"

namespace brigade {

class WrittenTrace {
 public:
  WrittenTrace& event(const std::string& cat, const std::string& name, int64_t pid, int64_t tid, double ts,
                      double dur, const std::string& args = "") {
    events_.push_back(absl::StrCat(R"({"ph":"X","cat":")", cat, R"(","name":")", name, R"(","pid":)", pid,
                                   R"(,"tid":)", tid, R"(,"ts":)", ts, R"(,"dur":)", dur, R"(,"args":{)",
                                   args, "}}"));
    return *this;
  }
  WrittenTrace& step(int number, double begin, double end, int64_t tid = 1) {
    return event("user_annotation", absl::StrCat("ProfilerStep#", number), 100, tid, begin, end - begin);
  }
  WrittenTrace& op(const std::string& name, double begin, double end, int64_t tid = 1,
                   const std::string& args = "") {
    return event("cpu_op", name, 100, tid, begin, end - begin, args);
  }
  // Returns the correlation of the call.
  int call(const std::string& name, double begin, double end, int64_t tid = 1) {
    event("cuda_runtime", name, 100, tid, begin, end - begin,
          absl::StrCat(R"("correlation":)", ++correlation_));
    return correlation_;
  }
  // A launch of 5 us and what it launches.
  WrittenTrace& kernel(const std::string& name, double launch, int stream, double begin, double end,
                       int64_t tid = 1, const std::string& args = "") {
    const int c = call("cudaLaunchKernel", launch, launch + 5, tid);
    return event("kernel", name, 0, stream, begin, end - begin,
                 absl::StrCat(R"("device":0,"stream":)", stream, R"(,"correlation":)", c,
                              args.empty() ? "" : ",", args));
  }
  // An all-reduce of floats among ranks 0 and 1, on stream 20.
  WrittenTrace& all_reduce(int64_t elements, double launch, double begin, double end, int64_t tid = 1) {
    return kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", launch, 20,
                  begin, end, tid, comm_args("allreduce", elements, elements));
  }
  static std::string comm_args(const std::string& what, int64_t in, int64_t out,
                               const std::string& ranks = "[0, 1]", int64_t size = 2,
                               const std::string& dtype = "Float") {
    return absl::StrCat(R"("Collective name":")", what, R"(","In msg nelems":)", in, R"(,"Out msg nelems":)",
                        out, R"(,"Group size":)", size, R"(,"dtype":")", dtype,
                        R"(","Process Group Name":"0",)", R"("Process Group Ranks":")", ranks,
                        R"(","In split size":"[]","Out split size":"[]")");
  }
  std::string text(int64_t rank = 0, int64_t world = 2) const {
    return absl::StrCat(R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )", rank,
                        R"(, "world_size": )", world, "}, \"traceEvents\": [\n",
                        absl::StrJoin(events_, ",\n"), "\n]}");
  }
  std::vector<std::string>& events() { return events_; }

 private:
  std::vector<std::string> events_;
  int correlation_ = 0;
};

inline TraceEvents events_of(std::string text, Diagnostics& errors) {
  const size_t size = text.size();
  text.resize(size + kTracePadding);
  return read_events({"t.json", std::string_view(text).substr(0, size), true}, errors);
}
inline std::optional<ReplayGraph> graph_of(const std::string& text, Diagnostics& errors) {
  TraceEvents events = events_of(text, errors);
  return errors.ok() ? make_graph(std::move(events), errors) : std::nullopt;
}
inline ReplayGraph graph_of(const std::string& text) {
  Diagnostics errors;
  std::optional<ReplayGraph> graph = graph_of(text, errors);
  INFO(errors.text());
  REQUIRE(graph.has_value());
  return std::move(*graph);
}
inline ReplayGraph graph_of(const WrittenTrace& trace) { return graph_of(trace.text()); }

// Of the repository.
inline std::string file_text(const std::string& path) {
  std::ifstream in(source_dir() + "/" + path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}
inline ReplayGraph two_steps() { return graph_of(file_text("scenarios/traces/two_steps.json")); }

// Public traces, which stay outside of the repository. Nothing, and a word about it, where they are absent.
inline std::shared_ptr<const ReplayTrace> shared_trace(const std::string& name) {
  const std::string path = source_dir() + "/../shared/traces/" + name;
  if (!std::ifstream(path)) {
    WARN("skipped: there is no " << path);
    return nullptr;
  }
  Diagnostics errors;
  auto trace = load_replay({path}, {}, errors);
  INFO(errors.text());
  REQUIRE(trace != nullptr);
  return trace;
}

inline Duration traced_time(const ReplayGraph& graph, const ReplayCollective& c) {
  return graph.nodes[c.node].work;
}
// Steps, in us, with each collective as long as `time_of` says; kNever as -1.
inline std::vector<double> steps_us(const ReplayGraph& graph, const CollectiveTime& time_of) {
  std::vector<double> all;
  for (const StepTimes& step : step_times(replay_alone(graph, time_of))) all.push_back(in_us(step.time()));
  return all;
}
inline std::vector<double> steps_us(const ReplayGraph& graph) {
  return steps_us(graph, [&](const ReplayCollective& c) { return traced_time(graph, c); });
}
inline uint32_t node_named(const ReplayGraph& graph, const std::string& name, uint32_t step = 0) {
  for (uint32_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].kind != ReplayNode::Kind::kHost && graph.nodes[n].step == step &&
        graph.names[graph.nodes[n].name].find(name) != std::string::npos)
      return n;
  FAIL("no node " << name);
  return 0;
}

}  // namespace brigade
