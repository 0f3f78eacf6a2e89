// `comm_hook`, of the kinds ddp and training.
#include <optional>
#include <utility>
#include <vector>

#include "sim/scenario/job_reader.h"

namespace brigade {

void read_comm_hook(Fields& in, bool of_ddp, CommHookSpec& out) {
  constexpr int kStepsMax = 1'000'000;
  std::vector<std::pair<std::string, CommHook>> hooks = {{"none", CommHook::kNone},
                                                         {"fp16", CommHook::kFp16},
                                                         {"bf16", CommHook::kBf16},
                                                         {"topk", CommHook::kTopK},
                                                         {"powersgd", CommHook::kPowerSgd}};
  constexpr const char* kMeaning = "how gradients are compressed on their way";
  if (of_ddp) {
    hooks.push_back({"local_sgd", CommHook::kLocalSgd});
    std::optional<CommHook> hook;
    in.optional("comm_hook", choice<CommHook>(hooks), hook, kMeaning);
    out.kind = hook.value_or(CommHook::kNone);
  } else {
    in.defaulted("comm_hook", choice<CommHook>(hooks), out.kind, kMeaning);
  }
  in.when("comm_hook: topk", out.kind == CommHook::kTopK,
          [&] { in.defaulted("topk_share", share(true, 100), out.share, "of the elements that is sent"); });
  in.when("comm_hook: powersgd", out.kind == CommHook::kPowerSgd, [&] {
    in.defaulted("powersgd_rank", whole<int>(1, 64), out.rank, "of the matrices that are sent");
    if (of_ddp)
      in.defaulted("powersgd_start", whole<int>(0, kStepsMax), out.start_step,
                   "steps before it, which are not compressed (PyTorch's own default: 1000)");
  });
  if (!of_ddp) return;
  in.when("comm_hook: local_sgd", out.kind == CommHook::kLocalSgd, [&] {
    in.defaulted("local_sgd_every", whole<int>(1, kStepsMax), out.every,
                 "steps from one averaging of the parameters to the next; gradients are not reduced");
  });
}

}  // namespace brigade
