// Which kernels are collectives, of what, and among whom: from what the kernel says, else from the operations
// that its launch stands in, else from its name.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "sim/replay/draft.h"

namespace brigade::replay {
namespace {

// Elements beyond this are no sizes.
constexpr int64_t kElementsMax = int64_t{1} << 50;
constexpr int64_t kGroupMax = int64_t{1} << 24;

bool is_nccl(const std::string& kernel) {
  return kernel.starts_with("nccl") || absl::StrContains(kernel, "ncclKernel") ||
         absl::StrContains(kernel, "ncclDevKernel") || kernel.starts_with("rccl");
}

// "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)" -> "AllReduce".
std::string kernels_word(const std::string& kernel) {
  const size_t at = kernel.find("Kernel_");
  if (at == std::string::npos) return "";
  const size_t begin = at + 7, end = kernel.find_first_of("_(", begin);
  return kernel.substr(begin, end == std::string::npos ? end : end - begin);
}

// "nccl:_all_gather_base", "c10d::allreduce_", "allgather_into_tensor_coalesced", "AllReduce".
std::optional<Collective> find_kind(std::string word) {
  constexpr std::pair<const char*, Collective> kKinds[] = {{"allreduce", Collective::kAllReduce},
                                                           {"allgather", Collective::kAllGather},
                                                           {"reducescatter", Collective::kReduceScatter},
                                                           {"broadcast", Collective::kBroadcast},
                                                           {"alltoall", Collective::kAllToAll},
                                                           {"barrier", Collective::kBarrier},
                                                           {"reduce", Collective::kReduce}};
  word = absl::StrReplaceAll(absl::AsciiStrToLower(word), {{"nccl:", ""}, {"c10d::", ""}, {"_", ""}});
  for (const auto& [name, kind] : kKinds)
    if (word.starts_with(name)) return kind;
  return std::nullopt;
}

// As PyTorch names them: c10::toString(ScalarType), and the C++ names of older traces.
int64_t bytes_of_dtype(const std::string& dtype) {
  static const std::map<std::string, int64_t> kBytes = {
      {"byte", 1},         {"char", 1},           {"bool", 1},      {"unsigned char", 1},
      {"signed char", 1},  {"half", 2},           {"bfloat16", 2},  {"short", 2},
      {"c10::half", 2},    {"c10::bfloat16", 2},  {"int", 4},       {"float", 4},
      {"long", 8},         {"long int", 8},       {"double", 8},    {"long long", 8},
      {"complexfloat", 8}, {"uint16", 2},         {"uint32", 4},    {"uint64", 8},
      {"complexhalf", 4},  {"complexdouble", 16}, {"short int", 2}, {"unsigned int", 4},
      {"unsigned long", 8}};
  const std::string small = absl::AsciiStrToLower(dtype);
  if (small.starts_with("float8") || small.starts_with("c10::float8")) return 1;
  const auto it = kBytes.find(small);
  return it == kBytes.end() ? 0 : it->second;
}

int64_t sum_of(const std::vector<int64_t>& elements) {
  int64_t sum = 0;
  for (const int64_t e : elements) sum = std::min(sum + e, kElementsMax + 1);
  return sum;
}

class Collectives {
 public:
  Collectives(Draft& draft, Diagnostics& errors) : draft_(draft), errors_(errors) {}

  bool find() {
    std::vector<Task> kept;
    std::map<std::pair<uint32_t, int32_t>, uint32_t> of_op;  // operation and stream: task
    for (Task& t : draft_.tasks) {
      const TraceDetail* said = detail(draft_.trace.events[t.event].detail);
      if (!is_nccl(draft_.name_of(t.event)) && (said == nullptr || said->collective.empty())) {
        kept.push_back(std::move(t));
        continue;
      }
      const CallContext* context = t.launch == kNone ? nullptr : &draft_.calls[t.launch].context;
      if (context != nullptr && context->op != kNone) {
        const auto [it, is_new] = of_op.try_emplace({context->op, draft_.trace.events[t.event].stream},
                                                    static_cast<uint32_t>(kept.size()));
        if (!is_new) {
          kept[it->second].end_ns = std::max(kept[it->second].end_ns, t.end_ns);
          ++pieces_;
          continue;
        }
      }
      if (add(t, context)) kept.push_back(std::move(t));
    }
    draft_.tasks = std::move(kept);
    return report();
  }

