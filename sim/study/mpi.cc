#include "sim/study/mpi.h"

#include <cstdlib>

#include "sim/base/check.h"
#ifdef BRIGADE_MPI
#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "sim/report/json.h"
#include "sim/study/mpi_coordinator.h"
#include "sim/study/mpi_messages.h"
#endif

namespace brigade {

bool started_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* size = std::getenv(name);
    if (size != nullptr && std::atoi(size) > 1) return true;
  }
  return false;
}

#ifdef BRIGADE_MPI

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 1;
constexpr auto kHeartbeat = std::chrono::milliseconds(500);
constexpr auto kFarewell = std::chrono::seconds(10);  // for a rank that is alive to say goodbye

}  // namespace

std::string pack(const Outcome& outcome) {
  const Row& row = outcome.row;
  Json json = {{"point", row.point}, {"error", row.error}, {"line", outcome.line}};
  json["cells"] = row.cells;
  json["unknown"] = row.unknown;
  json["warnings"] = row.warnings;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Outcome unpack_outcome(const std::string& bytes) {
  const Json json = Json::parse(bytes);
  Outcome outcome;
  outcome.row.point = json["point"];
  outcome.row.error = json["error"];
  outcome.line = json["line"];
  for (const Json& cell : json["cells"]) outcome.row.cells.push_back(cell);
  outcome.row.unknown = json["unknown"].get<std::vector<std::string>>();
  outcome.row.warnings = json["warnings"].get<std::vector<std::string>>();
  return outcome;
}

std::string pack(const std::vector<uint64_t>& points) {
  return {reinterpret_cast<const char*>(points.data()), points.size() * sizeof(uint64_t)};
}

std::vector<uint64_t> unpack_points(const std::string& bytes) {
  std::vector<uint64_t> points(bytes.size() / sizeof(uint64_t));
  std::memcpy(points.data(), bytes.data(), points.size() * sizeof(uint64_t));
  return points;
}

bool has_mpi() { return true; }

MpiRanks::MpiRanks() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

MpiRanks::~MpiRanks() {
  if (!lost_) MPI_Finalize();
}

void MpiRanks::coordinate(const PreparedStudy& prepared, int threads, double patience_s,
                          const std::vector<size_t>& points, const std::function<bool(Outcome)>& on_outcome,
                          std::vector<std::string>& messages) {
  MpiCoordinator coordinator(prepared, size_, threads, patience_s, points, messages);
  coordinator.run(on_outcome);
  lost_ = coordinator.lost_any();
}

void MpiRanks::serve(const PreparedStudy* prepared, int threads, const std::string& refusal) {
  BRIGADE_CHECK(prepared != nullptr || !refusal.empty(), "rank ", rank_, " has no study");
  send(0, kHello, absl::StrCat(threads, " ", refusal));
  if (!refusal.empty()) {
    char lost = 0;
    MPI_Recv(&lost, 1, MPI_BYTE, 0, kStop, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    lost_ = lost != 0;
    return send(0, kBye, "");
  }
  WorkerPool pool(threads, prepared->study, prepared->columns);
  for (Clock::time_point said = Clock::now();;) {
    while (const auto outcome = pool.pop(kPollMs)) send(0, kOutcome, pack(*outcome));
    while (const auto message = receive()) {
      if (message->tag == kStop) {
        lost_ = !message->bytes.empty();
        return send(0, kBye, "");
      }
      for (const uint64_t point : unpack_points(message->bytes)) pool.push(point);
    }
    if (Clock::now() - said < kHeartbeat) continue;
    said = Clock::now();
    send(0, kAlive, "");
  }
}

void MpiRanks::dismiss(std::vector<std::string>& messages) {
  if (rank_ != 0 || dismissed_) return;
  dismissed_ = true;
  for (int rank = 1; rank < size_; ++rank) send(rank, kStop, lost_ ? "!" : "");
  int gone = 0;
  const Clock::time_point begin = Clock::now();
  while (gone < size_ - 1 && Clock::now() - begin < (lost_ ? std::chrono::seconds(1) : kFarewell)) {
    while (const auto message = receive()) gone += message->tag == kBye;
  }
  if (gone == size_ - 1 || lost_) return;
  lost_ = true;
  messages.push_back(absl::StrCat(size_ - 1 - gone, " of ", size_, " ranks did not say goodbye"));
}

#else

bool has_mpi() { return false; }

// Whoever calls these has asked has_mpi().
MpiRanks::MpiRanks() { BRIGADE_CHECK(false, "built without MPI"); }
MpiRanks::~MpiRanks() = default;
void MpiRanks::coordinate(const PreparedStudy&, int, double, const std::vector<size_t>&,
                          const std::function<bool(Outcome)>&, std::vector<std::string>&) {}
void MpiRanks::serve(const PreparedStudy*, int, const std::string&) {}
void MpiRanks::dismiss(std::vector<std::string>&) { lost_ = dismissed_ = true; }

#endif

}  // namespace brigade
