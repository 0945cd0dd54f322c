// Which operators of one side became which of the other.
#ifndef ONNXCMP_COMPARE_REPORTS_WORDS_FUSIONS_H_
#define ONNXCMP_COMPARE_REPORTS_WORDS_FUSIONS_H_

#include <string>
#include <vector>

#include "compare/comparison/comparison.h"

namespace onnxcmp {

// Nodes of the left that became nodes of the right, in the order they ran. Copies and constants are
// left out. Rows whose pairs come from one node are one fusion. The same operators on both sides,
// between which nothing was paired, are none.
struct Fusion {
  std::vector<int> left;
  std::vector<int> right;
  std::vector<size_t> rows;  // of Comparison::rows
};

// Of the rows that are marked as fused, by their last rows.
std::vector<Fusion> FindFusions(const Comparison& comparison);

// "Transpose+MatMul+Mul → FusedMatMul"; of long chains the middle is left out.
std::string FusionText(const Comparison& comparison, const Fusion& fusion);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_WORDS_FUSIONS_H_
