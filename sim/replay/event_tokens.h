// Which keys of an event are looked at, and which categories: the dialects of Kineto, old and new.
#pragma once
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "sim/replay/events.h"

namespace brigade {

// The tokens of one event that somebody asks for, as they stand in the file.
struct Tokens {
  std::string_view ph, cat, name, pid, tid, ts, dur;
  std::string_view correlation, stream, device;
  std::string_view collective, dtype, in_elements, out_elements, group_size, rank_start, rank_stride;
  std::string_view group_name, group_ranks, in_split, out_split, dims, types;
  std::string_view wait_on_stream, wait_on_record;
};

struct KnownKey {
  std::string_view key;
  std::string_view Tokens::*token;
};
inline constexpr KnownKey kEventKeys[] = {
    {"ph", &Tokens::ph},   {"cat", &Tokens::cat}, {"name", &Tokens::name}, {"pid", &Tokens::pid},
    {"tid", &Tokens::tid}, {"ts", &Tokens::ts},   {"dur", &Tokens::dur}};
inline constexpr KnownKey kArgKeys[] = {{"correlation", &Tokens::correlation},
                                        {"stream", &Tokens::stream},
                                        {"device", &Tokens::device},
                                        {"Collective name", &Tokens::collective},
                                        {"dtype", &Tokens::dtype},
                                        {"In msg nelems", &Tokens::in_elements},
                                        {"Out msg nelems", &Tokens::out_elements},
                                        {"Group size", &Tokens::group_size},
                                        {"Global rank start", &Tokens::rank_start},
                                        {"Global rank stride", &Tokens::rank_stride},
                                        {"Process Group Name", &Tokens::group_name},
                                        {"Process Group Ranks", &Tokens::group_ranks},
                                        {"In split size", &Tokens::in_split},
                                        {"Out split size", &Tokens::out_split},
                                        {"Input Dims", &Tokens::dims},
                                        {"Input type", &Tokens::types},
                                        {"wait_on_stream", &Tokens::wait_on_stream},
                                        {"wait_on_cuda_event_record_corr_id", &Tokens::wait_on_record}};

// Of the file's categories, in small letters.
inline std::optional<EventKind> event_kind_of(std::string_view cat) {
  constexpr std::pair<std::string_view, EventKind> kKinds[] = {
      {"cpu_op", EventKind::kOp},         {"operator", EventKind::kOp},
      {"kernel", EventKind::kTask},       {"gpu_memcpy", EventKind::kTask},
      {"gpu_memset", EventKind::kTask},   {"memcpy", EventKind::kTask},
      {"memset", EventKind::kTask},       {"user_annotation", EventKind::kAnnotation},
      {"cuda_runtime", EventKind::kCall}, {"cuda_driver", EventKind::kCall},
      {"runtime", EventKind::kCall},      {"hip_runtime", EventKind::kCall},
      {"cuda_sync", EventKind::kSync}};
  const std::string small = absl::AsciiStrToLower({cat.data(), cat.size()});
  for (const auto& [name, kind] : kKinds)
    if (name == small) return kind;
  return std::nullopt;
}

}  // namespace brigade