 private:
  const TraceDetail* detail(int32_t index) const {
    return index < 0 ? nullptr : &draft_.trace.details[static_cast<size_t>(index)];
  }

  // False: the kernel is no collective that can be replayed; `refused_` says why.
  bool add(Task& t, const CallContext* context) {
    const TraceEvent& kernel = draft_.trace.events[t.event];
    Sources s;
    if (const TraceDetail* own = detail(kernel.detail); own != nullptr && !own->collective.empty())
      s.said.push_back(own);
    if (context != nullptr) {
      if (const TraceDetail* op = detail(context->detail)) s.said.push_back(op);
      s.annotation = detail(context->annotation);
      s.tensors = detail(context->tensors);
      if (context->annotation_name != kNone) s.word = draft_.trace.names[context->annotation_name];
      if (s.word.empty() && context->tensors_name != kNone)
        s.word = draft_.trace.names[context->tensors_name];
    }
    ReplayCollective c;
    c.traced_as = !s.said.empty() ? s.said.front()->collective : !s.word.empty() ? s.word : "";
    const std::string by_kernel = kernels_word(draft_.name_of(t.event));
    if (c.traced_as.empty()) c.traced_as = by_kernel;
    std::optional<Collective> kind = find_kind(c.traced_as);
    if (!kind && absl::StrContains(c.traced_as, "coalesced")) kind = find_kind(by_kernel);
    if (!kind)
      return refuse(absl::StrCat("\"", c.traced_as.empty() ? draft_.name_of(t.event) : c.traced_as, "\""));
    c.collective = *kind;
    take_sizes(s, c);
    if (c.in_elements < 0 || c.element_bytes == 0)
      return refuse(absl::StrCat("\"", c.traced_as, "\" of unknown ", c.in_elements < 0 ? "size" : "dtype",
                                 c.in_elements >= 0 && !c.dtype.empty() ? " " + c.dtype : ""));
    if (c.in_elements > kElementsMax || c.out_elements > kElementsMax)
      return refuse(absl::StrCat("\"", c.traced_as, "\" of an absurd size"));
    c.group = group_of(s, c);
    if (draft_.groups[c.group].size < 1 || draft_.groups[c.group].size > kGroupMax)
      return refuse(absl::StrCat("\"", c.traced_as, "\" among an absurd number of ranks"));
    if (c.out_elements < 0) c.out_elements = missing_out(c, draft_.groups[c.group].size);
    t.collective = static_cast<uint32_t>(draft_.collectives.size());
    draft_.collectives.push_back(std::move(c));
    return true;
  }

  // Who speaks of a collective, in the order in which they are believed.
  struct Sources {
    std::vector<const TraceDetail*> said;  // kernel, record_param_comms
    const TraceDetail* annotation = nullptr;
    const TraceDetail* tensors = nullptr;
    std::string word;
  };

  static void take_sizes(const Sources& s, ReplayCollective& c) {
    c.in_elements = c.out_elements = -1;
    for (const TraceDetail* d : s.said) {
      if (c.in_elements < 0) c.in_elements = d->in_elements;
      if (c.out_elements < 0) c.out_elements = d->out_elements;
      if (c.dtype.empty()) c.dtype = d->dtype;
      if (c.in_split.empty()) c.in_split = d->in_split;
      if (c.out_split.empty()) c.out_split = d->out_split;
    }
    const auto dtype_of = [](const TraceDetail& d) { return d.input_types.empty() ? "" : d.input_types[0]; };
    if (c.in_elements < 0 && s.annotation != nullptr && !s.annotation->input_elements.empty())
      c.in_elements = sum_of(s.annotation->input_elements);
    if (c.dtype.empty() && s.annotation != nullptr) c.dtype = dtype_of(*s.annotation);
    // (output, input, ...) of c10d::alltoall_base_, _allgather_base_, _reduce_scatter_base_.
    if (s.tensors != nullptr && s.tensors->input_elements.size() >= 2 &&
        (c.collective == Collective::kAllToAll || c.collective == Collective::kAllGather ||
         c.collective == Collective::kReduceScatter)) {
      if (c.out_elements < 0) c.out_elements = s.tensors->input_elements[0];
      if (c.in_elements < 0) c.in_elements = s.tensors->input_elements[1];
      if (c.dtype.empty()) c.dtype = dtype_of(*s.tensors);
    }
    if (c.collective == Collective::kBarrier) {
      c.in_elements = 0;
      if (c.dtype.empty()) c.dtype = "Byte";
    }
    c.element_bytes = bytes_of_dtype(c.dtype);
  }

