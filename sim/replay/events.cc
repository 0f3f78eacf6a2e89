#include "sim/replay/events.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "sim/base/random.h"
#include "sim/replay/event_tokens.h"
#include "sim/replay/json_pieces.h"
#include "sim/replay/json_tokens.h"
#include "sim/replay/trace_file.h"

namespace brigade {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
static_assert(kTracePadding >= simdjson::SIMDJSON_PADDING);
constexpr size_t kPieceBytes = 1 << 18;

class Reader {
 public:
  Reader(const TraceText& trace, Diagnostics& errors)
      : text_(trace.text), is_plain_(trace.is_plain), errors_(errors) {
    out_.file = trace.name;
  }

  TraceEvents read() {
    const size_t first = text_.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
      fail(0, "is empty");
      return std::move(out_);
    }
    if (text_[first] != '{' && text_[first] != '[') {
      fail(first, "is no JSON; expected a PyTorch (Kineto) trace");
      return std::move(out_);
    }
    take_hash();
    if (text_.size() <= kPieceBytes || !read_pieces()) read_whole();
    return std::move(out_);
  }

 private:
  void read_whole() {
    ondemand::parser parser(kTraceBytesMax + kTracePadding);
    ondemand::document document;
    if (const error_code error =
            parser.iterate(text_.data(), text_.size(), text_.size() + kTracePadding).get(document))
      return refuse(error, nullptr);
    const error_code error = read_document(document);
    if (error && !said_) refuse(error, &document);
    if (!error && !said_ && !has_events_) fail(text_.find_first_not_of(" \t\r\n"), no_events());
  }

  // Without the memory that simdjson's index of the whole takes. False, and nothing is kept, where anything
  // is not as it should be: then the whole is read for what to say of it.
  bool read_pieces() {
    const std::optional<JsonPieces> cut = cut_trace(text_, kPieceBytes);
    if (!cut) return false;
    const TraceEvents empty = out_;
    out_.events.reserve(std::min(cut->elements, text_.size() / sizeof(TraceEvent)));
    in_pieces_ = true;
    ondemand::parser parser(kTraceBytesMax + kTracePadding);
    std::string padded;
    const auto read_one = [&](std::string_view before, std::string_view text, std::string_view after) {
      padded.assign(before).append(text).append(after);
      const size_t size = padded.size();
      padded.resize(size + kTracePadding);
      ondemand::document document;
      return parser.iterate(padded.data(), size, padded.size()).get(document) == error_code::SUCCESS &&
             read_document(document) == error_code::SUCCESS && !said_;
    };
    bool sound = read_one("", cut->outline, "") && has_events_;
    for (const auto& [begin, end] : cut->pieces)
      sound = sound && read_one("[", text_.substr(begin, end - begin), "]");
    in_pieces_ = false;
    if (sound) return true;
    out_ = empty;
    names_.clear();
    threads_.clear();
    has_events_ = is_chakra_ = said_ = false;
    return false;
  }

  error_code read_document(ondemand::document& document) {
    ondemand::json_type type{};
    if (const error_code error = document.type().get(type)) return error;
    const error_code error = type == ondemand::json_type::array ? read_events(document) : read_top(document);
    // At the end there is no location.
    if (!error && !said_ && document.current_location().error() == error_code::SUCCESS)
      return error_code::TRAILING_CONTENT;
    return error;
  }

  error_code read_top(ondemand::document& document) {
    ondemand::object top;
    if (const error_code error = document.get_object().get(top)) return error;
    for (auto item : top) {
      ondemand::field field;
      if (const error_code error = std::move(item).get(field)) return error;
      const ondemand::raw_json_string key = field.key();
      error_code error = error_code::SUCCESS;
      if (key.unsafe_is_equal("traceEvents")) {
        error = read_events(field.value());
      } else if (key.unsafe_is_equal("distributedInfo")) {
        error = read_distributed(field.value());
      } else if (key.unsafe_is_equal("baseTimeNanoseconds")) {
        std::string_view token;
        error = take_token(field.value(), token);
        out_.base_ns = whole_of(token).value_or(0);
      } else if (key.unsafe_is_equal("deviceProperties")) {
        error = read_devices(field.value());
      } else {
        is_chakra_ |= key.unsafe_is_equal("nodes");
      }
      if (error) return error;
    }
    return error_code::SUCCESS;
  }

