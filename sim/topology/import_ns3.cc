// ns-3's "nodes switches links" text (HPCC, ASTRA-sim's ns-3 back end; also SimAI's six numbers in the first
// line) to a cluster of one-GPU nodes. Covered by tests/scenario/imports_others.cc.
//
//   9 1 8                          nodes in all, switches among them, links
//   8                              the switches
//   8 0 400Gbps 0.0005ms 0         two ends, rate, delay, error rate
//
// SimAI: nodes, GPUs a server, NVLink switches, switches, links, GPU type; then both kinds of switches.
// Left out: error rates.
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "sim/topology/imported.h"

namespace brigade {
namespace {

constexpr int kNodesMax = 50'000;  // more could not be written out one by one

struct Word {
  std::string_view text;
  size_t byte = 0;
};

// A number and what follows it: "400Gbps".
bool split_number(std::string_view text, double& number, std::string_view& unit) {
  const size_t end = std::min(text.find_first_not_of("0123456789.+-"), text.size());
  unit = text.substr(end);
  return absl::SimpleAtod(absl::string_view(text.data(), end), &number) && number >= 0;
}

// ns-3's DataRate: bits or bytes, powers of 1000 or 1024.
std::optional<Bandwidth> data_rate(std::string_view text) {
  double number = 0;
  std::string_view unit;
  if (!split_number(text, number, unit)) return std::nullopt;
  constexpr std::array<std::pair<std::string_view, double>, 8> kPrefixes{{{"Ki", 1024.0},
                                                                          {"Mi", 1048576.0},
                                                                          {"Gi", 1073741824.0},
                                                                          {"k", 1e3},
                                                                          {"K", 1e3},
                                                                          {"M", 1e6},
                                                                          {"G", 1e9},
                                                                          {"T", 1e12}}};
  for (const auto& [prefix, factor] : kPrefixes) {
    if (!unit.starts_with(prefix)) continue;
    number *= factor;
    unit.remove_prefix(prefix.size());
    break;
  }
  const bool bytes = unit == "Bps" || unit == "B/s";
  if (!bytes && unit != "bps" && unit != "b/s") return std::nullopt;
  return bits_per_second(bytes ? 8 * number : number);
}

// ns-3's Time: a bare number is seconds.
std::optional<Duration> delay(std::string_view text) {
  double number = 0;
  std::string_view unit;
  if (!split_number(text, number, unit)) return std::nullopt;
  static const std::map<std::string_view, double> kPicoseconds{
      {"", 1e12}, {"s", 1e12}, {"ms", 1e9}, {"us", 1e6}, {"ns", 1e3}, {"ps", 1}, {"fs", 1e-3}};
  const auto factor = kPicoseconds.find(unit);
  if (factor == kPicoseconds.end()) return std::nullopt;
  const double ps = number * factor->second;
  if (ps > 1e15) return std::nullopt;
  return Duration{std::llround(ps)};
}

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  for (size_t i = 0; i < text.size();) {
    const size_t begin = text.find_first_not_of(" \t\r\n", i);
    if (begin == std::string_view::npos) break;
    i = std::min(text.find_first_of(" \t\r\n", begin), text.size());
    words.push_back({text.substr(begin, i - begin), begin});
  }
  return words;
}

// Words of the first line that has any.
size_t first_line_words(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  return words_of(text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin)).size();
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class Reader {
 public:
  Reader(const ImportSource& source, Imported& out, Diagnostics& errors)
      : source_(source), words_(words_of(source.text())), out_(out), errors_(errors) {}

  void read() {
    const bool simai = first_line_words(source_.text()) == 6;
    int gpus = 1, nvswitches = 0;
    bool ok = number(nodes_, "nodes");
    if (simai) ok = ok && number(gpus, "GPUs a server") && number(nvswitches, "NVLink switches");
    int switches = 0, links = 0;
    ok = ok && number(switches, "switches") && number(links, "links");
    if (simai) ++at_;  // the type of GPU
    ok = ok && read_switches(nvswitches, "nvswitch") && read_switches(switches, "switch");
    if (!ok || !name_hosts(std::max(1, gpus))) return;
    for (int i = 0; i < links; ++i) {
      if (!read_link(i, links)) return;
    }
    if (at_ < words_.size()) {
      out_.assume(absl::StrCat("what follows the ", links,
                               " links that the first line counts is left out, from line ", place().line,
                               " on"));
    }
  }

 private:
  Place place() const { return source_.at(at_ < words_.size() ? words_[at_].byte : source_.text().size()); }

  bool number(int& out, const std::string& what) {
    const std::string_view text = at_ < words_.size() ? words_[at_].text : "";
    const bool ok = is_number(text) && absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &out) &&
                    out <= kNodesMax;
    if (ok) {
      ++at_;
    } else {
      errors_.error(place(), text.empty()
                                 ? absl::StrCat("the file ends where a number of ", what, " is expected")
                                 : absl::StrCat("expected a number of ", what, " up to ", kNodesMax,
                                                ", found \"", plain_text(text), "\""));
    }
    return ok;
  }

