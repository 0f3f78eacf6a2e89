#include "sim/replay/trace_file.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace brigade {
namespace {

namespace fs = std::filesystem;

struct Buffer {
  std::string text;  // padded
  size_t size = 0;
  bool is_plain = true;
  std::string_view view() const { return {text.data(), size}; }
};

bool is_gzip(std::string_view head) { return head.size() >= 2 && head[0] == '\x1f' && head[1] == '\x8b'; }

bool names_a_trace(const std::string& name) { return name.ends_with(".json") || name.ends_with(".json.gz"); }

// The size that a gzip file says it unpacks to (modulo 2^32), to grow the buffer once. It may lie: deflate
// shrinks at most 1032-fold, and what is reserved without need is not touched.
size_t size_hint(const std::string& path, uint64_t packed) {
  std::ifstream in(path, std::ios::binary);
  unsigned char tail[4] = {};
  if (packed < 18 || !in.seekg(-4, std::ios::end) || !in.read(reinterpret_cast<char*>(tail), 4)) return 0;
  const uint64_t said = tail[0] | tail[1] << 8 | tail[2] << 16 | uint64_t{tail[3]} << 24;
  return static_cast<size_t>(std::min(said, packed * 1032));
}

// Unpacks with `out.size` bytes in front of the padding; returns an error or "".
std::string unpack(const std::string& path, uint64_t packed, Buffer& out) {
  constexpr size_t kPiece = 1 << 20, kLeast = 4096;
  out.is_plain = false;
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return "cannot be opened";
  gzbuffer(file, 1 << 17);
  // The buffer never grows by copying more than it must: hint, then doubling.
  out.text.reserve(size_hint(path, packed) + kLeast + kTracePadding);
  std::string error;
  while (error.empty()) {
    const size_t room = std::min(kPiece, std::max(out.text.capacity() - out.size, kLeast));
    if (out.text.size() < out.size + room) out.text.resize(out.size + room);
    const int got = gzread(file, out.text.data() + out.size, static_cast<unsigned>(room));
    if (got > 0) out.size += static_cast<size_t>(got);
    if (got < 0) {
      int code = 0;
      error = absl::StrCat("is a broken gzip file: ", gzerror(file, &code));
    } else if (out.size > kTraceBytesMax) {
      error = absl::StrCat("unpacks to more than ", kTraceBytesMax, " bytes");
    } else if (got == 0) {
      break;
    }
  }
  const int closed = gzclose(file);
  if (error.empty() && closed == Z_BUF_ERROR) error = "is a gzip file that was cut short";
  if (error.empty() && closed != Z_OK) error = "is a broken gzip file";
  out.text.resize(out.size + kTracePadding);
  return error;
}

std::string read_bytes(const std::string& path, Buffer& out) {
  std::error_code status;
  const uint64_t size = fs::file_size(path, status);
  if (status) return absl::StrCat("cannot be read: ", status.message());
  if (size > kTraceBytesMax) return absl::StrCat("has ", size, " bytes; allowed: up to ", kTraceBytesMax);
  std::ifstream in(path, std::ios::binary);
  if (!in) return "cannot be opened";
  char head[2] = {};
  in.read(head, 2);
  if (is_gzip({head, static_cast<size_t>(in.gcount())})) return unpack(path, size, out);
  in.clear();
  in.seekg(0);
  out.size = size;
  out.text.resize(size + kTracePadding);
  in.read(out.text.data(), static_cast<std::streamsize>(size));
  if (static_cast<uint64_t>(in.gcount()) != size) return "cannot be read to its end";
  return "";
}

// --- tar, as POSIX.1-1988 (ustar) has it, with GNU's long names.

constexpr size_t kBlock = 512;

bool is_tar(std::string_view text) { return text.size() >= kBlock && text.substr(257, 5) == "ustar"; }

std::string_view field(std::string_view header, size_t at, size_t size) {
  const std::string_view whole = header.substr(at, size);
  return whole.substr(0, std::min(whole.find('\0'), size));
}

std::optional<uint64_t> octal(std::string_view digits) {
  uint64_t value = 0;
  bool any = false;
  for (const char c : digits) {
    if (c == ' ') continue;
    if (c < '0' || c > '7' || value > kTraceBytesMax) return std::nullopt;
    value = value * 8 + static_cast<uint64_t>(c - '0');
    any = true;
  }
  return any ? std::optional(value) : std::nullopt;
}

// The regular files of a tar whose names end as traces do; an error or "".
std::string list_tar(std::string_view tar, std::vector<std::pair<std::string, std::string_view>>& out) {
  std::string long_name;
  for (size_t at = 0; at + kBlock <= tar.size();) {
    const std::string_view header = tar.substr(at, kBlock);
    if (header.find_first_not_of('\0') == std::string_view::npos) return "";
    const std::optional<uint64_t> size = octal(field(header, 124, 12));
    at += kBlock;
    if (!size || *size > tar.size() - at) return "is a tar that is broken or was cut short";
    const std::string_view content = tar.substr(at, *size);
    const char type = header[156];
    std::string name(field(header, 0, 100));
    if (const std::string_view prefix = field(header, 345, 155); !prefix.empty())
      name = absl::StrCat(std::string(prefix), "/", name);
    if (!long_name.empty()) name = std::exchange(long_name, "");
    if (type == 'L') long_name = std::string(field(content, 0, content.size()));
    const std::string base = name.substr(name.find_last_of('/') + 1);
    if ((type == '0' || type == '\0') && base.ends_with(".json") && !base.starts_with("."))
      out.emplace_back(name, content);
    at += std::min((*size + kBlock - 1) / kBlock * kBlock, tar.size() - at);
  }
  return "is a tar that was cut short";
}

}  // namespace

void for_each_trace(const std::string& path, const Place& asked_from, Diagnostics& errors,
                    const TraceReader& read) {
  const auto fail = [&](const std::string& file, const std::string& what) {
    errors.error(asked_from.file.empty() ? Place{file, 0, 0} : asked_from,
                 asked_from.file.empty() ? what : absl::StrCat("\"", file, "\" ", what));
  };
  std::error_code status;
  if (fs::is_directory(path, status)) {
    std::vector<std::string> files;
    for (auto entry = fs::directory_iterator(path, status); !status && entry != fs::directory_iterator();
         entry.increment(status))
      if (names_a_trace(entry->path().filename().string())) files.push_back(entry->path().string());
    std::sort(files.begin(), files.end());
    if (files.empty()) fail(path, "holds no file that ends in .json or .json.gz");
    for (const std::string& file : files) for_each_trace(file, asked_from, errors, read);
    return;
  }
  Buffer bytes;
  if (const std::string error = read_bytes(path, bytes); !error.empty()) return fail(path, error);
  if (!is_tar(bytes.view()))
    return read({path, bytes.view(), bytes.is_plain, [&] { std::string().swap(bytes.text); }});
  std::vector<std::pair<std::string, std::string_view>> members;
  if (const std::string error = list_tar(bytes.view(), members); !error.empty()) return fail(path, error);
  std::sort(members.begin(), members.end());
  if (members.empty()) fail(path, "is a tar without a file that ends in .json");
  for (const auto& [name, content] : members) {
    std::string padded(content);
    padded.resize(content.size() + kTracePadding);
    read({absl::StrCat(path, ": ", name), {padded.data(), content.size()}, false, [&] {
            std::string().swap(padded);
          }});
  }
}

}  // namespace brigade