  std::string no_events() const {
    if (is_chakra_)
      return "is an execution trace (nodes, no times); expected a PyTorch profiler trace (Kineto), with "
             "traceEvents";
    return "has no traceEvents; expected a PyTorch profiler trace (Kineto)";
  }

  // A scalar as its token, an array or object as its text.
  static error_code take_token(ondemand::value value, std::string_view& out) {
    ondemand::json_type type{};
    if (const error_code error = value.type().get(type)) return error;
    if (type == ondemand::json_type::array) {
      ondemand::array array;
      if (const error_code error = value.get_array().get(array)) return error;
      return array.raw_json().get(out);
    }
    if (type == ondemand::json_type::object) {
      ondemand::object object;
      if (const error_code error = value.get_object().get(object)) return error;
      return object.raw_json().get(out);
    }
    out = value.raw_json_token();
    return error_code::SUCCESS;
  }

  template <size_t kKeys>
  static error_code take_keys(ondemand::object object, const KnownKey (&known)[kKeys], Tokens& out,
                              bool has_args) {
    for (auto item : object) {
      ondemand::field field;
      if (const error_code error = std::move(item).get(field)) return error;
      const ondemand::raw_json_string key = field.key();
      error_code error = error_code::SUCCESS;
      if (has_args && key.unsafe_is_equal("args")) {
        ondemand::object args;
        if (field.value().get_object().get(args) == error_code::SUCCESS)
          error = take_keys(args, kArgKeys, out, false);
      } else {
        for (const KnownKey& k : known)
          if (key.unsafe_is_equal(k.key)) {
            error = take_token(field.value(), out.*k.token);
            break;
          }
      }
      if (error) return error;
    }
    return error_code::SUCCESS;
  }

  template <class Value>
  error_code read_events(Value&& value) {
    ondemand::array events;
    if (const error_code error = value.get_array().get(events)) return error;
    has_events_ = true;
    for (auto item : events) {
      ondemand::object event;
      if (const error_code error = std::move(item).get_object().get(event)) return error;
      Tokens tokens;
      if (const error_code error = take_keys(event, kEventKeys, tokens, true)) return error;
      if (!add(tokens)) return error_code::SUCCESS;
    }
    return error_code::SUCCESS;
  }

  // False: the event is broken, and no further one is looked at.
  bool add(const Tokens& t) {
    const std::string_view ph = unquoted(t.ph), cat = unquoted(t.cat);
    if (ph != "X") {
      ++out_.ignored[what_is(ph, cat)];
      return true;
    }
    const std::optional<EventKind> kind = event_kind_of(cat);
    if (!kind) {
      ++out_.ignored[absl::StrCat(words(cat), " events")];
      return true;
    }
    const std::optional<int64_t> begin = nanoseconds_of(t.ts), duration = nanoseconds_of(t.dur);
    if (!begin || !duration || *duration < 0 || *begin > INT64_MAX - *duration || t.name.empty()) {
      const std::string_view any = t.name.empty() ? t.ph : t.name;
      fail(static_cast<size_t>(any.data() - text_.data()),
           absl::StrCat("an event without ", t.name.empty() ? "a name"
                                             : begin        ? "a sound dur"
                                                            : "a sound ts"));
      return false;
    }
    TraceEvent e;
    e.begin_ns = *begin;
    e.duration_ns = *duration;
    e.kind = *kind;
    e.correlation = whole_of(t.correlation).value_or(-1);
    const std::string_view name = unquoted(t.name);
    e.name = intern(name, names_, out_.names);
    if (*kind == EventKind::kTask || *kind == EventKind::kSync) {
      const std::optional<int64_t> stream = whole_of(t.stream.empty() ? t.tid : t.stream);
      if (stream && *stream >= 0 && *stream < INT32_MAX) e.stream = static_cast<int32_t>(*stream);
      const std::optional<int64_t> device = whole_of(t.device.empty() ? t.pid : t.device);
      if (device && *device >= 0 && *device < INT32_MAX) e.device = static_cast<int32_t>(*device);
    } else {
      key_ = absl::StrCat(words(unquoted(t.pid)), " ", words(unquoted(t.tid)));
      e.thread = intern(key_, threads_, out_.threads);
    }
    add_detail(t, name, e);
    out_.events.push_back(e);
    return true;
  }

