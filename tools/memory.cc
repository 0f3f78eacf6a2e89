// brigade memory MODEL
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "sim/report/memory_report.h"
#include "tools/command.h"

namespace brigade {
namespace {

struct MemoryArguments {
  MemoryOptions options;
  bool json = false, csv = false;
};

int print(const MemoryArguments& a) {
  std::string error;
  const std::optional<MemoryReport> report = memory_report(a.options, error);
  if (!report) {
    print_message(absl::StrCat("memory: ", error));
    return kInputError;
  }
  const char* no_colour = std::getenv("NO_COLOR");
  const bool colour = isatty(STDOUT_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
  return write_result(a.json  ? memory_json(*report)
                      : a.csv ? memory_csv(*report)
                              : memory_text(*report, colour));
}

}  // namespace

void add_memory(CLI::App& app, int& exit_code) {
  constexpr int64_t kSamplesMax = 1'000'000, kTokensMax = 1 << 20, kChannelsMax = 1024;
  CLI::App* command =
      app.add_subcommand("memory", "print what each device holds, and the largest model that fits");
  const auto a = std::make_shared<MemoryArguments>();
  MemoryOptions& o = a->options;
  command->add_option("model", o.model, "a known model, or a number of parameters: 7e9")
      ->required()
      ->type_name("MODEL");
  command->add_option("-n,--ranks", o.ranks, "devices that share the model states; 1 unless told")
      ->type_name("N")
      ->check(CLI::Range(Rank{1}, Rank{1} << 20));
  command->add_option("--shard-group", o.shard_group, "of fsdp2: devices that share; all of them unless told")
      ->type_name("N")
      ->check(CLI::Range(Rank{1}, Rank{1} << 20));
  command->add_option("--reshard", o.reshard, "of fsdp2: to so many devices after forward")
      ->type_name("N")
      ->check(CLI::Range(Rank{2}, Rank{1} << 20));
  command->add_option("--preset", o.preset, "deepspeed, fsdp2, megatron or horovod; deepspeed unless told")
      ->type_name("NAME");
  command->add_option("--stage", o.stage, "0 is DDP, 1 to 3 of ZeRO; the preset's own unless told")
      ->type_name("0..3")
      ->check(CLI::Range(0, 3));
  command->add_option("--device-memory", o.device_memory, "of each device, to say what fits")
      ->type_name("SIZE");
  command->add_option("--batch", o.samples, "samples of a micro-batch; 1 unless told")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, kSamplesMax));
  command->add_option("--sequence", o.sequence, "tokens of a sample; the model's own unless told")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, kTokensMax));
  command->add_option("--precision", o.precision, "bf16, fp16 or fp32; bf16 unless told")->type_name("NAME");
  command->add_flag("--fp32-gradients", o.fp32_gradients,
                    "gradients in fp32 beside those in 16 bits: 20 bytes");
  command->add_option("--activations", o.activations, "zero_paper, standard or flash; flash unless told")
      ->type_name("NAME");
  command->add_option("--recompute", o.recompute, "none, selective or full; none unless told")
      ->type_name("NAME");
  command
      ->add_option("--offload", o.offload,
                   "to the hosts: optimizer (stage 1 to 3), parameters too (stage 3); none unless told")
      ->type_name("NAME");
  command->add_option("--channels", o.channels, "of NCCL, for its buffers; 16 unless told")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, kChannelsMax));
  command->add_option("--context", o.context, "what the process holds itself; 1343MiB unless told")
      ->type_name("SIZE");
  command->add_flag("--json", a->json, "as JSON");
  command->add_flag("--csv", a->csv, "a line a component")->excludes("--json");
  command->callback([a, &exit_code] { exit_code = print(*a); });
}

}  // namespace brigade
