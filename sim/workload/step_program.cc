#include "sim/workload/step_program.h"

#include <algorithm>
#include <utility>

#include "sim/base/check.h"

namespace brigade {

uint32_t ProgramBuilder::add(StepOp op) {
  program_.ops.push_back(std::move(op));
  return last();
}

uint32_t ProgramBuilder::add_call(StepCall call) {
  program_.calls.push_back(std::move(call));
  return static_cast<uint32_t>(program_.calls.size() - 1);
}

uint32_t ProgramBuilder::call_at_begin(uint32_t op, StepCall call) {
  const uint32_t number = add_call(std::move(call));
  program_.ops[op].sets_off_at_begin.push_back(number);
  return number;
}

uint32_t ProgramBuilder::call_at_end(uint32_t op, StepCall call) {
  const uint32_t number = add_call(std::move(call));
  program_.ops[op].sets_off_at_end.push_back(number);
  return number;
}

uint32_t ProgramBuilder::read_at_begin(uint32_t op, Bytes bytes) {
  program_.reads.push_back(bytes);
  program_.ops[op].reads_at_begin.push_back(static_cast<uint32_t>(program_.reads.size() - 1));
  return program_.ops[op].reads_at_begin.back();
}

uint32_t ProgramBuilder::read_at_end(uint32_t op, Bytes bytes) {
  program_.reads.push_back(bytes);
  program_.ops[op].reads_at_end.push_back(static_cast<uint32_t>(program_.reads.size() - 1));
  return program_.ops[op].reads_at_end.back();
}

uint32_t ProgramBuilder::call_after(uint32_t before, StepCall call) {
  const uint32_t number = add_call(std::move(call));
  program_.calls[before].sets_off.push_back(number);
  return number;
}

int ProgramBuilder::add_communicator(StepComm comm) {
  program_.comms.push_back(std::move(comm));
  return static_cast<int>(program_.comms.size() - 1);
}

StepProgram ProgramBuilder::finish() && {
  std::vector<uint32_t> number(program_.calls.size(), kNone);
  std::vector<StepCall> calls;
  const auto move_calls = [&](std::vector<uint32_t>& list, const auto& again) -> void {
    for (uint32_t& call : list) {
      const uint32_t old = std::exchange(call, static_cast<uint32_t>(calls.size()));
      number[old] = call;
      calls.push_back(std::move(program_.calls[old]));
      std::vector<uint32_t> further = std::move(calls[call].sets_off);
      again(further, again);
      calls[call].sets_off = std::move(further);
    }
  };
  for (StepOp& op : program_.ops) {
    for (uint32_t& call : op.waits) {
      call = number[call];
      BRIGADE_CHECK(call < calls.size(), op.name, " waits for what nothing before it sets off");
    }
    move_calls(op.sets_off_at_begin, move_calls);
    move_calls(op.sets_off_at_end, move_calls);
  }
  BRIGADE_CHECK(calls.size() == number.size(), calls.size(), " of ", number.size(), " collectives set off");
  program_.calls = std::move(calls);
  return std::move(program_);
}

Bytes peak_bound(const StepProgram& program) {
  Bytes now = program.held, peak = now;
  std::vector<bool> done(program.calls.size());
  const auto end = [&](uint32_t call) {
    if (!done[call]) now = now - program.calls[call].given_back_at_end;
    done[call] = true;
  };
  Bytes on_their_way{};
  const auto take = [&](const std::vector<uint32_t>& calls, const auto& again) -> void {
    for (const uint32_t call : calls) {
      now += program.calls[call].taken_at_launch;
      on_their_way += program.calls[call].given_back_at_host;
      again(program.calls[call].sets_off, again);
    }
  };
  const auto launch = [&](const std::vector<uint32_t>& calls) {
    take(calls, take);
    peak = std::max(peak, now);
  };
  for (const StepOp& op : program.ops) {
    for (const uint32_t call : op.waits) end(call);
    if (op.work == Work::kHostOptimizer) now = now - std::exchange(on_their_way, Bytes{});
    now += op.taken_at_begin;
    launch(op.sets_off_at_begin);
    now = now - op.given_back_at_end;
    launch(op.sets_off_at_end);
  }
  return peak;
}

}  // namespace brigade
