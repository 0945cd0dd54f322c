// Which rows of two tables are not the same, and which single numbers.
#ifndef ONNXCMP_COMPARE_GRAPHS_DIFFERING_ROWS_H_
#define ONNXCMP_COMPARE_GRAPHS_DIFFERING_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Along an axis, in ascending order: those that differ by more than rounding to the coarser type of
// both. None where shapes differ, or kinds of numbers.
std::vector<int64_t> RowsThatDiffer(const Tensor& left, const Tensor& right, int64_t axis);

// Of constants of one number that are not the same in two graphs, by their names, or the only ones
// that the other side does not have: the middle between each and its partner. None if they are
// many.
std::vector<double> NumbersThatDiffer(const Graph& left, const Graph& right);

// "rows 300 … 511", "row 7", "rows 3, 8, 11 … 14 and 20 more".
std::string RowsText(absl::Span<const int64_t> rows);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_GRAPHS_DIFFERING_ROWS_H_
