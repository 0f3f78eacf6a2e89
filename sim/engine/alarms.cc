// Timers that can be set anew. The queue of events cannot cancel: an event that comes at another instant than
// its alarm is set to is stale, and counted as such while it waits.
#include "sim/engine/engine.h"

namespace brigade {

template <class Network>
AlarmId Engine<Network>::add_alarm(JobId job, Rank r, uint8_t token) {
  alarms_.push_back({.job = job, .token = token, .rank = r});
  return static_cast<AlarmId>(alarms_.size() - 1);
}

template <class Network>
void Engine<Network>::set_alarm(AlarmId id, Time at) {
  Alarm& alarm = alarms_[id];
  if (alarm.at == at) return;
  idle_ += alarm.at != kNever;  // the event that it was set to is stale now
  alarm.at = at;
  if (at == kNever) return;
  queue_.push({at, id, 0, kAlarm, 0});
}

template <class Network>
void Engine<Network>::ring(const Event& e) {
  Alarm& alarm = alarms_[e.id];
  if (alarm.at != e.at) {
    --idle_;
    return;
  }
  alarm.at = kNever;
  notices_.push_back(
      {.what = Notice::What::kTimer, .token = alarm.token, .job = alarm.job, .rank = alarm.rank, .at = e.at});
}

template AlarmId Engine<PacketNetwork>::add_alarm(JobId, Rank, uint8_t);
template void Engine<PacketNetwork>::set_alarm(AlarmId, Time);
template void Engine<PacketNetwork>::ring(const Event&);
template AlarmId Engine<FluidNetwork>::add_alarm(JobId, Rank, uint8_t);
template void Engine<FluidNetwork>::set_alarm(AlarmId, Time);
template void Engine<FluidNetwork>::ring(const Event&);

}  // namespace brigade
