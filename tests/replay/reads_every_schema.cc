// The same step, told as PyTorch told it over the years.
#include <filesystem>
#include <map>

#include <zlib.h>

#include "absl/strings/str_replace.h"
#include "tests/replay/traces.h"

using namespace brigade;

namespace {

// A kernel before, an all-reduce of 1000 floats of 30 us, a kernel after it.
WrittenTrace new_schema() {
  WrittenTrace t;
  t.step(0, 0, 200);
  t.kernel("gemm", 10, 7, 20, 50);
  t.op("record_param_comms", 28, 45, 1, WrittenTrace::comm_args("allreduce", 1000, 1000));
  t.all_reduce(1000, 30, 52, 82);
  t.kernel("adam", 60, 7, 110, 150);
  return t;
}

ReplayGraph replaced(const std::vector<std::pair<const char*, const char*>>& pairs) {
  return graph_of(absl::StrReplaceAll(new_schema().text(), pairs));
}

void check_is_the_step(const ReplayGraph& graph) {
  REQUIRE(graph.collectives.size() == 1);
  const ReplayCollective& c = graph.collectives[0];
  CHECK(c.collective == Collective::kAllReduce);
  CHECK(c.in_elements == 1000);
  CHECK(c.element_bytes == 4);
  CHECK(graph.groups[c.group].ranks == std::vector<int64_t>{0, 1});
  CHECK(traced_time(graph, c) == microseconds(30));
  CHECK(steps_us(graph) == std::vector<double>{200});
}

}  // namespace