  static std::string what_is(std::string_view ph, std::string_view cat) {
    const std::string kind = cat.empty() ? "" : words(cat) + " ";
    if (ph == "M") return "names of processes and threads";
    if (ph == "s" || ph == "t" || ph == "f") return kind + "arrows' ends";
    if (ph == "i" || ph == "I" || ph == "R") return kind + "instants";
    if (ph == "C") return kind + "counters";
    return absl::StrCat(kind, "events of phase ", words(ph));
  }

  void add_detail(const Tokens& t, std::string_view name, TraceEvent& e) {
    const bool communicates = name.starts_with("nccl:") || name.starts_with("c10d::") ||
                              name.find("record_param_comms") != std::string_view::npos;
    const bool has_dims = communicates && !t.dims.empty();
    if (t.collective.empty() && !has_dims && e.kind != EventKind::kSync) return;
    TraceDetail d;
    const auto whole = [](std::string_view token) { return whole_of(token).value_or(-1); };
    d.collective = unquoted(t.collective);
    d.dtype = unquoted(t.dtype);
    d.in_elements = whole(t.in_elements);
    d.out_elements = whole(t.out_elements);
    d.group_size = whole(t.group_size);
    d.rank_start = whole(t.rank_start);
    d.rank_stride = whole(t.rank_stride);
    d.group_name = unquoted(t.group_name);
    d.group_ranks = numbers_in(unquoted(t.group_ranks));
    d.in_split = numbers_in(unquoted(t.in_split));
    d.out_split = numbers_in(unquoted(t.out_split));
    if (has_dims) {
      d.input_elements = elements_in(t.dims);
      d.input_types = strings_in(t.types);
    }
    d.wait_on_stream = whole(t.wait_on_stream);
    d.wait_on_record = whole(t.wait_on_record);
    e.detail = static_cast<int32_t>(out_.details.size());
    out_.details.push_back(std::move(d));
  }

  // What is wrong here is only missed: ranks are then what the collectives say.
  error_code read_distributed(ondemand::value value) {
    ondemand::object info;
    if (value.get_object().get(info)) return error_code::SUCCESS;
    for (auto item : info) {
      ondemand::field field;
      if (const error_code error = std::move(item).get(field)) return error;
      const ondemand::raw_json_string key = field.key();
      std::string_view token;
      const bool is_rank = key.unsafe_is_equal("rank"), is_size = key.unsafe_is_equal("world_size");
      const bool is_groups = key.unsafe_is_equal("pg_config");
      if (!is_rank && !is_size && !is_groups) continue;
      if (const error_code error = take_token(field.value(), token)) return error;
      if (is_rank) out_.rank = whole_of(token).value_or(-1);
      if (is_size) out_.world_size = whole_of(token).value_or(-1);
      if (is_groups) take_groups(token);
    }
    return error_code::SUCCESS;
  }

  // [{"pg_name": "0", ..., "ranks": [0, 1]}, ...]: flat enough to be found in its text.
  void take_groups(std::string_view text) {
    for (size_t at = text.find("\"pg_name\""); at != std::string_view::npos;) {
      const size_t next = text.find("\"pg_name\"", at + 1);
      const std::string_view one = text.substr(at, next == std::string_view::npos ? next : next - at);
      const size_t name = one.find('"', std::min(one.find(':'), one.size()));
      const size_t name_end = name == std::string_view::npos ? name : one.find('"', name + 1);
      const size_t ranks = one.find("\"ranks\"");
      if (name_end != std::string_view::npos && ranks != std::string_view::npos) {
        const size_t open = one.find('[', ranks), close = one.find(']', ranks);
        if (open < close && close != std::string_view::npos)
          out_.groups.push_back({std::string(one.substr(name + 1, name_end - name - 1)),
                                 numbers_in(one.substr(open, close - open + 1))});
      }
      at = next;
    }
  }

