// Covered by tests/scenario/imports_others.cc.
#include "sim/topology/smi_matrix.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace brigade {
namespace {

constexpr size_t kDevicesMax = 1024;
constexpr int kLinksMax = 64;
constexpr std::array<const char*, kSmiLevels> kLevelNames = {"PIX", "PXB", "PHB", "NODE", "SYS"};

// Without the escapes that underline the header on a terminal.
std::string plain_line(std::string_view line) {
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b' && i + 1 < line.size() && line[i + 1] == '[') {
      while (i < line.size() && !absl::ascii_isalpha(static_cast<unsigned char>(line[i]))) ++i;
    } else {
      text += line[i];
    }
  }
  return text;
}

std::vector<std::string> words_of(std::string_view line) {
  return absl::StrSplit(plain_line(line), absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
}

bool is_gpu_name(std::string_view word) {
  return word.starts_with("GPU") && word.size() > 3 &&
         word.find_first_not_of("0123456789", 3) == std::string_view::npos;
}

bool is_entry(std::string_view word) {
  const bool nvlink = word.size() > 2 && word.starts_with("NV") &&
                      word.find_first_not_of("0123456789", 2) == std::string_view::npos;
  return nvlink || word == "X" ||
         std::find(kLevelNames.begin(), kLevelNames.end(), word) != kLevelNames.end();
}

// The columns of the matrix: from GPU0 up to "CPU Affinity".
std::vector<std::string> columns_of(std::string_view line) {
  std::vector<std::string> words = words_of(line);
  if (words.empty() || !is_gpu_name(words.front())) return {};
  const auto end = std::find_if(words.begin(), words.end(), [](const std::string& w) {
    return w == "CPU" || w == "NUMA" || w == "Affinity";
  });
  words.erase(end, words.end());
  // A row of the matrix begins like the header.
  return words.size() > 1 && is_entry(words[1]) ? std::vector<std::string>{} : words;
}

class MatrixReader {
 public:
  MatrixReader(const ImportSource& source, Diagnostics& errors) : source_(source), errors_(errors) {}

  std::vector<SmiDevice> read() {
    const std::vector<std::string_view> lines = absl_lines();
    size_t header = 0;
    while (header < lines.size() && columns_of(lines[header]).empty()) ++header;
    if (header == lines.size()) {
      errors_.error(source_.line(1), "no header with GPU0, GPU1, ...");
      return {};
    }
    const std::vector<std::string> columns = columns_of(lines[header]);
    if (columns.size() > kDevicesMax) {
      errors_.error(source_.line(static_cast<int>(header) + 1),
                    absl::StrCat(columns.size(), " columns; allowed: ", kDevicesMax));
      return {};
    }
    std::vector<SmiDevice> devices;
    for (size_t l = header + 1; l < lines.size() && devices.size() < columns.size(); ++l) {
      const std::vector<std::string> words = words_of(lines[l]);
      if (words.empty()) continue;
      const size_t known = devices.size();
      if (words.front() != columns[known]) {
        errors_.error(source_.line(static_cast<int>(l) + 1),
                      absl::StrCat("expected the row of ", plain_text(columns[known]), ", found ",
                                   plain_text(words.front())));
        return {};
      }
      read_row(words, columns, static_cast<int>(l) + 1, devices);
    }
    if (devices.size() < columns.size()) {
      errors_.error(source_.line(static_cast<int>(header) + 1),
                    absl::StrCat("the header names ", columns.size(), " devices, and there are ",
                                 devices.size(), " rows"));
    }
    return devices;
  }

 private:
  std::vector<std::string_view> absl_lines() const {
    std::vector<std::string_view> lines;
    for (std::string_view rest = source_.text(); !rest.empty();) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      lines.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return lines;
  }

  void read_row(const std::vector<std::string>& words, const std::vector<std::string>& columns, int line,
                std::vector<SmiDevice>& devices) {
    SmiDevice device;
    device.column = words.front();
    device.is_gpu = is_gpu_name(words.front());
    device.at = source_.line(line);
    if (words.size() < columns.size() + 1) {
      errors_.error(device.at,
                    absl::StrCat("the row has ", words.size() - 1, " entries; expected: ", columns.size()));
    }
    for (size_t i = 1; i <= columns.size() && i < words.size(); ++i) {
      device.row.push_back(entry_of(words[i], i - 1 == devices.size(), device.at));
    }
    device.row.resize(columns.size());
    if (words.size() > columns.size() + 1) device.affinity = words[columns.size() + 1];
    devices.push_back(std::move(device));
  }

  SmiEntry entry_of(const std::string& word, bool is_self, const Place& at) {
    SmiEntry entry;
    if (word == "X" && is_self) return entry;
    const auto level = std::find(kLevelNames.begin(), kLevelNames.end(), word);
    if (level != kLevelNames.end()) {
      entry.level = static_cast<SmiLevel>(level - kLevelNames.begin());
      return entry;
    }
    const bool links = word.starts_with("NV") && absl::SimpleAtoi(word.substr(2), &entry.nvlinks) &&
                       entry.nvlinks >= 1 && entry.nvlinks <= kLinksMax;
    if (!links) {
      entry.nvlinks = 0;
      errors_.error(at, absl::StrCat("unknown entry \"", plain_text(word), "\"; allowed: X, NV1 to NV",
                                     kLinksMax, ", PIX, PXB, PHB, NODE, SYS"));
    }
    return entry;
  }

  const ImportSource& source_;
  Diagnostics& errors_;
};

}  // namespace

// A header with GPU0 and a row with an X below it.
bool is_smi_matrix(std::string_view text) {
  const size_t limit = std::min<size_t>(text.size(), 1 << 16);
  const std::string head = plain_line(text.substr(0, limit));
  bool header = false;
  for (const absl::string_view line : absl::StrSplit(head, '\n')) {
    const std::vector<std::string> words = words_of({line.data(), line.size()});
    if (header && !words.empty()) return words.size() > 1 && is_gpu_name(words.front());
    header = header || !columns_of({line.data(), line.size()}).empty();
  }
  return false;
}

std::vector<SmiDevice> read_smi_matrix(const ImportSource& source, Diagnostics& errors) {
  return MatrixReader(source, errors).read();
}

}  // namespace brigade
