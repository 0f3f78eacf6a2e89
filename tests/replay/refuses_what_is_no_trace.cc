#include <filesystem>
#include <fstream>

#include <zlib.h>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "tests/replay/traces.h"

using namespace brigade;

namespace {

WrittenTrace sound() {
  WrittenTrace t;
  t.step(0, 0, 200);
  t.kernel("gemm", 10, 7, 20, 50);
  t.all_reduce(1000, 30, 52, 82);
  return t;
}

std::string refusal(const std::string& text) {
  Diagnostics errors;
  CHECK_FALSE(graph_of(text, errors).has_value());
  REQUIRE(errors.errors() == 1);
  const Diagnostic& d = errors.list().front();
  return absl::StrCat(d.place.line, ":", d.place.column, ": ", d.message);
}

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "brigade_replay_refusals") {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream((path_ / name).string(), std::ios::binary) << bytes;
    return (path_ / name).string();
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string packed(const std::string& text) {
  uLongf size = compressBound(text.size()) + 64;
  std::string out(size, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(size);
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string file_refusal(const std::vector<std::string>& paths) {
  Diagnostics errors;
  CHECK(load_replay(paths, {}, errors) == nullptr);
  REQUIRE(!errors.ok());
  return errors.list().front().message;
}

}  // namespace

TEST_CASE("what is no trace is refused in words, at its place") {
  const std::string text = sound().text();
  const std::string last = text.substr(text.rfind("{\"ph\""));
  struct Row {
    std::string text, words;
  };
  const Row rows[] = {
      {"", "0:0: is empty"},
      {" \n\t", "0:0: is empty"},
      {"# Brigade", "0:0: is no JSON; expected a PyTorch (Kineto) trace"},
      {"\x1f\x8b\x08", "0:0: is no JSON"},
      {"{}", "0:0: has no traceEvents"},
      {R"({"traceEvents": 3})", "is no sound JSON"},
      {R"({"traceEvents": [1, 2]})", "is no sound JSON"},
      {R"({"traceEvents": []})", "0:0: holds no call of the host to CUDA"},
      {R"({"schema": "1.1.0-chakra.0.0.4", "nodes": [{"id": 2}]})",
       "0:0: is an execution trace (nodes, no times)"},
      {text.substr(0, text.size() / 2), "is cut short: the JSON does not end"},
      {text.substr(0, text.size() - 1), "is cut short: the JSON does not end"},
      {text.substr(0, text.find("gemm") + 2), "is cut short: the JSON does not end"},
      {text + "{}", "is no sound JSON"},
      {absl::StrReplaceAll(text, {{"\"ts\":52,", "\"ts\":52 3,"}}), "is no sound JSON"},
      {absl::StrReplaceAll(text, {{"\"ts\":52,", "\"ts\":\"soon\","}}), "6:33: an event without a sound ts"},
      {absl::StrReplaceAll(text, {{"\"ts\":52,", ""}}), "an event without a sound ts"},
      {absl::StrReplaceAll(text, {{"\"dur\":30,", "\"dur\":-30,"}}), "an event without a sound dur"},
      {absl::StrReplaceAll(text, {{"\"ts\":52,", "\"ts\":99999999999999999999,"}}),
       "an event without a sound ts"},
      {absl::StrReplaceAll(text, {{"\"name\":\"gemm\",", ""}}), "an event without a name"},
      {absl::StrReplaceAll(text, {{"cuda_runtime", "something"}}), "holds no call of the host to CUDA"},
      {absl::StrReplaceAll(text, {{"\"kernel\"", "\"gpu_user_annotation\""}}),
       "holds no kernel that was launched"},
      {absl::StrReplaceAll(text, {{"ncclDevKernel", "my"}, {"Collective name", "Something"}}),
       "holds no collective"},
      {absl::StrReplaceAll(text, {{"\"device\":0,\"stream\":20", "\"device\":1,\"stream\":20"}}),
       "holds the work of 2 GPUs"},
      {absl::StrReplaceAll(text, {{"\"allreduce\"", "\"send\""}}),
       "communication that cannot be replayed: \"send\" (1); allowed: all_reduce"},
      {absl::StrReplaceAll(text, {{"\"Float\"", "\"Quaternion\""}}), "of unknown dtype Quaternion"},
      {absl::StrReplaceAll(text, {{"\"In msg nelems\":1000", "\"In msg nelems\":-5"}}), "of unknown size"},
      {absl::StrReplaceAll(text, {{"\"dur\":200", "\"dur\":9000000000000"}}), "spans more than 30 days"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text, row.words);
    const std::string said = refusal(row.text);
    CAPTURE(said);
    CHECK(absl::StrContains(said, row.words));
  }
}

TEST_CASE("a trace cut at any byte is refused") {
  const std::string text = sound().text();
  for (size_t size = 0; size < text.size(); ++size) {
    Diagnostics errors;
    CAPTURE(size);
    CHECK_FALSE(graph_of(text.substr(0, size), errors).has_value());
    CHECK(errors.errors() == 1);
  }
}

TEST_CASE("files that cannot be read, or do not make one job, are refused") {
  const Folder folder;
  const std::string text = sound().text();
  const std::string gz = packed(text);
  std::string damaged = gz;
  for (size_t i = damaged.size() / 2; i < damaged.size() / 2 + 20; ++i) damaged[i] = '\x5a';
  const std::string rank0 = folder.write("rank0.json", text),
                    rank1 = folder.write("rank1.json", sound().text(1));
  struct Row {
    std::vector<std::string> paths;
    const char* words;
  };
  std::filesystem::create_directories(folder.path() + "/none");
  const Row rows[] = {
      {{folder.path() + "/nothing.json"}, "cannot be read: No such file"},
      {{folder.path() + "/none"}, "holds no file that ends in .json"},
      {{folder.write("cut.json.gz", gz.substr(0, gz.size() / 2))}, "is a gzip file that was cut short"},
      {{folder.write("damaged.json.gz", damaged)}, "is a broken gzip file"},
      {{folder.write("tar.json", std::string(257, 'x') + "ustar" + std::string(300, '\0'))}, "is a tar that"},
      {{rank0, rank0}, "rank 0 has two traces"},
      {{rank0, rank1, folder.write("rank2.json", sound().text(2, 4))}, "3 traces of a job of 4 ranks"},
      {{rank0, folder.write("rank3.json", sound().text(3, 2))}, "none of rank 1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.words);
    const std::string said = file_refusal(row.paths);
    CAPTURE(said);
    CHECK(absl::StrContains(said, row.words));
  }
  Diagnostics errors;
  CHECK(load_replay({rank1, rank0}, {}, errors) != nullptr);
}
