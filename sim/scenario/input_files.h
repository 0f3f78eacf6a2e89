// The files that a scenario is read from: limits, paths, and the hash of all that went in.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/diagnostic.h"
#include "sim/scenario/document.h"

namespace brigade {

constexpr size_t kFileBytesMax = 16 << 20;
constexpr const char* kFormatVersion = "1";  // `brigade: 1`, the first key of every file

// FNV-1a, 64 bits, over the pieces in the order in which they were read: each piece's bytes, then its length
// as 8 bytes, low first, so that a byte moved from one piece to the next changes the hash. Pieces are the
// bytes of the scenario file and of the files that it includes, and the texts of overrides; not their paths.
class InputHash {
 public:
  void add(std::string_view piece);
  uint64_t value() const { return state_; }
  std::string hex() const;  // 16 digits

 private:
  void add_byte(uint8_t byte) { state_ = (state_ ^ byte) * 0x100000001b3u; }
  uint64_t state_ = 0xcbf29ce484222325u;
};

// Files that were read without a mistake, kept for those who read them again and again. For one thread.
struct FileCache {
  struct File {
    std::string bytes;
    Node document;
  };
  std::map<std::string, File> files;  // by path
};

class InputFiles {
 public:
  // `cache` may be null: then every file is read when it is asked for.
  explicit InputFiles(Diagnostics& errors, FileCache* cache = nullptr) : errors_(errors), cache_(cache) {}

  // Also checks the format version. Empty where the file cannot be read or parsed; errors of the file as a
  // whole go to `asked_from`, unless that is the command line (no file).
  std::optional<Node> read(const std::string& path, const Place& asked_from);
  // The bytes of a file of any kind, within the limit; not hashed. Errors as of read.
  std::optional<std::string> bytes_of(const std::string& path, const Place& asked_from);
  InputHash& hash() { return hash_; }

 private:
  void check_format(const Node& document);

  Diagnostics& errors_;
  FileCache* cache_;
  InputHash hash_;
};

// `path` as a user at the working directory would write it, when `base` says it; an absolute path stays.
std::string path_beside(const std::string& base, const std::string& path);
// One name for one file, whatever way leads there.
std::string canonical_path(const std::string& path);

}  // namespace brigade
