// Covered by tests/scenario/imports_*.cc.
#include "sim/topology/imported.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/base/units.h"
#include "sim/topology/nccl_tree.h"

namespace brigade {
namespace {

struct LatencyRow {
  const char* parameter;
  Duration value;
  const char* why;
};

const LatencyRow& row_of(AssumedLatency which) {
  static const std::array<LatencyRow, 7> rows{{
      {"nvlink_latency", picoseconds(936'250),
       "GPU to NVLink switch; fitted on H100: astra-sim/astra-sim, inputs/network"},
      {"nvlink_latency", nanoseconds(1'900),
       "GPU to GPU; p2pBandwidthLatencyTest on V100: aistabci/abci2.0benchmark"},
      {"xgmi_latency", nanoseconds(1'900), "GPU to GPU; not verified: as of NVLink between two V100"},
      {"c2c_latency", nanoseconds(450), "GPU to its CPU; not verified: as of PCIe"},
      {"pcie_latency", nanoseconds(450),
       "a PCIe cable; with the ports 2.4 us from GPU to GPU, as on a DGX-1"},
      {"socket_latency", nanoseconds(450), "between CPUs; not verified: as of PCIe"},
      {"port_latency", nanoseconds(350), "NIC to network; not verified for this machine"},
  }};
  return rows[static_cast<size_t>(which)];
}

// `digits` over 10^decimals, without zeros at the end.
std::string decimal(int64_t digits, int decimals) {
  int64_t scale = 1;
  for (int i = 0; i < decimals; ++i) scale *= 10;
  std::string fraction = std::to_string(scale + digits % scale).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return absl::StrCat(digits / scale, fraction.empty() ? "" : ".", fraction);
}

std::string renamed(const std::string& name, int node) {
  constexpr std::string_view kNode0 = "node[0].";
  if (!name.starts_with(kNode0)) return name;
  return absl::StrCat("node[", node, "].", name.substr(kNode0.size()));
}

bool in_node(const std::string& name) { return name.starts_with("node["); }

}  // namespace

void Imported::vertex(std::string name, std::string kind, const Place& at, std::optional<std::string> model) {
  // A host is the root of its PCIe tree: it passes on what others send.
  const bool forward = kind == "host";
  vertices.push_back({std::move(name), std::move(kind), std::move(model), forward, at});
}

std::string Imported::parameter(const std::string& name, const std::string& value, const std::string& why) {
  for (int n = 1;; ++n) {
    const std::string candidate = n == 1 ? name : absl::StrCat(name, "_", n);
    const auto known = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const ImportParameter& p) { return p.name == candidate; });
    if (known != parameters.end() && known->value != value) continue;
    if (known == parameters.end()) parameters.push_back({candidate, value, why});
    return candidate;
  }
}

void Imported::assume(const std::string& sentence) {
  constexpr size_t kSentencesMax = 40;
  if (std::find(assumptions.begin(), assumptions.end(), sentence) != assumptions.end()) return;
  if (assumptions.size() > kSentencesMax) return;
  assumptions.push_back(assumptions.size() < kSentencesMax ? sentence
                                                           : "more of the same kind is not listed");
}

ClusterSpec spec_of(const Imported& imported, const std::string& name) {
  ClusterSpec spec;
  spec.name = name;
  spec.models = imported.models;
  spec.vertices = imported.vertices;
  if (!imported.vertices.empty()) spec.at = {imported.vertices.front().at.file, 0, 0};
  for (const ImportedCable& c : imported.cables) spec.cables.push_back({c.a, c.b, c.cable});
  return spec;
}

void add_nvlink_switches(Imported& imported, int links, const Place& at, Diagnostics& errors) {
  std::map<std::string, const VertexSpec*> by_name;
  for (const VertexSpec& v : imported.vertices) by_name.emplace(v.name, &v);
  const auto is = [&](const std::string& name, const char* kind) { return by_name.at(name)->kind == kind; };
  for (const ImportedCable& c : imported.cables) {
    const auto is_end = [&](const std::string& name) { return is(name, "gpu") || is(name, "nvswitch"); };
    if (is_end(c.a) && is_end(c.b))
      return errors.error(
          at, absl::StrCat("joins ", c.a, " and ", c.b, " already: --nvlinks is for files without NVLink"));
  }
  const std::vector<VertexSpec> vertices = imported.vertices;
  std::set<std::string> switches;
  for (const VertexSpec& v : vertices) {
    if (v.kind != "gpu" || !in_node(v.name)) continue;
    ImportedCable cable;
    cable.a = v.name;
    cable.b = absl::StrCat(v.name.substr(0, v.name.find('.')), ".nvswitch[0]");
    if (switches.insert(cable.b).second) imported.vertex(cable.b, "nvswitch", v.at);
    cable.cable.at = v.at;
    cable.cable.cables = links;
    int sm = 0;
    if (v.model && v.model->starts_with("sm_") && !absl::SimpleAtoi(v.model->substr(3), &sm)) sm = 0;
    assume_bandwidth("nvlink_bandwidth", nvlink_bandwidth(sm),
                     "one NVLink, each direction; set 50 GB/s for Blackwell", cable, imported);
    assume_latency(AssumedLatency::kNvlinkSwitch, cable, imported);
    imported.cables.push_back(std::move(cable));
  }
  imported.assume(
      absl::StrCat("each GPU has ", links, " NVLinks to its server's NVLink switches, as --nvlinks says"));
}

void repeat_node(Imported& imported, int nodes, const Place& at, Diagnostics& errors) {
  std::set<std::string> known;
  for (const VertexSpec& v : imported.vertices) {
    if (in_node(v.name)) known.insert(v.name.substr(0, v.name.find('.')));
  }
  if (known.size() != 1 || *known.begin() != "node[0]") {
    return errors.error(at, absl::StrCat("holds ", known.size(),
                                         " nodes; only a file of one node can be repeated (--nodes)"));
  }
  const bool leads_out = std::any_of(imported.cables.begin(), imported.cables.end(),
                                     [](const ImportedCable& c) { return in_node(c.a) != in_node(c.b); });
  if (!leads_out) return errors.error(at, "has no NIC, so that its node cannot be repeated (--nodes)");
  std::vector<VertexSpec> vertices;
  std::vector<ImportedCable> cables;
  for (int node = 0; node < nodes; ++node) {
    for (VertexSpec v : imported.vertices) {
      if (!in_node(v.name)) continue;
      v.name = renamed(v.name, node);
      vertices.push_back(std::move(v));
    }
    for (ImportedCable c : imported.cables) {
      if (!in_node(c.a) && !in_node(c.b)) continue;
      c.a = renamed(c.a, node);
      c.b = renamed(c.b, node);
      cables.push_back(std::move(c));
    }
  }
  for (const VertexSpec& v : imported.vertices) {
    if (!in_node(v.name)) vertices.push_back(v);
  }
  for (const ImportedCable& c : imported.cables) {
    if (!in_node(c.a) && !in_node(c.b)) cables.push_back(c);
  }
  imported.vertices = std::move(vertices);
  imported.cables = std::move(cables);
}

ImportSource::ImportSource(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
  lines_.push_back(0);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') lines_.push_back(i + 1);
  }
}

Place ImportSource::at(size_t byte) const {
  const auto next = std::upper_bound(lines_.begin(), lines_.end(), byte);
  const auto line = next - lines_.begin();
  return {file_, static_cast<int>(line), static_cast<int>(byte - *(next - 1)) + 1};
}

void assume_latency(AssumedLatency which, ImportedCable& cable, Imported& out) {
  const LatencyRow& row = row_of(which);
  cable.cable.latency = row.value;
  cable.latency_parameter = out.parameter(row.parameter, exact_text(row.value), row.why);
}

void assume_bandwidth(const std::string& parameter, Bandwidth value, const std::string& why,
                      ImportedCable& cable, Imported& out) {
  cable.cable.bandwidth = value;
  cable.bandwidth_parameter = out.parameter(parameter, exact_text(value), why);
}

std::string exact_text(Bandwidth b) {
  const int64_t bytes = b.bytes_per_s().count;
  if (bytes >= 1'000'000'000) return decimal(bytes, 9) + " GB/s";
  if (bytes >= 1'000'000) return decimal(bytes, 6) + " MB/s";
  return absl::StrCat(bytes, " B/s");
}

std::string exact_text(Duration d) {
  if (d.ps >= 1'000'000'000) return decimal(d.ps, 9) + " ms";
  if (d.ps >= 1'000'000) return decimal(d.ps, 6) + " us";
  return decimal(d.ps, 3) + " ns";
}

std::string plain_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool plain = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
                       c == '.' || c == ':' || c == '-' || c == '_';
    if (plain || name.empty() || name.back() != '_') name += plain ? c : '_';
  }
  return name;
}

std::string plain_text(std::string_view text, size_t length_max) {
  std::string plain;
  for (const char c : text.substr(0, length_max)) plain += ' ' <= c && c <= '~' ? c : '?';
  return text.size() > length_max ? plain + "..." : plain;
}

std::string_view first_element(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark
  for (;;) {
    const size_t open = text.find_first_not_of(" \t\r\n");
    if (open == std::string_view::npos || text[open] != '<') return {};
    text.remove_prefix(open);
    std::string_view end;
    if (text.starts_with("<!--")) {
      end = "-->";
    } else if (text.starts_with("<?")) {
      end = "?>";
    } else if (text.starts_with("<!")) {
      end = ">";
    } else {
      break;
    }
    const size_t close = text.find(end);
    if (close == std::string_view::npos) return {};
    text.remove_prefix(close + end.size());
  }
  text.remove_prefix(1);
  return text.substr(0, text.find_first_of(" \t\r\n/>"));
}

std::optional<Bandwidth> bits_per_second(double bits) {
  if (!(bits >= 8 && bits <= 8 * 1152921504606846976.0)) return std::nullopt;
  return Bandwidth::per_second({std::llround(bits / 8)});
}

}  // namespace brigade
