// ASTRA-sim's analytical network (YAML: topology, npus_count, bandwidth, latency, a value a dimension) to a
// cluster. It lives here because it is YAML. Covered by tests/scenario/imports_others.cc.
//
// NPU i has coordinates: i mod n0 in the first dimension, (i / n0) mod n1 in the second. A dimension joins
// the NPUs that differ in it alone. Follows astra-sim/astra-network-analytical: links are full duplex;
// bandwidth is in GB/s of 2^30 bytes and latency in ns, of each link.
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "sim/scenario/document.h"
#include "sim/scenario/import.h"

namespace brigade {
namespace {

constexpr int kDimensionsMax = 8;

struct Dimension {
  std::string kind;
  int64_t npus = 1;
  Bandwidth bandwidth = Bandwidth::gb_per_s(1);
  Duration latency{};
  Place at;
};

class Reader {
 public:
  Reader(const Node& root, Imported& out, Diagnostics& errors) : root_(root), out_(out), errors_(errors) {}

  void read() {
    const int errors_before = errors_.errors();
    read_list("topology", [&](const Node& value, Dimension& d) {
      d.at = value.place;
      d.kind = value.text;
      const std::vector<std::string> kinds{"Ring", "Switch", "FullyConnected"};
      if (std::find(kinds.begin(), kinds.end(), d.kind) == kinds.end())
        errors_.error(value.place, absl::StrCat("unknown topology \"", plain_text(d.kind), "\"",
                                                suggestion(d.kind, kinds)));
    });
    read_list("npus_count", [&](const Node& value, Dimension& d) {
      if (!absl::SimpleAtoi(value.text, &d.npus) || d.npus < 1 || d.npus > (1 << 20))
        refuse(value, "1 to 1048576");
    });
    read_list("bandwidth", [&](const Node& value, Dimension& d) {
      const double gib_per_s = number(value);
      const std::optional<Bandwidth> b = bits_per_second(gib_per_s * 8 * (1 << 30));
      if (b) d.bandwidth = *b;
      if (!b) refuse(value, "a number of GB/s above 0");
    });
    read_list("latency", [&](const Node& value, Dimension& d) {
      const double ns = number(value);
      if (ns >= 0 && ns < 1e12) d.latency = Duration{std::llround(ns * 1000)};
      if (!(ns >= 0 && ns < 1e12)) refuse(value, "a number of ns, 0 or more");
    });
    if (errors_.errors() == errors_before && is_small_enough()) build();
  }

 private:
  template <class Take>
  void read_list(const char* key, const Take& take) {
    const Node* list = root_.find(key);
    if (list == nullptr) return errors_.error(root_.place, absl::StrCat("missing key \"", key, "\""));
    std::vector<Node> items = list->is_list() ? list->items : std::vector<Node>{*list};
    if (dimensions_.empty()) dimensions_.resize(items.size());
    if (items.size() != dimensions_.size() || items.empty() || items.size() > kDimensionsMax) {
      return errors_.error(list->place,
                           absl::StrCat(key, " has ", items.size(), " values; expected: one a dimension, ",
                                        dimensions_.size(), ", at most ", kDimensionsMax));
    }
    for (size_t i = 0; i < items.size(); ++i) take(items[i], dimensions_[i]);
  }

  void refuse(const Node& value, const char* allowed) {
    errors_.error(value.place, absl::StrCat("\"", plain_text(value.text), "\": allowed: ", allowed));
  }

  static double number(const Node& value) {
    double n = 0;
    return absl::SimpleAtod(value.text, &n) && std::isfinite(n) ? n : -1;
  }

  bool is_small_enough() {
    double npus = 1, cables = 0;
    for (const Dimension& d : dimensions_) npus *= static_cast<double>(d.npus);
    for (const Dimension& d : dimensions_) {
      cables += npus * (d.kind == "FullyConnected" ? static_cast<double>(d.npus - 1) / 2 : 1);
    }
    if (fits_a_file(npus * 2, cables)) return true;
    errors_.error(dimensions_.front().at, absl::StrCat(npus, " NPUs and ", cables,
                                                       " cables are too many to be written out one by one"));
    return false;
  }

