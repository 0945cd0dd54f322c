// Operators that run through their bodies, planned.
#ifndef ONNXCMP_EVALUATOR_PLAN_FUNCTION_PLAN_H_
#define ONNXCMP_EVALUATOR_PLAN_FUNCTION_PLAN_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "evaluator/load/function_body.h"
#include "evaluator/model/model.h"
#include "evaluator/plan/plan.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The body of one node's operator. A body that depends on the types of the inputs is planned when
// they are there for the first time: nothing tells them as surely as the values do.
class FunctionPlan {
 public:
  // `node` and `op` must outlive the plan. `captures`: what the graphs in the node's attributes
  // read of the graph around the node.
  FunctionPlan(const Node& node, const ResolvedOperator& op, std::vector<Capture> captures,
               std::shared_ptr<const PlanContext> context);

  // Plans a static body, so that what it cannot run is known at once.
  absl::Status Prepare();

  // The plan for inputs of these types; null if ONNX has no body for them. May be called from
  // several threads at a time.
  absl::StatusOr<std::shared_ptr<const GraphPlan>> For(absl::Span<const Value> inputs) const;

  // Values of the graph around that follow the node's inputs as inputs of the body.
  absl::Span<const Capture> captures() const { return captures_; }

 private:
  absl::StatusOr<std::shared_ptr<const GraphPlan>> Build(absl::Span<const TypeInfo> types) const;

  const Node& node_;
  const ResolvedOperator op_;
  const std::vector<Capture> captures_;
  const std::shared_ptr<const PlanContext> context_;
  const bool is_static_;
  mutable absl::Mutex mutex_;
  // By the types of the inputs; "" for a static body.
  mutable std::map<std::string, std::shared_ptr<const GraphPlan>> plans_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_PLAN_FUNCTION_PLAN_H_
