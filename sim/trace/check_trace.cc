#include "sim/trace/check_trace.h"

#include <zlib.h>

#include "absl/strings/str_cat.h"
#include "sim/trace/event_checker.h"

namespace brigade {

TraceCheck check_trace_text(const std::string& json) {
  using Json = EventChecker::Json;
  EventChecker checker;
  std::string key;  // at the top level
  bool has_events = false;
  // Events are checked and dropped while the file is parsed, so that a big one is never a big document.
  const auto on_event = [&](int depth, Json::parse_event_t parsed, Json& value) {
    if (depth == 1 && parsed == Json::parse_event_t::key) {
      key = value.get<std::string>();
      has_events = has_events || key == "traceEvents";
    }
    const bool complete = parsed == Json::parse_event_t::object_end || parsed == Json::parse_event_t::value;
    if (depth != 2 || key != "traceEvents" || !complete) return true;
    checker.event(value);
    return false;
  };
  try {
    const Json root = Json::parse(json, on_event);
    if (!root.is_object() || !has_events || root["traceEvents"] != Json::array()) {
      checker.file_violation("no object with an array traceEvents that holds only events");
    }
  } catch (const Json::exception& e) {
    checker.file_violation(absl::StrCat("not JSON: ", e.what()));
  }
  return checker.finish();
}

TraceCheck check_trace_file(const std::string& path) {
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return {{absl::StrCat("cannot read ", path)}, {}};
  std::string json;
  std::vector<char> buffer(1 << 20);
  int got = 0;
  while ((got = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0) {
    json.append(buffer.data(), static_cast<size_t>(got));
  }
  const bool closed = gzclose(file) == Z_OK;  // not so where the file ends too early
  if (got < 0 || !closed) return {{absl::StrCat("cannot read ", path, " to its end")}, {}};
  return check_trace_text(json);
}

}  // namespace brigade
