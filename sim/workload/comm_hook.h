// What a communication hook of DDP makes of a bucket: the exchanges that carry it, and the memory that coding
// moves. Times only; what is lost of the gradients, and how that changes what is learnt, is not simulated
// (kind: training really compresses).
//
//   fp16, bf16  an all-reduce of 2 bytes an element, where gradients have more; a pass before it and one
//   after topk        an all-gather of values and places (4 bytes) of each rank's largest elements (Aji,
//   Heafield 2017);
//               what is kept back is an error that is read and written
//   powersgd    as PyTorch's powerSGD_hook (Vogels et al. 2019): a tensor of n x m (its first dimension by
//   the
//               rest) goes as P (n x r) and Q (m x r), if that is at most half of it; an all-reduce of all P
//               of the bucket, a pass that makes Q of it, an all-reduce of Q. What is not compressed goes
//               along with P (PyTorch: in an all-reduce of its own). A bucket's P waits for the Q of the one
//               before.
//
// Coding takes the time that its bytes take at memory rate: its FLOPs are few. Before the exchange it runs on
// the compute stream and holds up backward; after it, before gradients are copied out of their bucket.
#pragma once
#include <vector>

#include "sim/base/bytes.h"
#include "sim/base/ids.h"
#include "sim/collective/algorithm.h"
#include "sim/workload/buckets.h"

namespace brigade {

struct HookedBucket {
  struct Exchange {
    Collective collective;
    int64_t elements;
    DType dtype;
    const char* what;  // for traces: "P"
  };
  std::vector<Exchange> exchanges;  // one after the other
  Bytes encode, between, decode;    // memory traffic: before the first, between two, after the last
};

// `ranks`: of the group that reduces it.
HookedBucket hook_bucket(const CommHookSpec& spec, const Model& model, const Bucket& bucket, Rank ranks);

// What is said of the hook in the result; "" without one.
std::string describe(const CommHookSpec& spec);

}  // namespace brigade