  error_code read_devices(ondemand::value value) {
    std::string_view text;
    if (const error_code error = take_token(value, text)) return error;
    const size_t key = text.find("\"name\"");
    if (key == std::string_view::npos) return error_code::SUCCESS;
    const size_t open = text.find('"', text.find(':', key)), close = text.find('"', open + 1);
    if (open < close && close != std::string_view::npos)
      out_.device = words(text.substr(open + 1, close - open - 1));
    return error_code::SUCCESS;
  }

  // Text of the file as part of a message: short, of printable characters.
  static std::string words(std::string_view text) {
    constexpr size_t kMax = 60;
    std::string out(text.substr(0, kMax));
    for (char& c : out)
      if (static_cast<unsigned char>(c) < ' ') c = ' ';
    return out.empty() ? "nameless" : out;
  }

  using Ids = absl::flat_hash_map<std::string, uint32_t>;
  static uint32_t intern(std::string_view text, Ids& ids, std::vector<std::string>& texts) {
    const absl::string_view key(text.data(), text.size());
    if (const auto it = ids.find(key); it != ids.end()) return it->second;
    ids.emplace(std::string(text), static_cast<uint32_t>(texts.size()));
    texts.emplace_back(text);
    return static_cast<uint32_t>(texts.size() - 1);
  }

  void take_hash() {
    uint64_t state = text_.size();
    for (size_t at = 0; at < text_.size(); at += 8) {
      uint64_t piece = 0;
      std::memcpy(&piece, text_.data() + at, std::min<size_t>(8, text_.size() - at));
      state = mix(state ^ piece);
    }
    out_.hash = state;
  }

  // Offset 0 is the file as a whole. Lines of what was unpacked cannot be shown.
  void fail(size_t offset, std::string what) {
    said_ = true;
    if (in_pieces_) return;
    if (offset == 0) return errors_.error({out_.file, 0, 0}, std::move(what));
    const std::string_view before = text_.substr(0, std::min(offset, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const size_t start = before.rfind('\n');
    const size_t column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
    constexpr size_t kColumnsMax = 1000;  // all may stand on one line
    if (is_plain_ && column < kColumnsMax)
      return errors_.error({out_.file, static_cast<int>(line), static_cast<int>(column)}, std::move(what));
    errors_.error({out_.file, 0, 0}, absl::StrCat(what, " (byte ", offset, " of its text)"));
  }

  void refuse(error_code error, ondemand::document* document) {
    size_t offset = text_.size();
    if (document != nullptr) {
      const char* at = nullptr;
      if (document->current_location().get(at) == error_code::SUCCESS && at >= text_.data())
        offset = std::min(static_cast<size_t>(at - text_.data()), text_.size());
    }
    const size_t last = text_.find_last_not_of(" \t\r\n");
    const bool unclosed =
        error == error_code::UNCLOSED_STRING || error == error_code::INCOMPLETE_ARRAY_OR_OBJECT;
    const char end = text_[last];
    if (unclosed || (end != '}' && end != ']'))
      return fail(text_.size(), "is cut short: the JSON does not end");
    if (error == error_code::TRAILING_CONTENT)
      return fail(offset, "is no sound JSON: more follows behind its end");
    if (error == error_code::CAPACITY)
      return fail(0, absl::StrCat("is larger than ", kTraceBytesMax, " bytes"));
    fail(offset == text_.size() ? 0 : offset,
         absl::StrCat("is no sound JSON: ", simdjson::error_message(error)));
  }

  std::string_view text_;
  bool is_plain_;
  Diagnostics& errors_;
  TraceEvents out_;
  Ids names_, threads_;
  std::string key_;
  bool has_events_ = false, is_chakra_ = false, said_ = false, in_pieces_ = false;
};

}  // namespace

TraceEvents read_events(const TraceText& trace, Diagnostics& errors) { return Reader(trace, errors).read(); }

}  // namespace brigade
