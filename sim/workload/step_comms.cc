#include "sim/workload/step_comms.h"

#include <numeric>

#include "absl/strings/str_cat.h"
#include "sim/base/check.h"
#include "sim/workload/placement.h"

namespace brigade {

StepComms::StepComms(std::vector<StepComm> comms, const JobContext& context) : comms_(std::move(comms)) {
  const auto n = static_cast<Rank>(context.devices.size());
  std::vector<Rank> all(n);
  std::iota(all.begin(), all.end(), Rank{0});
  for (const StepComm& comm : comms_) {
    Members m;
    std::optional<GroupSpec> cut = comm.groups;
    const bool has_all_units = !cut || static_cast<Rank>(cut->size * cut->stride) == context.ranks();
    if (has_all_units) m.fold = context.fold;
    if (cut && has_all_units) cut->size = static_cast<int>(n) / cut->stride;
    m.groups = cut ? groups_of(n, *cut) : std::vector<std::vector<Rank>>{all};
    BRIGADE_CHECK(!m.groups.empty(), n, " ranks cannot be cut for ", comm.among);
    m.group_of.resize(n);
    m.place_of.resize(n);
    for (uint32_t g = 0; g < m.groups.size(); ++g)
      for (Rank i = 0; i < m.groups[g].size(); ++i) {
        m.group_of[m.groups[g][i]] = g;
        m.place_of[m.groups[g][i]] = i;
      }
    members_.push_back(std::move(m));
  }
}

void StepComms::begin(const JobContext& context, Simulation& simulation) {
  for (uint32_t c = 0; c < comms_.size(); ++c) {
    Members& m = members_[c];
    const bool is_cut = m.groups.size() > 1;
    for (uint32_t g = 0; g < m.groups.size(); ++g) {
      std::vector<VertexId> devices;
      for (const Rank r : m.groups[g]) devices.push_back(context.devices[r]);
      const CommId id =
          simulation.add_communicator(context.id, std::move(devices),
                                      absl::StrCat(context.name, comms_[c].name.empty() ? "" : " ",
                                                   comms_[c].name, is_cut ? absl::StrCat(" group ", g) : ""),
                                      {.ranks = is_cut ? m.groups[g] : std::vector<Rank>(), .stream = c});
      if (g == 0) m.first = id;
      BRIGADE_CHECK(id == m.first + g, "communicator ", id, " follows ", m.first);
    }
  }
}

uint32_t StepComms::add(size_t comm, const std::vector<CollectiveCall>& calls, Simulation& simulation) const {
  const Members& m = members_[comm];
  uint32_t index = 0;
  for (uint32_t g = 0; g < m.groups.size(); ++g) index = simulation.add_collective(m.first + g, calls[g]);
  return index;
}

void StepComms::launch(size_t comm, Rank r, Simulation& simulation) const {
  const Members& m = members_[comm];
  simulation.launch(m.first + m.group_of[r], m.place_of[r]);
}

StepComms::Member StepComms::member(const Notice& notice) const {
  size_t comm = members_.size();
  while (notice.comm < members_[--comm].first) BRIGADE_CHECK(comm > 0, "communicator ", notice.comm);
  return {comm, members_[comm].groups[notice.comm - members_[comm].first][notice.rank]};
}

Bytes StepComms::sent(size_t comm, Rank r, const Simulation& simulation) const {
  const Members& m = members_[comm];
  return simulation.sent(m.first + m.group_of[r])[m.place_of[r]];
}

}  // namespace brigade