  std::string name(int64_t npu) const {
    const int64_t inner = dimensions_.front().npus;
    return absl::StrCat("node[", npu / inner, "].gpu[", npu % inner, "]");
  }

  void build() {
    npus_ = 1;
    for (const Dimension& d : dimensions_) npus_ *= d.npus;
    const bool relay = dimensions_.size() > 1 || dimensions_.front().kind == "Ring";
    for (int64_t i = 0; i < npus_; ++i) {
      out_.vertex(name(i), "gpu", dimensions_.front().at);
      out_.vertices.back().forward = relay && npus_ > 1;
    }
    int64_t stride = 1;
    for (size_t d = 0; d < dimensions_.size(); ++d) {
      add_dimension(d, stride);
      stride *= dimensions_[d].npus;
    }
    out_.assume("GB/s of ASTRA-sim are 2^30 bytes per second; a link has its bandwidth in each direction");
    if (dimensions_.size() > 1) out_.assume("the first dimension is inside nodes, the others between them");
    if (relay && npus_ > 1) out_.assume("NPUs pass on what is for others, by shortest routes");
  }

  // Each line of NPUs that differ in dimension d alone.
  void add_dimension(size_t d, int64_t stride) {
    const Dimension& dimension = dimensions_[d];
    if (dimension.npus == 1) return;
    int lines = 0;
    for (int64_t first = 0; first < npus_; ++first) {
      if (first / stride % dimension.npus != 0) continue;
      const auto npu = [&](int64_t i) { return name(first + i * stride); };
      if (dimension.kind == "Switch") {
        const std::string hub = d == 0 ? absl::StrCat("node[", lines, "].nvswitch[0]")
                                       : absl::StrCat("dimension", d + 1, ".switch[", lines, "]");
        out_.vertex(hub, d == 0 ? "nvswitch" : "switch", dimension.at);
        for (int64_t i = 0; i < dimension.npus; ++i) add_cable(npu(i), hub, dimension);
      } else if (dimension.kind == "Ring") {
        for (int64_t i = 0; i + 1 < dimension.npus; ++i) add_cable(npu(i), npu(i + 1), dimension);
        if (dimension.npus > 2) add_cable(npu(dimension.npus - 1), npu(0), dimension);
      } else {
        for (int64_t i = 0; i < dimension.npus; ++i) {
          for (int64_t j = i + 1; j < dimension.npus; ++j) add_cable(npu(i), npu(j), dimension);
        }
      }
      ++lines;
    }
  }

  void add_cable(const std::string& a, const std::string& b, const Dimension& d) {
    ImportedCable cable;
    cable.a = a;
    cable.b = b;
    cable.cable.bandwidth = d.bandwidth;
    cable.cable.latency = d.latency;
    cable.cable.at = d.at;
    out_.cables.push_back(std::move(cable));
  }

  const Node& root_;
  Imported& out_;
  Diagnostics& errors_;
  std::vector<Dimension> dimensions_;
  int64_t npus_ = 1;
};

void read_astra(const ImportSource& source, Imported& out, Diagnostics& errors) {
  const std::optional<Node> root = parse_document(std::string(source.text()), source.file(), errors);
  if (root) Reader(*root, out, errors).read();
}

// A line that begins with the key that only such files have.
bool is_astra(std::string_view text) {
  const size_t at = text.find("npus_count");
  return at != std::string_view::npos && (at == 0 || text[at - 1] == '\n') &&
         text.find("topology") != text.npos;
}

}  // namespace

const Importer kAstraImporter{"ASTRA-sim network YAML", is_astra, read_astra};

}  // namespace brigade
