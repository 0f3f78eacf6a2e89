// The file that a sweep appends to as each point ends: JSON lines, in the order in which points end.
//
//   {"brigade_sweep": 1, "version": "0.1.0", "study": "bucket_size"}
//   {"point": 3, "values": {"cap": "25 MB"}, "input_hash": "9f...", "result": {what brigade run --json
//   prints}}
//   {"point": 4, "values": {"cap": "1 PB"}, "input_hash": "04...", "error": "..."}
//
// A line is written at once, so a process that is killed leaves at most one broken line, the last, which is
// cut off before anything else is appended. One process at a time appends to a file.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/study/columns.h"
#include "sim/study/row.h"
#include "sim/trace/output_file.h"

namespace brigade {

constexpr int kResultsFormat = 1;

// Rows of earlier runs, by the hash of their input.
using KnownRows = std::map<std::string, Row>;

// What a results file is about; those of another one are not mixed with it.
struct ResultsHeader {
  std::string version;  // of brigade: another one may compute other figures
  std::string study;
};

// Adds the rows of `path` to `out`. Lines that cannot be read, such as the broken last one, are left out, and
// said in `messages`. An error where the file is not one of this study and this version, or cannot be read.
IoError read_results(const std::string& path, const ResultsHeader& header, const std::vector<Column>& columns,
                     KnownRows& out, std::vector<std::string>& messages);

class ResultsFile {
 public:
  ResultsFile() = default;
  ~ResultsFile();
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;

  enum class Mode {
    kNew,      // must not be there yet
    kResume,   // goes on with it, or begins it
    kRestart,  // begins it anew
  };
  // Locks it; then read_results may read it, and begin() makes it ready to be appended to.
  [[nodiscard]] IoError open(const std::string& path, Mode mode);
  // Cuts a broken last line off, or writes the header of a new file.
  [[nodiscard]] IoError begin(const ResultsHeader& header);
  [[nodiscard]] IoError append(const std::string& line);
  bool is_open() const { return descriptor_ >= 0; }

 private:
  IoError fail(const std::string& why) const;

  std::string path_;
  int descriptor_ = -1;
};

}  // namespace brigade
