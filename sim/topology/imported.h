// What an importer makes of a topology file of another tool: a cluster written out vertex by vertex, the
// values that the file does not give as parameters with a name, and in words what was assumed.
//
// An importer is a row (Importer): how to recognise its kind by content, and how to read it. Each lives in
// import_<kind>.cc and is listed in sim/scenario/import.cc. Names are "node[2].gpu[0]" wherever the file
// knows servers, so that one scenario runs on whatever was imported; switches between nodes belong to none.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/spec.h"

namespace brigade {

// A value that the file does not give. It is written once, by this name, so that one line changes it.
struct ImportParameter {
  std::string name;   // "pcie_latency"
  std::string value;  // "450 ns"
  std::string why;    // with its source
};

struct ImportedCable {
  std::string a, b;
  CableSpec cable;
  // The parameters that stand for bandwidth and latency; empty: the value is the file's.
  std::string bandwidth_parameter, latency_parameter;
};

struct Imported {
  std::map<std::string, DeviceModel> models;
  std::vector<VertexSpec> vertices;
  std::vector<ImportedCable> cables;
  std::vector<ImportParameter> parameters;
  std::vector<std::string> assumptions;  // sentences for people

  void vertex(std::string name, std::string kind, const Place& at, std::optional<std::string> model = {});
  // A value by its name, declared on first use. Another value under a known name gets a name of its own
  // ("nvlink_bandwidth_2"). The name that stands for it.
  std::string parameter(const std::string& name, const std::string& value, const std::string& why);
  // Says each sentence once.
  void assume(const std::string& sentence);
};

// The cluster to build: parameters are replaced by their values.
ClusterSpec spec_of(const Imported& imported, const std::string& name);
// Files that NCCL completes on the machine name no NVLink: then each GPU gets `links` of them to its server's
// NVLink switches, drawn as one. An error where GPUs are joined already, or where there are too many links.
void add_nvlink_switches(Imported& imported, int links, const Place& at, Diagnostics& errors);
// Node 0 becomes `nodes` equal ones; what belongs to no node stays single. An error where there is not
// exactly one node, or no cable that leads out of it.
void repeat_node(Imported& imported, int nodes, const Place& at, Diagnostics& errors);

// The text to import, and where its bytes stand.
class ImportSource {
 public:
  ImportSource(std::string_view text, std::string file);
  std::string_view text() const { return text_; }
  const std::string& file() const { return file_; }
  Place at(size_t byte) const;
  Place line(int number) const { return {file_, number, 1}; }

 private:
  std::string_view text_;
  std::string file_;
  std::vector<size_t> lines_;  // first byte of each
};

struct Importer {
  const char* name;  // "NCCL topology XML"
  bool (*recognises)(std::string_view text);
  // Errors leave `out` of no use; they name places in the file.
  void (*read)(const ImportSource& source, Imported& out, Diagnostics& errors);
};

extern const Importer kNcclImporter, kSmiImporter, kGraphmlImporter, kNs3Importer;

// Latencies that no such file tells, each with its source.
enum class AssumedLatency { kNvlinkSwitch, kNvlinkDirect, kXgmi, kC2c, kPcie, kSocket, kPort };
// Sets the cable's latency and declares its parameter.
void assume_latency(AssumedLatency which, ImportedCable& cable, Imported& out);
void assume_bandwidth(const std::string& parameter, Bandwidth value, const std::string& why,
                      ImportedCable& cable, Imported& out);

// The exact value as a user would write it: "63.02 GB/s", "936.25 ns".
std::string exact_text(Bandwidth b);
std::string exact_text(Duration d);
// Letters, digits and ._:- stay, all else becomes "_": a name that selectors, YAML and comments can hold.
std::string plain_name(std::string_view text);
// One line of printable characters, at most `length_max` of them.
std::string plain_text(std::string_view text, size_t length_max = 80);
// The name of the first element of an XML text ("system"), behind prolog and comments; empty if it is none.
std::string_view first_element(std::string_view text);
// Bandwidth of a number of bits per second, rounded to whole bytes; none outside [8 b/s, 2^60 B/s].
std::optional<Bandwidth> bits_per_second(double bits);

}  // namespace brigade
