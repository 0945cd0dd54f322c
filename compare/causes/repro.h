// The two regions of a cause as models of their own, for a bug report.
#ifndef ONNXCMP_COMPARE_CAUSES_REPRO_H_
#define ONNXCMP_COMPARE_CAUSES_REPRO_H_

#include <memory>
#include <string>
#include <vector>

#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A value that both models are fed under one name: the left's, or the right's where the left has no
// such value.
struct ReproInput {
  std::string name;
  Value value;
};

// Both models have the same inputs in the same order, and one output. Values keep their names; an
// input has the left's name on both sides. Constants are in the models; those that the search
// paired have the left's values on the right, too, but for the one that is the cause.
struct Repro {
  std::shared_ptr<const Model> left;  // null if the left is a recording
  std::shared_ptr<const Model> right;
  std::vector<ReproInput> inputs;
  std::string left_name;  // name of the left's result
  Value left_result;      // the left's result, bit for bit
  Value right_result;     // the right's result
  Value expected;         // left_result in the type and the shape of right_result
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPRO_H_
