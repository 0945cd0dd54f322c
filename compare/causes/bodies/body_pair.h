// A body of the left and its counterpart on the right, each as a model of its own, so that both can
// run one iteration on the left's values.
#ifndef ONNXCMP_COMPARE_CAUSES_BODIES_BODY_PAIR_H_
#define ONNXCMP_COMPARE_CAUSES_BODIES_BODY_PAIR_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "compare/causes/bodies/body_iterations.h"
#include "compare/causes/bodies/body_models.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/sides/model_side.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

class BodyPair {
 public:
  // Pairs bodies of two nodes, whose outer values come from a forced run. InvalidArgument if the
  // right's body takes an input that the left's does not. All arguments but the bodies must outlive
  // the pair.
  static absl::StatusOr<BodyPair> Create(const ForcedRun& run, const ForcedState& state,
                                         int left_node, const Body& left, int right_node,
                                         const Body& right);

  ModelSide& left() { return *left_; }
  ModelSide& right() { return *right_; }
  // Outer values that a body reads: their names and results of the main graph.
  using Captures = absl::flat_hash_map<std::string, int>;
  const Captures& left_captures() const { return left_captures_; }
  const Captures& right_captures() const { return right_captures_; }

  // Feeds both sides the inputs of the left's iteration.
  absl::Status Feed(const Iteration& iteration);

  struct Step {
    double distance = 0;  // the outputs' Distance(); infinite if they cannot be compared
    bool near = true;
  };
  // Runs the right's body on these inputs and compares its outputs with those of the left's
  // iteration.
  absl::StatusOr<Step> RunRight(const Iteration& iteration) const;

 private:
  BodyPair() = default;

  std::unique_ptr<ModelSide> left_, right_;
  Captures left_captures_, right_captures_;
  Feeds left_outer_, right_outer_;  // by name: outer values that are no constants
  std::vector<std::string> left_names_, right_names_;  // names of the bodies' inputs
  std::vector<DType> right_dtypes_;                    // the right's inputs', or kUndefined
  std::vector<int> inputs_;                            // by the right's input: the left's
  std::vector<int> outputs_;  // by the right's output: the left's, or kNone
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_BODIES_BODY_PAIR_H_
