// What a parameter server's job consists of, worked out before it runs: the layers that are sent apart, the
// pieces in which they lie on the servers, and each worker's compute.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/base/bytes.h"
#include "sim/network/spec.h"
#include "sim/workload/compute.h"
#include "sim/workload/job.h"
#include "sim/workload/model.h"

namespace brigade {

// A part of the gradient that lies on one server, and is pushed and pulled as one message.
struct ServerPiece {
  uint32_t unit;
  Rank shard, server;  // server: which of the job's, from 0
  Bytes bytes;
};
// What is pushed as soon as backward has it, and needed by forward at once: the whole gradient, or a layer's.
struct ServerUnit {
  uint32_t first_piece = 0, pieces = 0;  // by shard, ascending; a shard that has nothing of it has no piece
  MessageClass message_class = 0;
};
// Compute of a step on one kind of worker (device model, speed).
struct ServerCompute {
  std::vector<Duration> forward_begin;  // by unit: since forward began, when it is needed
  std::vector<Duration> ready;          // by unit: since backward began, when its gradient is there
  Duration forward{}, backward{};
};

struct ServerPlan {
  Model model;
  std::vector<VertexId> servers;
  Rank shards = 0;
  Bytes gradient, largest_shard;
  std::vector<ServerUnit> units;  // in forward order
  std::vector<ServerPiece> pieces;
  std::vector<uint32_t> kind_of_worker;
  std::vector<ServerCompute> compute;      // by kind
  std::optional<int64_t> tokens_per_step;  // of a worker
  std::vector<std::string> assumptions;

  const ServerCompute& compute_of(Rank worker) const { return compute[kind_of_worker[worker]]; }
};

std::optional<ServerPlan> plan_server(const ParameterServerJobSpec& spec, const JobContext& context,
                                      Diagnostics& errors);

}  // namespace brigade
