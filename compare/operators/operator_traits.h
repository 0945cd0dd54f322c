// What the comparison knows about operators: one table, a row an operator (operator_table.cc).
// What single operators compute stands where that is asked for: purposes of inputs in
// inputs/made_up/purpose_table, reasons for NaN in not_finite/, slots of scales in quantization/.
#ifndef ONNXCMP_COMPARE_OPERATORS_OPERATOR_TRAITS_H_
#define ONNXCMP_COMPARE_OPERATORS_OPERATOR_TRAITS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// "Elements" are those of the operator's data, which is its first input unless it says otherwise;
// "unchanged" is bit for bit. Dropout counts as it is in inference.
enum class OperatorTrait : uint32_t {
  // Where elements come from.

  // Its first output holds elements of its data inputs, unchanged, and otherwise at most constants:
  // Reshape, Transpose, Slice, Gather, Concat, Pad, MaxPool, Relu.
  kMoves = 1 << 0,
  // What moves: its data is its first input alone, and the others say where to: Gather, Slice.
  kOneDataInput = 1 << 1,
  // What moves: there may be numbers in its output that no input of data has: Pad, Clip, Relu.
  kAddsNumbers = 1 << 2,
  // Its outputs hold each element, unchanged, as often as they like, and nothing else: Expand,
  // Split. It moves one data input.
  kRearranges = 1 << 3,
  // It rearranges, and its first output holds each element once: Transpose, DepthToSpace.
  kReorders = 1 << 4,
  // It reorders, and the elements are in the same row-major order: Reshape, Squeeze.
  kKeepsOrder = 1 << 5,
  // It keeps the order, and the shape: Identity, Dropout.
  kCopies = 1 << 6,

  // What becomes of numbers.

  // Hands its first input on in another element type, element by element.
  kCasts = 1 << 7,
  // Hands its first input on as numbers of a grid or what these stand for, element by element, with
  // a scale and a zero point that it is given: QuantizeLinear, DequantizeLinear.
  kRegrids = 1 << 8,
  // What it makes of numbers is a sum, a product or the like of them, element by element.
  kArithmetic = 1 << 9,
  // Sums products of what it reads, or is built around such sums: MatMul, Conv, LSTM, Attention.
  kProducts = 1 << 10,
  // What goes in differently may well come out equal: it rounds, compares, selects, cuts off, or
  // has a graph that may do so.
  kAbsorbs = 1 << 11,
  // It gives the same for its inputs in any order.
  kCommutative = 1 << 12,
  // Its first output is never below 0, whatever it reads.
  kNotNegative = 1 << 13,
  // An activation that does something else for other signs of its input: Relu, Gelu, Abs.
  kBends = 1 << 14,
  // Compares two numbers; its output is a boolean.
  kCompares = 1 << 15,
  // Looks at its input's shape alone.
  kReadsNoElements = 1 << 16,

  // What it is to models.

  // Its output has the axes of its data inputs, in their order, whatever they mean: element by
  // element, or along axes that keep their places. What is known of such only.
  kKeepsAxes = 1 << 17,
  // Exporters and quantizers put it between operators that runtimes compute as one.
  kStandsBetween = 1 << 18,
  // It converts, copies or asks for a shape, and says little about a model.
  kTrifling = 1 << 19,
  // Reads or writes numbers on a grid of integers, although its name does not say so: see
  // Quantizes().
  kQuantized = 1 << 20,
  // Its integers of 8 bits hold several numbers each.
  kPacked = 1 << 21,
};

// All traits of an operator.
class OperatorTraits {
 public:
  explicit OperatorTraits(uint32_t bits) : bits_(bits) {}
  bool Has(OperatorTrait trait) const { return (bits_ & static_cast<uint32_t>(trait)) != 0; }

 private:
  uint32_t bits_;
};

// Of ai.onnx, com.microsoft and the domains of layouts that onnxruntime adds; others have none.
OperatorTraits TraitsOf(absl::string_view domain, absl::string_view op_type);

// Of a node of a model or of a stream.
template <typename AnyNode>
OperatorTraits TraitsOf(const AnyNode& node) {
  return TraitsOf(node.domain, node.op_type);
}

inline bool HasTrait(absl::string_view domain, absl::string_view op_type, OperatorTrait trait) {
  return TraitsOf(domain, op_type).Has(trait);
}

template <typename AnyNode>
bool HasTrait(const AnyNode& node, OperatorTrait trait) {
  return HasTrait(node.domain, node.op_type, trait);
}

// Whether nodes of this operator, of any domain, round numbers to a grid of integers or read such:
// QuantizeLinear, MatMulInteger, QLinearConv, MatMulNBits, ...
bool Quantizes(absl::string_view op_type);

// The type that an integer is as precise as, which such an operator reads or writes: its own up to
// 16 bits. Where several share a byte, or scales hold for short blocks, the operator's `bits` tell
// (4 if it has none): blocks of 8 bits are as precise as bfloat16, those of 3 bits count as 2.
// kUndefined if it is no quantized number.
DType QuantizedAs(absl::string_view op_type, DType dtype, int64_t bits);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OPERATORS_OPERATOR_TRAITS_H_
