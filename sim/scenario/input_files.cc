#include "sim/scenario/input_files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace brigade {
namespace fs = std::filesystem;

namespace {
constexpr size_t kPieceBytes = 1 << 14;
}

void InputHash::add(std::string_view piece) {
  for (const char c : piece) add_byte(static_cast<uint8_t>(c));
  for (int shift = 0; shift < 64; shift += 8) add_byte(static_cast<uint8_t>(piece.size() >> shift));
}

std::string InputHash::hex() const { return absl::StrFormat("%016x", state_); }

std::optional<std::string> InputFiles::bytes_of(const std::string& path, const Place& asked_from) {
  const bool on_command_line = asked_from.file.empty();
  const auto refuse = [&](const std::string& reason) {
    if (on_command_line) {
      errors_.error({path, 0, 0}, reason);
    } else {
      errors_.error(asked_from, absl::StrCat("cannot read \"", path, "\": ", reason));
    }
    return std::nullopt;
  };
  std::error_code unused;
  if (fs::is_directory(path, unused)) return refuse("is a directory, not a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return refuse(errno == ENOENT ? "no such file" : std::strerror(errno));
  // In pieces: a buffer for the largest file would cost more than the whole reading of a usual one.
  std::string bytes, piece(kPieceBytes, '\0');
  while (in && bytes.size() <= kFileBytesMax) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    bytes.append(piece, 0, static_cast<size_t>(in.gcount()));
  }
  if (in.bad()) return refuse("cannot be read");
  if (bytes.size() > kFileBytesMax)
    return refuse(absl::StrCat("larger than the limit of ", kFileBytesMax >> 20, " MiB"));
  return bytes;
}

std::optional<Node> InputFiles::read(const std::string& path, const Place& asked_from) {
  if (cache_ != nullptr) {
    if (const auto known = cache_->files.find(path); known != cache_->files.end()) {
      hash_.add(known->second.bytes);
      return known->second.document;
    }
  }
  const int errors_before = errors_.errors();
  std::optional<std::string> bytes = bytes_of(path, asked_from);
  if (!bytes) return {};
  hash_.add(*bytes);
  std::optional<Node> document = parse_document(*bytes, path, errors_);
  if (document && !document->is_map()) {
    errors_.error(document->place,
                  absl::StrCat("the file holds ", name_of(document->kind), "; expected a map of keys"));
    return {};
  }
  if (document) check_format(*document);
  if (cache_ != nullptr && document && errors_.errors() == errors_before)
    cache_->files[path] = {std::move(*bytes), *document};
  return document;
}

void InputFiles::check_format(const Node& document) {
  const Node* version = document.find("brigade");
  if (!version) {
    errors_.error(document.place,
                  absl::StrCat("missing key \"brigade\": the format version, ", kFormatVersion));
  } else if (version->text != kFormatVersion) {
    errors_.error(version->place, absl::StrCat("unknown format version; allowed: ", kFormatVersion));
  }
}

std::string path_beside(const std::string& base, const std::string& path) {
  const fs::path asked(path);
  if (asked.is_absolute()) return path;
  return (fs::path(base).parent_path() / asked).lexically_normal().string();
}

std::string canonical_path(const std::string& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

}  // namespace brigade
