#include "sim/workload/module_fetcher.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "sim/workload/parameter_homes.h"

namespace brigade {

ModuleFetcher::ModuleFetcher(const ShardInput& in) : in_(in), modules_(in.units.units.size()) {
  const ParameterHomes homes = parameter_homes(in);
  for (size_t m = 0; m < modules_.size(); ++m)
    for (const TensorIndex t : in.units.units[m].tensors) {
      const int64_t elements = in.model.parameters[t].elements, whole = padded(elements, in.ranks);
      const bool persists = elements <= in.spec.persistence_threshold;
      (persists ? persistent_elements_ : modules_[m].elements) += elements;
      (persists ? persistent_padded_ : modules_[m].padded) += whole;
      if (!homes.on_nvme[t]) continue;
      ++modules_[m].buffers;
      modules_[m].on_nvme += whole / in.ranks;
    }
}

Bytes ModuleFetcher::copied(int64_t padded) const {
  return in_.spec.fetches_from_host() ? padded / in_.ranks * Bytes{in_.parameter_bytes} : Bytes{};
}

void ModuleFetcher::begin_micro_batch(std::vector<ShardUse> uses) {
  uses_ = std::move(uses);
  at_ = queue_ = 0;
  in_flight_elements_ = 0;
  for (Module& m : modules_) m.prefetch_passed = 0;
  elements_before_.assign(1, 0);
  for (const ShardUse& use : uses_)
    elements_before_.push_back(elements_before_.back() + in_.units.units[module_of(use)].elements);
  next_use_.assign(uses_.size(), uses_.size());
  std::vector<size_t> next(modules_.size(), uses_.size());
  for (size_t i = uses_.size(); i-- > 0;) {
    next_use_[i] = next[module_of(uses_[i])];
    next[module_of(uses_[i])] = i;
  }
}

StepCall ModuleFetcher::gather_of(const std::vector<uint32_t>& modules, const char* what) {
  StepCall call;
  call.collective = Collective::kAllGather;
  call.dtype = in_.parameter_dtype();
  for (const uint32_t m : modules) {
    call.elements += modules_[m].padded;
    if (modules_[m].buffers > 0) call.reads.push_back(modules_[m].read);
  }
  call.copied = copied(call.elements);
  call.taken_at_launch = call.elements * Bytes{in_.parameter_bytes};
  call.label = absl::StrCat(what, in_.units.units[modules.front()].name);
  if (modules.size() > 1) absl::StrAppend(&call.label, " and ", modules.size() - 1, " more");
  return call;
}

void ModuleFetcher::set_off(const std::vector<uint32_t>& modules, uint32_t call) {
  for (const uint32_t m : modules) {
    modules_[m].available = true;
    modules_[m].waited = false;
    modules_[m].gather = call;
    available_elements_ += modules_[m].elements;
    in_flight_elements_ += modules_[m].elements;
  }
}

void ModuleFetcher::has_read(Module& m, uint32_t read) {
  m.has_read = true;
  m.read = read;
  buffers_used_ += m.buffers;
}

void ModuleFetcher::read_ahead(uint32_t op, ProgramBuilder& out) {
  if (in_.spec.prefetch == 0 || !in_.spec.offload) return;
  int64_t considered = 0;
  for (size_t i = queue_; i < uses_.size() && considered <= 2 * in_flight_elements_; ++i) {
    Module& m = modules_[module_of(uses_[i])];
    considered += m.elements;
    if (!must_be_read(m)) continue;
    if (buffers_used_ + m.buffers > in_.spec.offload->buffer_count) return;
    has_read(m, out.read_at_begin(op, m.on_nvme * Bytes{in_.parameter_bytes}));
  }
}

void ModuleFetcher::release(Module& m, StepOp& op) {
  m.available = false;
  available_elements_ -= m.elements;
  op.given_back_at_end += m.padded * Bytes{in_.parameter_bytes};
  if (m.has_read) buffers_used_ -= m.buffers;
  m.has_read = false;
}

std::vector<uint32_t> ModuleFetcher::next_to_prefetch() {
  const int64_t most = std::min(in_.spec.max_live_parameters - available_elements_, in_.spec.prefetch);
  std::vector<uint32_t> chosen;
  for (int64_t elements = 0; queue_ < uses_.size() && elements < most; ++queue_) {
    const uint32_t m = module_of(uses_[queue_]);
    if (must_be_read(modules_[m])) break;
    modules_[m].prefetch_passed = queue_ + 1;
    if (modules_[m].available || modules_[m].padded == 0) continue;
    if (std::find(chosen.begin(), chosen.end(), m) != chosen.end()) continue;
    chosen.push_back(m);
    elements += modules_[m].elements;
  }
  return chosen;
}

bool ModuleFetcher::is_kept(uint32_t module) const {
  if (modules_[module].prefetch_passed > at_ + 1) return true;
  const size_t next = next_use_[at_];
  return next < uses_.size() &&
         elements_before_[next] - elements_before_[at_ + 1] < in_.spec.max_reuse_distance;
}

uint32_t ModuleFetcher::add(StepOp op, const ShardUse& use, ProgramBuilder& out) {
  const uint32_t module = module_of(use);
  Module& m = modules_[module];
  if (m.padded > 0 && !m.available) {
    if (must_be_read(m)) {
      has_read(m, out.read_at_end(out.last(), m.on_nvme * Bytes{in_.parameter_bytes}));
      buffers_needed_ = std::max(buffers_needed_, buffers_used_);
    }
    set_off({module}, out.call_at_end(out.last(), gather_of({module}, "fetch ")));
  }
  if (m.padded > 0 && !m.waited) {
    op.waits.push_back(m.gather);
    m.waited = true;
    in_flight_elements_ -= m.elements;
    if (in_.copies()) op.moved += 2 * (m.padded * Bytes{in_.parameter_bytes});
  }
  const uint32_t added = out.add(std::move(op));
  queue_ = std::max(queue_, at_ + 1);
  if (const std::vector<uint32_t> ahead = next_to_prefetch(); !ahead.empty())
    set_off(ahead, out.call_at_begin(added, gather_of(ahead, "prefetch ")));
  read_ahead(added, out);
  if (m.available && m.padded > 0 && !is_kept(module)) release(m, out.op(added));
  ++at_;
  return added;
}

void ModuleFetcher::end_micro_batch(ProgramBuilder& out) {
  for (Module& m : modules_)
    if (m.available) release(m, out.op(out.last()));
}

}  // namespace brigade
