#include "sim/trace/chrome_trace.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "sim/trace/json_text.h"

namespace brigade {
namespace {

using json_text::append_integer;
using json_text::append_number;
using json_text::append_string;
using json_text::append_us;

class Writer {
 public:
  Writer(const Recorder& recorder, const Timeline& timeline, OutputFile& file)
      : recorder_(recorder), timeline_(timeline), file_(file) {}

  void write(const ChromeTraceHeader& header) {
    line_ = "{\"schema\":\"brigade.chrome_trace\",\"schema_version\":1,\"name\":";
    append_string(line_, header.name);
    line_ += ",\"seed\":";
    append_integer(line_, header.seed);
    line_ += ",\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    file_.write(line_);
    metadata();
    for (TrackId track = 0; track < recorder_.tracks().size(); ++track) slices(track);
    arrows();
    counters();
    file_.write("\n]}\n");
  }

 private:
  // Every event begins with these; `thread` is left out where it is 0.
  void begin_event(char phase, uint32_t pid, uint32_t tid) {
    line_ = first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
    first_ = false;
    line_ += phase;
    line_ += "\",\"pid\":";
    append_integer(line_, pid);
    if (tid == 0) return;
    line_ += ",\"tid\":";
    append_integer(line_, tid);
  }
  void end_event() {
    line_ += '}';
    file_.write(line_);
  }
  void begin_event(char phase, TrackId id) {
    const auto& track = recorder_.tracks()[id];
    begin_event(phase, track.process + 1, track.index + 1);
  }
  void field(std::string_view key, NameId value) {
    line_ += ",\"";
    line_ += key;
    line_ += "\":";
    append_string(line_, recorder_.text(value));
  }
  void timestamp(int64_t ns) {
    line_ += ",\"ts\":";
    append_us(line_, ns);
  }

  void metadata();
  void name_event(std::string_view key, uint32_t pid, uint32_t tid, std::string_view name);
  void sort_event(std::string_view key, uint32_t pid, uint32_t tid, uint32_t index);
  void slices(TrackId track);
  void args(const Recorder::Slice& slice);
  void arrows();
  void arrow_end(char phase, TrackId track, NameId name, uint64_t id, int64_t ns);
  void counters();

  const Recorder& recorder_;
  const Timeline& timeline_;
  OutputFile& file_;
  std::string line_;
  bool first_ = true;
};

void Writer::name_event(std::string_view key, uint32_t pid, uint32_t tid, std::string_view name) {
  begin_event('M', pid, tid);
  line_ += ",\"name\":\"";
  line_ += key;
  line_ += "\",\"args\":{\"name\":";
  append_string(line_, name);
  line_ += '}';
  end_event();
}

void Writer::sort_event(std::string_view key, uint32_t pid, uint32_t tid, uint32_t index) {
  begin_event('M', pid, tid);
  line_ += ",\"name\":\"";
  line_ += key;
  line_ += "\",\"args\":{\"sort_index\":";
  append_integer(line_, index);
  line_ += '}';
  end_event();
}

void Writer::metadata() {
  std::vector<bool> used(recorder_.processes().size());
  for (const auto& slice : recorder_.slices()) used[recorder_.tracks()[slice.track].process] = true;
  for (const auto& counter : recorder_.counters()) used[counter.process] = true;
  for (ProcessId id = 0; id < used.size(); ++id) {
    if (!used[id]) continue;
    name_event("process_name", id + 1, 0, recorder_.processes()[id].name);
    sort_event("process_sort_index", id + 1, 0, id);
  }
  for (TrackId id = 0; id < recorder_.tracks().size(); ++id) {
    if (timeline_.slices(id).empty()) continue;
    const auto& track = recorder_.tracks()[id];
    name_event("thread_name", track.process + 1, track.index + 1, track.name);
    sort_event("thread_sort_index", track.process + 1, track.index + 1, track.index);
  }
}

// Viewers subtract and add ts and dur as doubles, where 25014.167 + 521.129 is a little more than 25535.296:
// a slice that begins there would begin inside this one. So a slice that touches the next, or ends with its
// parent, is written one nanosecond shorter: more than such sums can be wrong by.
void Writer::slices(TrackId track) {
  struct Open {
    int64_t end_ns, written_end_ns;
  };
  const auto& all = recorder_.slices();
  const auto order = timeline_.slices(track);
  std::vector<Open> open;
  for (const uint32_t index : order) {
    const auto& slice = all[index];
    const int64_t begin_ns = round_to_ns(slice.begin), end_ns = round_to_ns(slice.end);
    while (!open.empty() && open.back().end_ns <= begin_ns) open.pop_back();
    const auto begins_before = [&](uint32_t i) { return round_to_ns(all[i].begin) < end_ns; };
    const auto next = std::partition_point(order.begin(), order.end(), begins_before);
    const bool touches = next != order.end() && round_to_ns(all[*next].begin) == end_ns;
    int64_t written_end_ns = end_ns - touches;
    if (!open.empty()) written_end_ns = std::min(written_end_ns, open.back().written_end_ns - 1);
    const int64_t dur_ns = std::max<int64_t>(0, written_end_ns - begin_ns);
    open.push_back({end_ns, written_end_ns});
    begin_event('X', track);
    timestamp(begin_ns);
    line_ += ",\"dur\":";
    append_us(line_, dur_ns);
    field("name", slice.name);
    field("cat", slice.category);
    if (slice.args_count != 0) args(slice);
    end_event();
  }
}

void Writer::args(const Recorder::Slice& slice) {
  line_ += ",\"args\":{";
  for (uint32_t i = 0; i < slice.args_count; ++i) {
    const auto& arg = recorder_.args()[slice.args_first + i];
    if (i != 0) line_ += ',';
    append_string(line_, recorder_.text(arg.key));
    line_ += ':';
    if (arg.text == kNone) {
      append_number(line_, arg.number);
    } else {
      append_string(line_, recorder_.text(arg.text));
    }
  }
  line_ += '}';
}

void Writer::arrows() {
  uint64_t id = 0;
  for (const auto& arrow : timeline_.arrows()) {
    const auto& flow = recorder_.flows()[arrow.flow];
    ++id;
    arrow_end('s', flow.from, flow.name, id, arrow.from_ns);
    arrow_end('f', flow.to, flow.name, id, arrow.to_ns);
  }
}

void Writer::arrow_end(char phase, TrackId track, NameId name, uint64_t id, int64_t ns) {
  begin_event(phase, track);
  timestamp(ns);
  field("name", name);
  line_ += ",\"cat\":\"flow\",\"id\":";
  append_integer(line_, id);
  if (phase == 'f') line_ += ",\"bp\":\"e\"";  // binds to the slice around it, not to the next one
  end_event();
}

void Writer::counters() {
  for (const auto& counter : recorder_.counters()) {
    begin_event('C', counter.process + 1, 0);
    timestamp(round_to_ns(counter.at));
    field("name", counter.name);
    line_ += ",\"args\":{";
    append_string(line_, recorder_.text(counter.key));
    line_ += ':';
    append_number(line_, counter.value);
    line_ += '}';
    end_event();
  }
}

}  // namespace

IoError write_chrome_trace(const Recorder& recorder, const Timeline& timeline,
                           const ChromeTraceHeader& header, const std::string& path) {
  OutputFile file(path);
  Writer(recorder, timeline, file).write(header);
  return file.close();
}

IoError write_chrome_trace(const Recorder& recorder, const ChromeTraceHeader& header,
                           const std::string& path) {
  return write_chrome_trace(recorder, Timeline(recorder), header, path);
}

}  // namespace brigade