TEST_CASE("schemas: names, categories, times and places of sizes") {
  check_is_the_step(graph_of(new_schema()));
  struct Row {
    const char* what;
    std::vector<std::pair<const char*, const char*>> changes;
  };
  const Row rows[] = {
      {"categories of 2021",
       {{"\"kernel\"", "\"Kernel\""},
        {"\"cuda_runtime\"", "\"Runtime\""},
        {"\"cpu_op\"", "\"Operator\""},
        {"\"user_annotation\"", "\"Operator\""}}},
      {"kernels of NCCL before 2.19",
       {{"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
         "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)"}}},
      {"launches by the driver",
       {{"\"cuda_runtime\"", "\"cuda_driver\""}, {"cudaLaunchKernel", "cuLaunchKernel"}}},
      {"HIP", {{"cudaLaunchKernel", "hipExtModuleLaunchKernel"}}},
      {"times with fractions", {{"\"ts\":52,", "\"ts\":52.000,"}, {"\"dur\":30,", "\"dur\":30.0000001,"}}},
      {"times in quotes", {{"\"ts\":52,", "\"ts\":\"52\","}}},
      {"white space", {{",\"", " ,\n\t\""}, {"\":", "\" : "}}},
      {"names with escapes", {{"\"gemm\"", R"("ge\"mm\\ \u00e9 ]},{")"}}},
      {"keys that nobody knows",
       {{"\"args\":{\"", R"("bp":"e","id":7,"args":{"x":[1,{"y":null}],"z":true,")"}}},
      {"no stream among the arguments", {{"\"stream\":20,", ""}, {"\"stream\":7,", ""}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    check_is_the_step(replaced(row.changes));
  }
}

TEST_CASE("schemas: sizes are on the kernel, on the operation, or in the dims of what is around it") {
  const std::string args = WrittenTrace::comm_args("allreduce", 1000, 1000);
  const auto step_with = [&](const std::string& op, const std::string& op_args,
                             const std::string& annotation_args, const std::string& kernel_args) {
    WrittenTrace t;
    t.step(0, 0, 200);
    t.kernel("gemm", 10, 7, 20, 50);
    t.op("c10d::allreduce_", 27, 46, 1, R"("Input Dims":[[],[],[]],"Input type":["TensorList","",""])");
    t.op(op, 28, 45, 1, op_args);
    t.event("user_annotation", "nccl:all_reduce", 100, 1, 29, 14, annotation_args);
    t.kernel("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", 30, 20, 52, 82, 1, kernel_args);
    t.kernel("adam", 60, 7, 110, 150);
    return graph_of(t);
  };
  const std::string dims = R"("Input Dims":[[10,100]],"Input type":["float"])";
  check_is_the_step(step_with("x", "", "", args));
  check_is_the_step(step_with("record_param_comms", args, "", ""));
  check_is_the_step(step_with("record_param_comms", R"("Input Dims":[[],[]])", dims, ""));
}

TEST_CASE("schemas: dims of both buffers tell an uneven all-to-all and the group of an all-gather") {
  WrittenTrace t;
  t.step(0, 0, 400);
  const auto op = [&](double at, const char* name, const char* annotation, const char* dims, const char* in) {
    t.op(name, at, at + 40, 1,
         absl::StrCat(R"("Input Dims":)", dims, R"(,"Input type":["int","int","",""])"));
    t.event("user_annotation", annotation, 100, 1, at + 5, 30,
            absl::StrCat(R"("Input Dims":[)", in, R"(],"Input type":["int"])"));
    t.kernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", at + 10, 20, at + 20, at + 50);
  };
  op(0, "c10d::alltoall_base_", "nccl:all_to_all", "[[768],[3392],[],[]]", "[3392]");
  op(100, "c10d::_allgather_base_", "nccl:_all_gather_base", "[[64],[16],[]]", "[16]");
  op(200, "c10d::_reduce_scatter_base_", "nccl:_reduce_scatter_base", "[[16],[2,32],[]]", "[64]");
  const ReplayGraph graph = graph_of(t.text(0, 8));
  REQUIRE(graph.collectives.size() == 3);
  CHECK(graph.collectives[0].collective == Collective::kAllToAll);
  CHECK(graph.collectives[0].in_elements == 3392);
  CHECK(graph.collectives[0].out_elements == 768);
  CHECK(graph.groups[graph.collectives[0].group].size == 8);
  CHECK(graph.collectives[1].collective == Collective::kAllGather);
  CHECK(graph.collectives[1].out_elements == 64);
  CHECK(graph.groups[graph.collectives[1].group].size == 4);
  CHECK(graph.groups[graph.collectives[1].group].ranks.empty());
  CHECK(graph.collectives[2].collective == Collective::kReduceScatter);
  CHECK(graph.collectives[2].in_elements == 64);
  CHECK(graph.groups[graph.collectives[2].group].size == 4);
}

TEST_CASE("schemas: events may be a bare array, and their keys in any order") {
  std::string list = absl::StrCat("[", absl::StrJoin(new_schema().events(), ",\n"), "]");
  check_is_the_step(graph_of(list));
  WrittenTrace t = new_schema();
  for (std::string& event : t.events()) {
    const size_t args = event.find("\"args\":");
    event =
        absl::StrCat("{", event.substr(args, event.size() - args - 1), ",", event.substr(1, args - 2), "}");
  }
  check_is_the_step(graph_of(t));
}

TEST_CASE("schemas: microseconds since 1970 keep their nanoseconds") {
  WrittenTrace t;
  const auto at = [](const char* us) { return absl::StrCat(R"("ts":1682725898236)", us); };
  t.step(0, 0, 200);
  t.all_reduce(1000, 30, 52, 82);
  std::string text = t.text();
  text = absl::StrReplaceAll(text, {{"\"ts\":0,", at("000.001,")},
                                    {"\"ts\":30,", at("030.001,")},
                                    {"\"ts\":52,", at("052.003,")},
                                    {"\"dur\":30,", "\"dur\":30.456789,"}});
  const ReplayGraph graph = graph_of(text);
  const ReplayNode& node = graph.nodes[graph.collectives[0].node];
  CHECK(node.traced_begin == Time{} + nanoseconds(52'002));
  CHECK(node.work == nanoseconds(30'456));
}

TEST_CASE("schemas: groups are lists, or a start and a stride, or known by their name") {
  const auto ranks_of = [](const std::string& args, const std::string& groups) {
    WrittenTrace t;
    t.step(0, 0, 200);
    t.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 30, 20, 52, 82, 1, args);
    const std::string text =
        absl::StrReplaceAll(t.text(0, 8), {{"\"world_size\": 8", "\"world_size\": 8" + groups}});
    const ReplayGraph graph = graph_of(text);
    return graph.groups[graph.collectives[0].group].ranks;
  };
  const std::string cut = WrittenTrace::comm_args("allreduce", 8, 8, "[0, 2, ...]", 4);
  const std::string known =
      R"(, "pg_config": [{"pg_name": "1", "ranks": [1, 3]}, {"pg_name": "0", "ranks": [0, 1, 4, 5]}])";
  CHECK(ranks_of(WrittenTrace::comm_args("allreduce", 8, 8, "[2, 0]", 2), "") == std::vector<int64_t>{0, 2});
  CHECK(ranks_of(cut + R"(,"Global rank start":0,"Global rank stride":2)", "") ==
        std::vector<int64_t>{0, 2, 4, 6});
  CHECK(ranks_of(cut, known) == std::vector<int64_t>{0, 1, 4, 5});
  CHECK(ranks_of(cut, "").empty());
  CHECK(ranks_of(WrittenTrace::comm_args("allreduce", 8, 8, "[]", 8), "").size() == 8);
}

TEST_CASE("schemas: files may be packed, and several in a folder") {
  const auto folder = std::filesystem::temp_directory_path() / "brigade_replay_files";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& text, bool packed) {
    const std::string path = (folder / name).string();
    const gzFile file = gzopen(path.c_str(), packed ? "wb" : "wbT");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return path;
  };
  Diagnostics errors;
  const auto one = load_replay({write("b.json.gz", new_schema().text(1), true)}, {}, errors);
  REQUIRE(one != nullptr);
  check_is_the_step(one->graphs[0]);
  write("a.json", new_schema().text(0), false);
  write("notes.txt", "no trace", false);
  const auto both = load_replay({folder.string()}, {}, errors);
  REQUIRE(both != nullptr);
  REQUIRE(both->graphs.size() == 2);
  CHECK(both->graphs[0].rank == 0);
  CHECK(both->world == 2);
  std::filesystem::remove_all(folder);
}
