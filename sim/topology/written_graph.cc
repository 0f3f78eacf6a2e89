// Covered by tests/topology/written-out.cc and errors.cc.
#include "sim/topology/written_graph.h"

#include <map>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "sim/topology/check_spec.h"

namespace brigade {
namespace {

constexpr uint32_t kNumberMax = 1u << 24;

const std::map<std::string, VertexKind>& kinds() {
  static const std::map<std::string, VertexKind> kinds{
      {"gpu", VertexKind::kGpu},   {"host", VertexKind::kHost}, {"nvswitch", VertexKind::kNvswitch},
      {"pcie", VertexKind::kPcie}, {"nic", VertexKind::kNic},   {"switch", VertexKind::kSwitch}};
  return kinds;
}

// The number in "[7]", where the text is exactly that.
std::optional<uint32_t> bracketed(const std::string& text) {
  uint32_t n = 0;
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return std::nullopt;
  if (text.find_first_not_of("0123456789", 1) != text.size() - 1) return std::nullopt;
  if (!absl::SimpleAtoi(text.substr(1, text.size() - 2), &n) || n > kNumberMax) return std::nullopt;
  return n;
}

// No spaces, and brackets only around numbers: else selectors could not name it.
bool is_name(const std::string& name) {
  if (name.empty() || name.find_first_of(" \t\n,*") != std::string::npos) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == ']') return false;
    if (name[i] != '[') continue;
    const size_t end = name.find(']', i);
    if (end == std::string::npos || !bracketed(name.substr(i, end - i + 1))) return false;
    i = end;
  }
  return true;
}

uint32_t node_of_name(const std::string& name) {
  const size_t dot = name.find('.');
  if (name.rfind("node[", 0) != 0 || dot == std::string::npos) return kNone;
  return bracketed(name.substr(4, dot - 4)).value_or(kNone);
}

class Writer {
 public:
  Writer(const ClusterSpec& spec, const std::function<uint32_t(const DeviceModel&)>& model_id, Graph& graph,
         std::vector<std::string>& names, Diagnostics& errors)
      : spec_(spec), model_id_(model_id), graph_(graph), names_(names), errors_(errors) {
    for (VertexId v = 0; v < names.size(); ++v) by_name_.emplace(names[v], v);
  }

  void add_vertex(const VertexSpec& v) {
    const auto kind = kinds().find(v.kind);
    if (kind == kinds().end()) {
      std::vector<std::string> allowed;
      for (const auto& [name, unused] : kinds()) allowed.push_back(name);
      errors_.error(v.at, absl::StrCat("unknown kind \"", v.kind, "\"", suggestion(v.kind, allowed)));
    }
    if (!is_name(v.name)) {
      errors_.error(
          v.at,
          absl::StrCat("\"", v.name, "\" is no name: no spaces, commas or *; brackets only around numbers"));
    } else if (!by_name_.emplace(v.name, static_cast<VertexId>(names_.size())).second) {
      errors_.error(v.at, absl::StrCat("the name \"", v.name, "\" is taken"));
    }
    Vertex vertex;
    vertex.kind = kind == kinds().end() ? VertexKind::kSwitch : kind->second;
    vertex.forward = v.forward;
    vertex.node = node_of_name(v.name);
    vertex.index = index_of(v.name, vertex.kind);
    vertex.model = model_of(v);
    graph_.vertices.push_back(vertex);
    names_.push_back(v.name);
  }

  void add_cable(const WrittenCable& w) {
    const std::optional<VertexId> a = find(w.a, w.cable.at), b = find(w.b, w.cable.at);
    if (!a || !b) return;
    if (*a == *b) return errors_.error(w.cable.at, absl::StrCat("a cable from \"", w.a, "\" to itself"));
    // A count that check_spec has refused: only the cable's ends count here.
    const bool counted = w.cable.cables >= 1 && w.cable.cables <= kCablesMax;
    graph_.cable(*a, *b, counted ? w.cable : CableSpec{}, kCostDefault);
  }

  void check_cabled() const {
    std::vector<bool> cabled(names_.size());
    for (const Link& l : graph_.links) cabled[l.from] = true;
    const size_t first = names_.size() - spec_.vertices.size();
    for (size_t i = 0; i < spec_.vertices.size() && names_.size() > 1; ++i) {
      if (cabled[first + i]) continue;
      errors_.error(spec_.vertices[i].at, absl::StrCat("no cable leads to \"", spec_.vertices[i].name, "\""));
    }
  }

 private:
  uint32_t index_of(const std::string& name, VertexKind kind) {
    const size_t open = name.rfind('[');
    const uint32_t ordinal = count_[kind]++;
    return open == std::string::npos ? ordinal : bracketed(name.substr(open)).value_or(ordinal);
  }

  uint32_t model_of(const VertexSpec& v) {
    if (!v.model) return kNone;
    const auto model = spec_.models.find(*v.model);
    if (model != spec_.models.end()) return model_id_(model->second);
    std::vector<std::string> allowed;
    for (const auto& [name, unused] : spec_.models) allowed.push_back(name);
    errors_.error(v.at, absl::StrCat("unknown model \"", *v.model, "\"", suggestion(*v.model, allowed)));
    return kNone;
  }

  std::optional<VertexId> find(const std::string& name, const Place& at) const {
    const auto v = by_name_.find(name);
    if (v != by_name_.end()) return v->second;
    // The first names of a big cluster are example enough.
    const size_t shown = std::min<size_t>(names_.size(), 12);
    const std::vector<std::string> some(names_.begin(), names_.begin() + static_cast<ptrdiff_t>(shown));
    const std::string hint =
        names_.size() == shown ? suggestion(name, names_) : suggestion(name, some) + ", ...";
    errors_.error(at, absl::StrCat("unknown vertex \"", name, "\"", hint));
    return std::nullopt;
  }

  const ClusterSpec& spec_;
  const std::function<uint32_t(const DeviceModel&)>& model_id_;
  Graph& graph_;
  std::vector<std::string>& names_;
  Diagnostics& errors_;
  std::map<std::string, VertexId> by_name_;
  std::map<VertexKind, uint32_t> count_;
};

}  // namespace

void add_written(const ClusterSpec& spec, const std::function<uint32_t(const DeviceModel&)>& model_id,
                 Graph& graph, std::vector<std::string>& names, Diagnostics& errors) {
  Writer writer(spec, model_id, graph, names, errors);
  for (const VertexSpec& v : spec.vertices) writer.add_vertex(v);
  for (const WrittenCable& w : spec.cables) writer.add_cable(w);
  if (errors.ok()) writer.check_cabled();
}

}  // namespace brigade
