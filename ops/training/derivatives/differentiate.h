// The derivative of part of a graph, in reverse mode.
#ifndef ONNXCMP_OPS_TRAINING_DERIVATIVES_DIFFERENTIATE_H_
#define ONNXCMP_OPS_TRAINING_DERIVATIVES_DIFFERENTIATE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "evaluator/load/expansion.h"
#include "evaluator/model/model.h"
#include "ops/training/derivatives/derivative.h"

namespace onnxcmp {

// y as a function of independent values.
struct Differentiation {
  const Node* node = nullptr;            // that asks for it
  std::vector<std::string> independent;  // names: those of which gradients are asked, then others
  std::vector<std::string> at;           // where: a value for each of them, maybe itself
  std::string y;
  // The names of the gradients; "" for one that is not wanted. One for each of the first of
  // `independent`, or fewer.
  std::vector<std::string> gradients;
};

// Adds nodes that make the gradients of the sum of y's elements. Unimplemented, naming all of them:
// operators between the independent values and y that have no rule. InvalidArgument: names that the
// scope does not know, and what is no independent value.
absl::Status Differentiate(const Differentiation& what, const DerivativeRules& rules,
                           ExpansionScope& scope);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_TRAINING_DERIVATIVES_DIFFERENTIATE_H_
