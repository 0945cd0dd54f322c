// The changes of the right model against the left, in numbers: the effect of a pass.
#ifndef ONNXCMP_COMPARE_OUTCOME_MODEL_CHANGES_H_
#define ONNXCMP_COMPARE_OUTCOME_MODEL_CHANGES_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compare/outcome/comparison.h"

namespace onnxcmp {

struct ModelChanges {
  bool models = false;  // two of them: a recording has no nodes to count, and one has no changes
  int64_t left_nodes = 0, right_nodes = 0;  // of the main graph
  // Operators of which the right has more, or less (below 0), than the left; by name. A node in the
  // body of a loop counts once.
  std::vector<std::pair<std::string, int64_t>> operators;
  int64_t renamed = 0;     // results, inputs, initializers that have another name on the right
  int64_t constants = 0;   // initializers with other numbers
  int64_t attributes = 0;  // nodes whose operator is the same, with other attributes
};

// True for a comparison of two models that both ran, which may have changes.
bool AreTwoModels(const Comparison& comparison);

ModelChanges CountChanges(const Comparison& comparison);

// "40 → 29 nodes (+5 Gemm, -5 MatMul, -5 Add); 4 renamed"; "" if they are not two models.
std::string CountsText(const ModelChanges& changes);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTCOME_MODEL_CHANGES_H_