  static int64_t missing_out(const ReplayCollective& c, int64_t ranks) {
    if (c.collective == Collective::kAllGather) return std::min(c.in_elements, kElementsMax / ranks) * ranks;
    return c.collective == Collective::kReduceScatter ? c.in_elements / ranks : c.in_elements;
  }

  uint32_t group_of(const Sources& s, ReplayCollective& c) {
    ReplayGroup g;
    for (const TraceDetail* d : s.said) {
      if (g.name.empty()) g.name = d->group_name;
      if (g.size < 1) g.size = d->group_size;
      if (g.ranks.empty() && static_cast<int64_t>(d->group_ranks.size()) == g.size) g.ranks = d->group_ranks;
    }
    for (const TraceDetail* d : s.said)
      if (g.ranks.empty() && d->rank_stride > 0 && d->rank_start >= 0 && d->rank_stride < kGroupMax &&
          g.size > 1 && g.size <= kGroupMax)
        for (int64_t i = 0; i < g.size; ++i) g.ranks.push_back(d->rank_start + i * d->rank_stride);
    for (const ProcessGroup& known : draft_.trace.groups)
      if (g.ranks.empty() && known.name == g.name && static_cast<int64_t>(known.ranks.size()) == g.size)
        g.ranks = known.ranks;
    if (g.size < 1) g.size = size_from_buffers(c);
    std::sort(g.ranks.begin(), g.ranks.end());
    if (std::adjacent_find(g.ranks.begin(), g.ranks.end()) != g.ranks.end()) g.ranks.clear();
    if (g.ranks.empty() && g.size == draft_.trace.world_size && g.size <= kGroupMax)
      for (int64_t r = 0; r < g.size; ++r) g.ranks.push_back(r);
    const auto it = std::find(draft_.groups.begin(), draft_.groups.end(), g);
    if (it != draft_.groups.end()) return static_cast<uint32_t>(it - draft_.groups.begin());
    draft_.groups.push_back(std::move(g));
    return static_cast<uint32_t>(draft_.groups.size() - 1);
  }

  // All-gather and reduce-scatter show among how many they are; of others the whole job is assumed.
  int64_t size_from_buffers(const ReplayCollective& c) {
    const int64_t small = std::min(c.in_elements, c.out_elements);
    const int64_t large = std::max(c.in_elements, c.out_elements);
    const bool shows = c.collective == Collective::kAllGather || c.collective == Collective::kReduceScatter;
    if (shows && small > 0 && large % small == 0) return large / small;
    ++of_all_;
    return draft_.trace.world_size;
  }

  bool refuse(const std::string& what) {
    ++refused_[what];
    return false;
  }

  bool report() {
    if (pieces_ > 0)
      draft_.assumed.push_back(counted(pieces_, "NCCL kernel") +
                               " of the same operation as the one before: one collective with it");
    if (of_all_ > 0)
      draft_.assumed.push_back(counted(of_all_, "collective") + " without a group: among all ranks");
    if (!refused_.empty()) {
      std::vector<std::string> list;
      for (const auto& [what, count] : refused_) list.push_back(absl::StrCat(what, " (", count, ")"));
      errors_.error({draft_.trace.file, 0, 0},
                    absl::StrCat("communication that cannot be replayed: ", absl::StrJoin(list, ", "),
                                 "; allowed: all_reduce, all_gather, reduce_scatter, broadcast, reduce, "
                                 "all_to_all, barrier, with size and dtype"));
      return false;
    }
    if (!draft_.collectives.empty()) return true;
    errors_.error(
        {draft_.trace.file, 0, 0},
        "holds no collective: no kernel of NCCL was launched within its steps; expected the trace of "
        "a job on several GPUs");
    return false;
  }

  Draft& draft_;
  Diagnostics& errors_;
  std::map<std::string, int64_t> refused_;
  int64_t pieces_ = 0, of_all_ = 0;
};

}  // namespace

bool find_collectives(Draft& draft, Diagnostics& errors) { return Collectives(draft, errors).find(); }

}  // namespace brigade::replay