  bool read_id(int& id, const std::string& what) {
    const Place here = place();
    if (!number(id, what)) return false;
    if (id < nodes_) return true;
    errors_.error(here,
                  absl::StrCat(what, " ", id, " is out of range; the first line counts ", nodes_, " nodes"));
    return false;
  }

  bool read_switches(int count, const char* kind) {
    for (int i = 0; i < count; ++i) {
      int id = 0;
      const Place here = place();
      if (!read_id(id, "switch")) return false;
      if (!names_.emplace(id, absl::StrCat(kind, "[", i, "]")).second) {
        errors_.error(here, absl::StrCat("switch ", id, " is listed twice"));
        return false;
      }
      switches_.push_back({absl::StrCat(kind, "[", i, "]"), kind, {}, false, here});
    }
    return true;
  }

  // Who is no switch is a host.
  bool name_hosts(int gpus) {
    int host = 0;
    for (int id = 0; id < nodes_; ++id) {
      const std::string name = absl::StrCat("node[", host / gpus, "].gpu[", host % gpus, "]");
      if (!names_.emplace(id, name).second) continue;
      out_.vertex(name, "gpu", source_.line(1));
      ++host;
    }
    if (host == 0) {
      errors_.error(source_.line(1), "all nodes are switches: there is no host");
      return false;
    }
    for (VertexSpec& v : switches_) out_.vertices.push_back(std::move(v));
    out_.assume(absl::StrCat("each host is a GPU, ", gpus,
                             " a node, in the order of their numbers; switches in "
                             "the order of their list"));
    return true;
  }

  bool read_link(int index, int links) {
    if (at_ == words_.size()) {
      errors_.error(place(), absl::StrCat("the first line counts ", links, " links; the file holds ", index));
      return false;
    }
    int a = 0, b = 0;
    ImportedCable cable;
    cable.cable.at = place();
    if (!read_id(a, "node") || !read_id(b, "node")) return false;
    const std::optional<Bandwidth> rate = at_ < words_.size() ? data_rate(words_[at_].text) : std::nullopt;
    if (!rate) return refuse("a rate such as 400Gbps");
    ++at_;
    const std::optional<Duration> latency = at_ < words_.size() ? delay(words_[at_].text) : std::nullopt;
    if (!latency) return refuse("a delay such as 0.0005ms");
    ++at_;
    double error_rate = 0;
    std::string_view rest;
    if (at_ == words_.size() || !split_number(words_[at_].text, error_rate, rest) || !rest.empty()) {
      return refuse("an error rate such as 0");
    }
    ++at_;
    if (error_rate > 0) out_.assume("error rates are left out: links lose nothing");
    cable.a = names_.at(a);
    cable.b = names_.at(b);
    cable.cable.bandwidth = *rate;
    cable.cable.latency = *latency;
    out_.cables.push_back(std::move(cable));
    return true;
  }

  bool refuse(const std::string& expected) {
    errors_.error(
        place(), at_ == words_.size()
                     ? absl::StrCat("the file ends where ", expected, " is expected")
                     : absl::StrCat("expected ", expected, ", found \"", plain_text(words_[at_].text), "\""));
    return false;
  }

  const ImportSource& source_;
  std::vector<Word> words_;
  size_t at_ = 0;
  Imported& out_;
  Diagnostics& errors_;
  int nodes_ = 0;
  std::map<int, std::string> names_;
  std::vector<VertexSpec> switches_;
};

// Three numbers in the first line, or SimAI's five and a word.
bool is_ns3(std::string_view text) {
  const size_t words = first_line_words(text);
  const std::vector<Word> first = words_of(text.substr(0, 512));
  if ((words != 3 && words != 6) || first.size() < words) return false;
  for (size_t i = 0; i < (words == 3 ? 3 : 5); ++i) {
    if (!is_number(first[i].text)) return false;
  }
  return true;
}

}  // namespace

const Importer kNs3Importer{"ns-3 text of nodes, switches and links", is_ns3,
                            [](const ImportSource& source, Imported& out, Diagnostics& errors) {
                              Reader(source, out, errors).read();
                            }};

}  // namespace brigade
