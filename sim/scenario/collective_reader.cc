// `kind: collective`.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sim/base/units.h"
#include "sim/scenario/job_reader.h"

namespace brigade {
namespace {

constexpr int kGroupMax = 1 << 20;

// What stands for a missing `algorithm`: ring, or the first where a collective has no ring.
std::string default_algorithm(Collective collective) {
  const std::vector<std::string> names = algorithm_names(collective);
  const AlgorithmSpec spec;
  const bool usual = names.empty() || std::find(names.begin(), names.end(), spec.algorithm) != names.end();
  return usual ? spec.algorithm : names.front();
}

// A name, a map {name, inner, outer}, or a list of either.
void read_algorithms(Fields& in, Collective collective, std::vector<AlgorithmSpec>& out) {
  const Kind<std::string> name = algorithm_of(collective);
  const auto read_map = [&](Fields& map, AlgorithmSpec& spec) {
    map.required("name", name, spec.algorithm, "of the algorithm");
    read_levels(map, spec);
  };
  const Node* node =
      in.find("algorithm", Need::kDefault, default_algorithm(collective),
              "algorithm, map {name, inner, outer}, or a list of them", name.allowed,
              "each is measured with each size; other collectives have others", [&](Fields& map) {
                AlgorithmSpec described;
                read_map(map, described);
              });
  AlgorithmSpec shared;
  shared.algorithm = default_algorithm(collective);
  read_rounds_and_channels(in, shared);
  if (!node) {
    out.push_back(shared);
    return;
  }
  const auto read_one = [&](const Node& item, const std::string& key) {
    AlgorithmSpec spec = shared;
    if (item.is_map()) {
      in.inside(item, key, [&](Fields& map) { read_map(map, spec); });
    } else {
      in.take(&item, "algorithm", name, spec.algorithm);
    }
    out.push_back(std::move(spec));
  };
  if (!node->is_list()) return read_one(*node, "algorithm");
  if (!in.expect_items(*node, "algorithm")) return;
  for (size_t i = 0; i < node->items.size(); ++i)
    read_one(node->items[i], absl::StrCat("algorithm[", i, "]"));
}

void read_sizes(Fields& in, CollectiveJobSpec& out) {
  constexpr const char* kMeaning = "of the whole buffer, as nccl-tests counts it; barrier needs none";
  in.list("sizes", Need::kOptional, size_or_zero(), out.sizes, kMeaning);
  std::optional<Bytes> one;
  in.optional("size", size_or_zero(), one, "instead of sizes, if there is one");
  if (in.has("sizes") && in.has("size"))
    in.error(in.place_of("size"), "\"size\" and \"sizes\" are given; allowed: one of them");
  if (one) out.sizes = {*one};
  if (in.describing()) return;
  if (out.collective == Collective::kBarrier && out.sizes.empty()) out.sizes = {Bytes{0}};
  if (!in.has("sizes") && !in.has("size") && out.sizes.empty()) {
    in.error(in.place(), "missing key \"sizes\": size (25 MB), or a list of them");
  }
  for (const Bytes size : out.sizes) {
    if (size.count % bytes_of(out.dtype) == 0) continue;
    in.error(in.place_of(in.has("size") ? "size" : "sizes"),
             absl::StrCat("size ", to_string(size), " is not a whole number of ", name_of(out.dtype),
                          " elements of ", bytes_of(out.dtype), " B"));
  }
}

// `[{from: 1-31, to: 0}]`: a range on one side, or on none.
void read_pairs(Fields& in, const char* key, const char* meaning, std::vector<Pair>& out) {
  constexpr size_t kPairsMax = 1 << 20;
  in.maps(key, Need::kOptional, meaning, [&](Fields& pair) {
    std::vector<RankRange> from, to;
    pair.required("from", rank_ranges(), from, "who sends");
    pair.required("to", rank_ranges(), to, "who receives");
    const auto count = [](const std::vector<RankRange>& ranges) {
      uint64_t n = 0;
      for (const RankRange& range : ranges) n += uint64_t{range.last} - range.first + 1;
      return n;
    };
    if (count(from) > 1 && count(to) > 1) {
      return pair.error(pair.place(),
                        "from and to both name several ranks; allowed: several on one side only");
    }
    if (out.size() + count(from) * count(to) > kPairsMax) {
      return pair.error(pair.place(), absl::StrCat("more than ", kPairsMax, " messages"));
    }
    for (const RankRange& f : from) {
      for (const RankRange& t : to) {
        for (Rank i = f.first; i <= f.last; ++i) {
          for (Rank j = t.first; j <= t.last; ++j) out.push_back({i, j});
        }
      }
    }
  });
}

// What a program does wrong, to see what the run says about it.
void read_disagreement(Fields& in, CollectiveJobSpec& out) {
  std::optional<std::vector<RankRange>> callers;
  in.optional("callers", rank_ranges(), callers, "only these ranks call it, a mistake: 0-6; all without");
  out.callers = std::move(callers);
  in.maps("other_sizes", Need::kOptional, "ranks that call it with another size, a mistake",
          [&](Fields& other) {
            CollectiveJobSpec::OtherSize row;
            other.required("ranks", rank_ranges(), row.ranks, "who does");
            other.required("size", size_or_zero(), row.size, "what they take it for");
            if (row.size.count % bytes_of(out.dtype) != 0)
              other.error(other.place_of("size"),
                          absl::StrCat("size ", to_string(row.size), " is not a whole number of ",
                                       name_of(out.dtype), " elements"));
            out.other_sizes.push_back(std::move(row));
          });
}

}  // namespace

void read_collective_job(Fields& in, CollectiveJobSpec& out) {
  in.defaulted("collective", collective(), out.collective, "which collective");
  read_algorithms(in, out.collective, out.algorithms);
  in.defaulted("dtype", dtype(), out.dtype, "type of the elements");
  read_sizes(in, out);
  in.defaulted("root", whole<Rank>(0, kNone - 1), out.root, "rank that broadcast and reduce are rooted at");
  in.when("collective: send_recv", out.collective == Collective::kSendRecv, [&] {
    read_pairs(in, "sends", "messages; without them each rank sends to the next", out.sends);
    std::vector<Pair> receives;
    read_pairs(in, "receives", "what is expected, where it differs from sends", receives);
    if (in.has("receives")) out.receives = std::move(receives);
  });
  read_disagreement(in, out);
  in.map("groups", Need::kOptional, "ranks that run it by themselves, all groups at once",
         [&](Fields& groups) {
           GroupSpec spec;
           groups.required("size", whole<int>(1, kGroupMax), spec.size, "ranks of a group");
           groups.defaulted("stride", whole<int>(1, kGroupMax), spec.stride,
                            "from one rank of a group to the next");
           if (groups.describing()) return;
           out.groups = spec;
           for (const char* key : {"callers", "other_sizes"})
             if (in.has(key)) in.error(in.place_of(key), "groups have no mistakes; allowed: groups or this");
         });
  read_run(in, out.run);
}

}  // namespace brigade
