// Two runs side by side, so that what both compute is computed once and not kept for long.
#ifndef ONNXCMP_COMPARE_SIDES_LOCK_STEP_H_
#define ONNXCMP_COMPARE_SIDES_LOCK_STEP_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "compare/pair/per_side.h"
#include "compare/sides/shared_nodes.h"
#include "compare/sides/side.h"
#include "compare/streams/fingerprint_cache.h"
#include "compare/streams/node_facts.h"
#include "evaluator/base/thread_pool.h"

namespace onnxcmp {

// Whether the same node on the same inputs gives the same bits on both sides: both are models, with
// the same kernels and options. A limit on the memory of a run as a whole excludes it, since what
// is shared would count once.
bool ComputeAlike(const PerSide<Side*>& sides);

// How two main graphs go side by side.
struct LockStep {
  // By step of the right: how many steps the left has made when it comes.
  std::vector<int64_t> left_before;
  // Of nodes that are alike and do not come right after each other.
  NodeMeetings meetings;
};

// Known before anything runs, by numbering values: leaves by their content, the others by operation
// and the numbers of the inputs. Where the roads to a node differ, its like is the one whose output
// has the same name. As many nodes of the right as can come right after their like; those between
// two of them are spread evenly.
LockStep PlanLockStep(const PerSide<Side*>& sides, NodeFactsCache* facts,
                      FingerprintCache* fingerprints, const ThreadPool* pool);

// Steps both until they are over. `step` goes on by a node and tells whether there is more to do. A
// right that has more steps than `left_before` goes on alone.
void RunInLockStep(absl::FunctionRef<bool(SideId)> step, const std::vector<int64_t>& left_before);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_LOCK_STEP_H_
