// What the comparison knows about operators: one table, a row an operator.
#ifndef ONNXCMP_COMPARE_OPERATORS_OPERATOR_TRAITS_H_
#define ONNXCMP_COMPARE_OPERATORS_OPERATOR_TRAITS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "evaluator/dtype.h"

namespace onnxcmp {

enum class OperatorTrait : uint16_t {
  // Its first output holds elements of its data inputs, unchanged, and besides at most constants:
  // Reshape, Transpose, Slice, Gather, Concat, Pad, MaxPool.
  kMoves = 1,
  // The data of what moves is its first input alone, and the others say where to: Gather, Slice.
  kOneDataInput = 2,
  // What it makes of numbers is a sum, a product or the like of them, element by element.
  kArithmetic = 4,
  // Hands its first input on in another element type.
  kCasts = 8,
};

// Of a standard operator or one of com.microsoft; false for those of other domains.
bool HasTrait(absl::string_view domain, absl::string_view op_type, OperatorTrait trait);

// Whether nodes of this operator, of any domain, round numbers to a grid of integers or read such:
// QuantizeLinear, MatMulInteger, QLinearConv, MatMulNBits, ...
bool Quantizes(absl::string_view op_type);

// What an integer is as precise as that such an operator reads or writes: its own type up to 16
// bits, 4 bits where several share a byte; kUndefined if it is no quantized number.
DType QuantizedAs(absl::string_view op_type, DType dtype);

// Whether nodes of this operator, of any domain, hand on all elements of their first input, in
// another order or shape at most.
bool OnlyReorders(absl::string_view op_type);

// Whether the operator looks at its input's shape alone.
bool ReadsNoElements(absl::string_view op_type);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OPERATORS_OPERATOR_TRAITS_H_
