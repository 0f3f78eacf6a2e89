// Any cluster, written out as YAML and read again, is the same cluster: vertices, links, devices.
#include "sim/scenario/cluster_writer.h"

#include "tests/scenario/foreign.h"
#include "tests/source_dir.h"

using namespace brigade;

namespace {

std::unique_ptr<const Topology> load(const std::string& path,
                                     const std::vector<std::string>& parameters = {}) {
  Diagnostics errors;
  const std::optional<ClusterFile> file = load_cluster(path, parameters, errors);
  INFO(errors.text());
  REQUIRE(file);
  return build_topology(file->cluster, {}, errors);
}

void check_equal(const Topology& a, const Topology& b) {
  REQUIRE(a.vertices().size() == b.vertices().size());
  REQUIRE(a.links().size() == b.links().size());
  CHECK(a.name() == b.name());
  CHECK(a.nodes() == b.nodes());
  for (VertexId v = 0; v < a.vertices().size(); ++v) {
    REQUIRE(a.vertex_name(v) == b.vertex_name(v));
    REQUIRE(a.vertices()[v].kind == b.vertices()[v].kind);
    REQUIRE(a.vertices()[v].forward == b.vertices()[v].forward);
    if (a.vertices()[v].model == kNone) continue;
    const DeviceModel &ma = a.models()[a.vertices()[v].model], &mb = b.models()[b.vertices()[v].model];
    REQUIRE(ma.name == mb.name);
    REQUIRE(ma.peak_flop_per_s == mb.peak_flop_per_s);
    REQUIRE(ma.memory == mb.memory);
  }
  for (LinkId l = 0; l < a.links().size(); ++l) {
    const Link &x = a.links()[l], &y = b.links()[l];
    REQUIRE(std::tie(x.from, x.to, x.bandwidth, x.latency, x.cost) ==
            std::tie(y.from, y.to, y.bandwidth, y.latency, y.cost));
  }
}

}  // namespace

TEST_CASE("shipped machines and imported files, written out and read again") {
  const Scratch scratch;
  Diagnostics errors;
  for (const auto& entry : std::filesystem::directory_iterator(source_dir() + "/topologies")) {
    if (entry.path().extension() != ".yaml") continue;
    INFO(entry.path().filename().string());
    const auto topology = load(entry.path().string());
    const std::string yaml = cluster_yaml(*topology, errors);
    INFO(errors.text());
    REQUIRE(errors.ok());
    check_equal(*topology, *load(scratch.write("again.yaml", yaml)));
  }
  for (const NamedText& file : foreign_files()) {
    INFO(file.name);
    const ImportResult r = import_ok(file.text);
    check_equal(*r.topology, *load(scratch.write("again.yaml", cluster_yaml(*r.topology, errors))));
  }
}

TEST_CASE("what a cluster file cannot say is refused") {
  ClusterSpec spec;
  spec.vertices = {{"a", "gpu", {}, false, {}}, {"b", "gpu", {}, false, {}}};
  spec.cables = {{"a", "b", {}}};
  Diagnostics errors;
  const auto dead = build_topology(spec, {{"a -> b", std::nullopt, true, {}}}, errors);
  CHECK(cluster_yaml(*dead, errors) == "");
  CHECK(errors.text().find("a -> b is dead") != std::string::npos);
}
