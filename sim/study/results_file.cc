#include "sim/study/results_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/report/json.h"

namespace brigade {
namespace {

using Json = nlohmann::ordered_json;

constexpr mode_t kMode = 0666;  // less the umask

bool is_text(const Json& object, const char* key) { return object.contains(key) && object[key].is_string(); }

IoError check_header(const std::string& line, const std::string& path, const ResultsHeader& wanted) {
  const Json header = Json::parse(line, nullptr, false);
  if (!header.is_object() || !header.contains("brigade_sweep") || !is_text(header, "version") ||
      !is_text(header, "study"))
    return absl::StrCat(path, " does not hold results of a sweep");
  const std::string study = header["study"], version = header["version"];
  if (header["brigade_sweep"] != kResultsFormat || version != wanted.version)
    return absl::StrCat(path, " was written by brigade ", version, ", this is ", wanted.version,
                        ", which may compute other figures; --restart begins anew");
  if (study != wanted.study)
    return absl::StrCat(path, " holds results of the study ", study, ", this is ", wanted.study);
  return {};
}

// False: no row.
bool read_row(const std::string& line, const std::vector<Column>& columns, KnownRows& out) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !is_text(json, "input_hash")) return false;
  Row row;
  if (is_text(json, "error")) {
    row.error = json["error"];
  } else if (json.contains("result") && json["result"].is_object()) {
    take_cells(columns, json["result"], row);
  } else {
    return false;
  }
  if (json.contains("warnings") && json["warnings"].is_array()) {
    for (const Json& warning : json["warnings"])
      if (warning.is_string()) row.warnings.push_back(warning);
  }
  out[json["input_hash"]] = std::move(row);
  return true;
}

}  // namespace

IoError read_results(const std::string& path, const ResultsHeader& header, const std::vector<Column>& columns,
                     KnownRows& out, std::vector<std::string>& messages) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return absl::StrCat("cannot read ", path, ": ", std::strerror(errno));
  std::string line;
  for (size_t number = 1; std::getline(in, line); ++number) {
    const bool whole = !in.eof();  // it has an end
    if (number == 1) {
      if (!whole) return {};  // killed while it began
      if (IoError error = check_header(line, path, header)) return error;
      continue;
    }
    if (whole && read_row(line, columns, out)) continue;
    messages.push_back(absl::StrCat(path, ":", number, ": ",
                                    whole ? "no row of results" : "a half-written line",
                                    "; its point runs again"));
  }
  if (in.bad()) return absl::StrCat("cannot read ", path, ": ", std::strerror(errno));
  return {};
}

ResultsFile::~ResultsFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

IoError ResultsFile::fail(const std::string& why) const {
  return absl::StrCat("cannot write ", path_, ": ", why);
}

IoError ResultsFile::open(const std::string& path, Mode mode) {
  path_ = path;
  const int create = mode == Mode::kNew ? O_CREAT | O_EXCL : O_CREAT;
  descriptor_ = ::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC | create, kMode);
  if (descriptor_ < 0) return fail(std::strerror(errno));
  struct stat status;
  if (fstat(descriptor_, &status) != 0) return fail(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return fail("it is no regular file");
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) return fail("another sweep is writing it");
  if (mode == Mode::kRestart && ftruncate(descriptor_, 0) != 0) return fail(std::strerror(errno));
  return {};
}

IoError ResultsFile::begin(const ResultsHeader& header) {
  const off_t size = lseek(descriptor_, 0, SEEK_END);
  off_t whole = size;
  char last = '\n';
  while (whole > 0) {
    if (pread(descriptor_, &last, 1, whole - 1) != 1) return fail(std::strerror(errno));
    if (last == '\n') break;
    --whole;
  }
  if (whole < size && ftruncate(descriptor_, whole) != 0) return fail(std::strerror(errno));
  if (whole > 0) return {};
  return append(
      line_of({{"brigade_sweep", kResultsFormat}, {"version", header.version}, {"study", header.study}}));
}

IoError ResultsFile::append(const std::string& line) {
  const std::string bytes = line + "\n";
  for (std::string_view rest = bytes; !rest.empty();) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(std::strerror(errno));
    rest.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace brigade
