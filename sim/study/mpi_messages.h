// What the ranks of a sweep say to each other.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/row.h"

namespace brigade {

enum MpiTag : int {
  kHello = 1,  // to rank 0: threads, then why the rank cannot take part, or nothing
  kPoints,     // of rank 0: numbers of points to run
  kOutcome,    // to rank 0: a row and its line
  kAlive,      // to rank 0, every second
  kStop,       // of rank 0: all is done; not empty where a rank was lost
  kBye         // to rank 0: the rank ends
};

struct MpiMessage {
  int rank = 0, tag = 0;
  std::string bytes;
};

inline void send(int to, MpiTag tag, const std::string& bytes) {
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

// The next message, if one is there.
inline std::optional<MpiMessage> receive() {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return {};
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  MpiMessage message{status.MPI_SOURCE, status.MPI_TAG, std::string(static_cast<size_t>(count), '\0')};
  MPI_Recv(message.bytes.data(), count, MPI_BYTE, message.rank, message.tag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return message;
}

std::string pack(const Outcome& outcome);
Outcome unpack_outcome(const std::string& bytes);
std::string pack(const std::vector<uint64_t>& points);
std::vector<uint64_t> unpack_points(const std::string& bytes);

}  // namespace brigade
