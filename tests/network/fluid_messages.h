// Messages over a fluid network without an engine: what the tests of this folder share.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/network/fluid_network.h"
#include "tests/oracle/machines.h"

namespace brigade {

struct FluidMessage {
  VertexId from, to;
  Bytes bytes;
  Time start{};
  FlowShare share = {};
};

struct FluidTimes {
  std::vector<Time> left, delivered;  // by message
  int64_t recomputed = 0, settled = 0, events = 0;
  Time end{};
};

inline NetworkSpec fluid_spec() {
  NetworkSpec spec;
  spec.model = NetworkModel::kFluid;
  return spec;
}

// The engine's loop, without collectives. `shuffled`: events are created in another order.
inline FluidTimes run_fluid(const Topology& topology, const std::vector<FluidMessage>& messages,
                            bool shuffled = false) {
  FluidNetwork network(topology, fluid_spec());
  network.begin_execution(0, 0, 0, 0);
  Queue queue;
  std::map<uint32_t, size_t> message_of;  // by flow under way
  FluidTimes times;
  times.left.resize(messages.size(), kNever);
  times.delivered.resize(messages.size(), kNever);
  constexpr uint8_t kStart = kFirstEngineEvent;
  for (size_t i = 0; i < messages.size(); ++i) {
    const size_t m = shuffled ? messages.size() - 1 - i : i;
    queue.push({messages[m].start, static_cast<uint32_t>(m), 0, kStart, 0});
  }
  while (queue.size() != network.idle_events()) {
    const auto batch = queue.next_batch();
    network.order(batch, true);
    times.events += static_cast<int64_t>(batch.size());
    for (const Event& e : batch) {
      if (e.kind == kStart) {
        const FluidMessage& m = messages[e.id];
        const uint32_t f = network.launch({.from_vertex = m.from,
                                           .to_vertex = m.to,
                                           .from = m.from,
                                           .to = m.to,
                                           .round = e.id,
                                           .index = 0,
                                           .alone = true,
                                           .execution = 0,
                                           .bytes = m.bytes,
                                           .flow_key = e.id},
                                          m.share);
        BRIGADE_CHECK(f != kNone, "no route");
        message_of[f] = e.id;
        if (const auto left = network.offer<false>(f, queue)) times.left[e.id] = *left;
      } else if (e.kind == kDelivered) {
        BRIGADE_CHECK(network.delivered(e.id, queue), "a message has parts");
        const Delivery d = network.receive(e.id);
        times.delivered[d.round] = queue.now();
        message_of.erase(e.id);
      } else if (batch.front().kind != kLinkFree) {
        queue.push(e);
      } else if (const auto served = network.choose(e.id, queue); served.left) {
        times.left[message_of.at(served.flight)] = *served.left;
      }
    }
  }
  times.end = queue.now();
  times.recomputed = network.shares().recomputed;
  times.settled = network.shares().settled;
  return times;
}

// GPUs in a row that relay for each other, one cable for each bandwidth.
inline std::unique_ptr<const Topology> row(const std::vector<Bandwidth>& bandwidths, Duration latency) {
  ClusterSpec spec;
  spec.name = "row";
  for (size_t i = 0; i <= bandwidths.size(); ++i) {
    VertexSpec v;
    v.name = "gpu[" + std::to_string(i) + "]";
    v.kind = "gpu";
    v.forward = true;
    spec.vertices.push_back(v);
    if (i == bandwidths.size()) continue;
    CableSpec cable;
    cable.bandwidth = bandwidths[i];
    cable.latency = latency;
    spec.cables.push_back({v.name, "gpu[" + std::to_string(i + 1) + "]", cable});
  }
  Diagnostics errors;
  auto topology = build_topology(spec, {}, errors);
  BRIGADE_CHECK(topology != nullptr, errors.text());
  return topology;
}

}  // namespace brigade
