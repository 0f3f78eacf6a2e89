// Points of a study on the processes that mpirun started, on one machine or many.
//
// Rank 0 hands points out, takes what comes back and writes it; all ranks run points. Each rank's main thread
// only carries messages, so that it answers while points run. A rank that is silent for `patience_s` is taken
// for lost and its points go to others; a point that is lost twice is a row that says so. (mpirun itself ends
// all ranks when one dies, unless it was started with --enable-recovery; then what has ended is in the
// results file, for --resume.)
//
// Every rank reads the study and its files by itself: they are on a file system that all see.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "sim/study/sweep.h"

namespace brigade {

// Whether mpirun, or the like, started this process as one of several.
bool started_by_mpi();
// Whether this brigade was built with MPI. Without it none of the calls below may be made.
bool has_mpi();

class MpiRanks {
 public:
  MpiRanks();  // MPI_Init
  // MPI_Finalize, unless a rank was lost, which it would wait for.
  ~MpiRanks();
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Of rank 0: runs `points`, calls `on_outcome` with each, until it returns false. `messages` hears of lost
  // ranks.
  void coordinate(const PreparedStudy& prepared, int threads, double patience_s,
                  const std::vector<size_t>& points, const std::function<bool(Outcome)>& on_outcome,
                  std::vector<std::string>& messages);
  // Of the other ranks: runs what it is given until rank 0 says that all is done. `refusal` is why this rank
  // cannot take part, or empty; `prepared` may be null then.
  void serve(const PreparedStudy* prepared, int threads, const std::string& refusal);
  // Of rank 0: sends the others home, whether it has coordinated or not.
  void dismiss(std::vector<std::string>& messages);

 private:
  int rank_ = 0, size_ = 1;
  bool dismissed_ = false, lost_ = false;
};

}  // namespace brigade
