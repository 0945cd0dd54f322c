// Finds rows of two tables that differ, and single numbers that do.
#ifndef ONNXCMP_RECORD_GRAPHS_DIFFERING_ROWS_H_
#define ONNXCMP_RECORD_GRAPHS_DIFFERING_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Indices along an axis, ascending, of rows that differ by more than rounding to the coarser type
// of both. None if shapes differ, or kinds of numbers.
std::vector<int64_t> RowsThatDiffer(const Tensor& left, const Tensor& right, int64_t axis);

// Midpoints between single-number constants that differ between two graphs: those of the same name,
// or the only ones that the other side lacks. None if there are many.
std::vector<double> NumbersThatDiffer(const Graph& left, const Graph& right);

// "rows 300 … 511", "row 7", "rows 3, 8, 11 … 14 and 20 more".
std::string RowsText(absl::Span<const int64_t> rows);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_DIFFERING_ROWS_H_
