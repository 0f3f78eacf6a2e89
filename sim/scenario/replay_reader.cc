// `kind: replay`.
#include "sim/scenario/job_reader.h"

namespace brigade {

void read_replay_job(Fields& in, ReplayJobSpec& out) {
  in.list("trace", Need::kRequired, text(), out.files,
          "PyTorch profiler traces (Kineto; .json, .gz, .tar.gz, folders): of one rank, which stands for "
          "all, or of "
          "all ranks");
  out.files_at = in.place_of("trace");
  in.defaulted("durations", collective_durations(), out.durations,
               "of collectives: on this network; as traced; no time; for ever");
  in.defaulted("unnamed_groups", unnamed_groups(), out.unnamed_groups,
               "ranks of a group of which the trace only says the size");
  read_all_reduce(in, out.all_reduce);
}

Kind<CollectiveDurations> collective_durations() {
  return choice<CollectiveDurations>({{"simulated", CollectiveDurations::kSimulated},
                                      {"traced", CollectiveDurations::kTraced},
                                      {"none", CollectiveDurations::kNone},
                                      {"never", CollectiveDurations::kNever}});
}

Kind<UnnamedGroups> unnamed_groups() {
  return choice<UnnamedGroups>({{"refused", UnnamedGroups::kRefused},
                                {"contiguous", UnnamedGroups::kContiguous},
                                {"strided", UnnamedGroups::kStrided}});
}

}  // namespace brigade
