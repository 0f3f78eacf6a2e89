// Which tasks of the GPU wait for tasks of other streams, and which calls block the host.
//
// In this order, each rule where those before say nothing:
//  1 cuda_sync events of the trace say what a wait waited for.
//  2 A collective waits for what was launched last, before it, on the stream that its thread launches on.
//  3 cudaStreamWaitEvent outside of a collective's launch makes the thread's stream wait for the oldest
//    collective that nothing waits for yet: one of DDP's reducer (launched within AccumulateGrad) where no
//    record_param_comms notes the wait, else another of the same thread.
//  4 A task that begins more than 20 us later than launch, stream and waits explain waits for what ended last
//  on
//    another stream in the 20 us before.
//  5 In a trace without cudaStreamWaitEvent the collectives of a step that nothing waits for yet are waited
//  for by
//    the first task of Optimizer.step; where there is none, by the first one that was launched after all of
//    them and began after all had ended.
// A wait that the trace contradicts (the task began before the other ended) is none.
#pragma once
