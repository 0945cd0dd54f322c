// A body of the left and the one of the right that stands for it, each as a model of its own, so
// that both can run one iteration on the left's values.
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
#include "compare/forced/forced_run.h"
#include "compare/sides/model_side.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

class BodyPair {
 public:
  // Of bodies of two nodes, which read around them what a forced run holds. InvalidArgument if the
  // right's body takes something that the left's does not. All but the bodies must outlive the
  // pair.
  static absl::StatusOr<BodyPair> Create(const ForcedRun& run, const ForcedState& state,
                                         int left_node, const Body& left, int right_node,
                                         const Body& right);

  ModelSide& left() { return *left_; }
  ModelSide& right() { return *right_; }
  // What a body reads around it: names to results of the main graph.
  using Captures = absl::flat_hash_map<std::string, int>;
  const Captures& left_captures() const { return left_captures_; }
  const Captures& right_captures() const { return right_captures_; }

  // Both sides are fed what the left's iteration begins with.
  absl::Status Feed(const Iteration& iteration);

  struct Step {
    double distance =
        0;  // of the outputs, as Distance() has it; infinite if they cannot be compared
    bool near = true;
  };
  // Runs the right's body on what was fed and holds it against what the left's iteration gave.
  absl::StatusOr<Step> RunRight(const Iteration& iteration) const;

 private:
  BodyPair() = default;

  std::unique_ptr<ModelSide> left_, right_;
  Captures left_captures_, right_captures_;
  Feeds left_outer_, right_outer_;  // by name: what is read around and is no constant
  std::vector<std::string> left_names_, right_names_;  // of the inputs of the bodies
  std::vector<DType> right_dtypes_;                    // that they declare, or kUndefined
  std::vector<int> inputs_;                            // by the right's input: the left's
  std::vector<int> outputs_;  // by the right's output: the left's, or kNone
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_BODIES_BODY_PAIR_H_
