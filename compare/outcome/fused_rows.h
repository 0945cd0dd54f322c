// Finds operators of one side that became other operators on the other side.
#ifndef ONNXCMP_COMPARE_OUTCOME_FUSED_ROWS_H_
#define ONNXCMP_COMPARE_OUTCOME_FUSED_ROWS_H_

#include <string>
#include <vector>

#include "compare/outcome/comparison.h"

namespace onnxcmp {

// Nodes of the left that became nodes of the right, in the order of the run. Copies and constants
// are left out. Rows whose pairs come from one node are one fusion. The same operators on both
// sides with no pairs between them are no fusion.
struct FusedRows {
  std::vector<int> left;
  std::vector<int> right;
  std::vector<size_t> rows;  // indices into Comparison::rows
};

// The fusions of the rows that are marked as fused, in the order of their last rows.
std::vector<FusedRows> FindFusedRows(const Comparison& comparison);

// "Transpose+MatMul+Mul → FusedMatMul"; long chains are shortened in the middle.
std::string FusedRowsText(const Comparison& comparison, const FusedRows& fusion);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTCOME_FUSED_ROWS_H_
