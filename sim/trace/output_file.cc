#include "sim/trace/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace brigade {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBufferBytes = 1 << 20;
constexpr mode_t kMode = 0666;  // less the umask

// Where the bytes go (`target`), and under which name until they are whole.
struct Destination {
  std::string target, temporary;
  IoError error;
};

IoError cannot_write(const std::string& path, std::string_view why) {
  return absl::StrCat("cannot write ", path, ": ", absl::string_view(why.data(), why.size()));
}

Destination destination_of(const std::string& path) {
  std::error_code code;
  if (path.empty()) return {"", "", cannot_write("\"\"", "the path is empty")};
  const fs::file_status status = fs::status(path, code);
  if (fs::is_directory(status)) return {"", "", cannot_write(path, "it is a directory")};
  if (fs::exists(status) && !fs::is_regular_file(status)) return {path, path, {}};
  std::string target = path;
  if (fs::exists(status)) {
    const fs::path real = fs::canonical(path, code);
    if (code) return {"", "", cannot_write(path, code.message())};
    target = real.string();
    if (access(target.c_str(), W_OK) != 0) return {"", "", cannot_write(path, std::strerror(errno))};
  }
  return {target, absl::StrCat(target, ".", getpid(), ".part"), {}};
}

// For gzdopen: T is transparent, no compression and no header.
const char* open_mode(const std::string& path) { return absl::EndsWith(path, ".gz") ? "wb6" : "wbT"; }

}  // namespace

IoError check_writable(const std::string& path) {
  const Destination to = destination_of(path);
  if (to.error) return to.error;
  if (to.temporary == to.target) {
    return access(to.target.c_str(), W_OK) == 0 ? IoError{} : cannot_write(path, std::strerror(errno));
  }
  const int descriptor = open(to.temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
  if (descriptor < 0) return cannot_write(path, std::strerror(errno));
  ::close(descriptor);
  unlink(to.temporary.c_str());
  return {};
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  Destination to = destination_of(path_);
  if (to.error) {
    error_ = std::move(to.error);
    return;
  }
  target_ = std::move(to.target);
  temporary_ = std::move(to.temporary);
  const int descriptor = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (descriptor < 0) {
    fail("open", errno);
    return;
  }
  file_ = gzdopen(descriptor, open_mode(path_));
  if (file_ == nullptr) {
    ::close(descriptor);
    fail("open", ENOMEM);
    return;
  }
  buffer_.reserve(kBufferBytes);
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  gzclose(file_);
  if (temporary_ != target_) unlink(temporary_.c_str());
}

void OutputFile::fail(const char* doing, int error_number) {
  if (error_) return;
  error_ = cannot_write(path_, absl::StrCat(doing, ": ", std::strerror(error_number)));
}

void OutputFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::flush() {
  if (file_ != nullptr && !error_ && !buffer_.empty()) {
    errno = 0;
    if (gzwrite(file_, buffer_.data(), static_cast<unsigned>(buffer_.size())) == 0) {
      fail("write", errno == 0 ? EIO : errno);
    }
  }
  buffer_.clear();
}

IoError OutputFile::close() {
  flush();
  if (file_ != nullptr) {
    errno = 0;
    const int result = gzclose(file_);
    file_ = nullptr;
    if (result != Z_OK) fail("close", errno == 0 ? EIO : errno);
    if (temporary_ != target_) {
      if (!error_ && rename(temporary_.c_str(), target_.c_str()) != 0) fail("rename", errno);
      if (error_) unlink(temporary_.c_str());
    }
  }
  return error_;
}

}  // namespace brigade
