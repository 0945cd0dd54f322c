// Values that are still in a file, in memory for as long as a node runs.
#ifndef ONNXCMP_EVALUATOR_RUN_STORED_VALUES_H_
#define ONNXCMP_EVALUATOR_RUN_STORED_VALUES_H_

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/plan/plan.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class StoredValues {
 public:
  // The pool may be null.
  explicit StoredValues(const ThreadPool* pool) : pool_(pool) {}

  // Makes `inputs` those in memory, as long as this lives, and holds there what the node's graphs
  // read, so that a loop does not copy it in each iteration. `around`: values of the node's frame.
  // ResourceExhausted as Tensor::InMemory.
  absl::Status Load(const NodePlan& node, absl::FunctionRef<const Value&(Slot)> around,
                    absl::Span<const Value>* inputs);

 private:
  absl::Status LoadInputs(absl::Span<const Value>* inputs);
  absl::Status Hold(const Value& value);
  absl::Status HoldInitializers(const NodePlan& node);

  const ThreadPool* pool_;
  std::vector<Value> inputs_;
  std::vector<Value> held_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_RUN_STORED_VALUES_H_
