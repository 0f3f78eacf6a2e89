// A file that is either whole or not there: written under a temporary name in the same directory, then
// renamed. gzip where the name ends in .gz, with the same bytes from every run (no name, no time in the
// header). What is not a regular file (a pipe, /dev/stdout) is written in place.
#pragma once
#include <zlib.h>

#include <optional>
#include <string>
#include <string_view>

namespace brigade {

// Nothing where all went well, else a message for the user that names the path; the command then ends with 3.
using IoError = std::optional<std::string>;

// Whether a file could be written at `path`, to be asked before a long simulation. Leaves nothing behind and
// touches no file that exists.
[[nodiscard]] IoError check_writable(const std::string& path);

class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();  // without close: the temporary file is removed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // After an error nothing more is written; `close` reports the first one.
  void write(std::string_view bytes);
  [[nodiscard]] IoError close();

 private:
  void fail(const char* doing, int error_number);
  void flush();

  std::string path_;
  std::string target_;     // path_ with symbolic links followed
  std::string temporary_;  // equal to target_ where written in place
  std::string buffer_;
  gzFile file_ = nullptr;
  IoError error_;
};

}  // namespace brigade
