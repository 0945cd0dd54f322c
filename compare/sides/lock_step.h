// Two runs in lock step, so that nodes common to both run once and their values need not be kept
// for long.
#ifndef ONNXCMP_COMPARE_SIDES_LOCK_STEP_H_
#define ONNXCMP_COMPARE_SIDES_LOCK_STEP_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "compare/sides/shared_nodes.h"
#include "compare/sides/side.h"
#include "evaluator/base/thread_pool.h"
#include "record/base/per_side.h"
#include "record/streams/fingerprint_cache.h"
#include "record/streams/node_facts.h"

namespace onnxcmp {

// True if the same node on the same inputs gives the same bits on both sides: both are models with
// the same kernels and options. A limit on the memory of a run as a whole rules it out, since
// shared values would count once.
bool ComputeAlike(const PerSide<Side*>& sides);

// Order of the steps of two main graphs.
struct LockStep {
  // By step of the right: the number of steps that the left makes before it.
  std::vector<int64_t> left_before;
  // For equal nodes that do not come right after each other.
  NodeMeetings meetings;
};

// Computed before the runs, by value numbering: leaves by their content, other values by operation
// and the numbers of the inputs. Where the ways to a node differ, its counterpart is the node whose
// output has the same name. As many right nodes as possible come right after their counterpart;
// those between two of them are spread evenly.
LockStep PlanLockStep(const PerSide<Side*>& sides, NodeFactsCache* facts,
                      FingerprintCache* fingerprints, const ThreadPool* pool);

// Steps both runs to their end. `step` runs a node and returns false when there are no more. Right
// steps beyond `left_before` run alone.
void RunInLockStep(absl::FunctionRef<bool(SideId)> step, const std::vector<int64_t>& left_before);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_LOCK_STEP_H_
