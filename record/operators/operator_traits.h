// The comparison's knowledge about operators: one table, a row an operator (operator_table.cc).
// Further facts are kept where they are needed: purposes of inputs in inputs/made_up/purpose_table,
// reasons for NaN in not_finite/, slots of scales in quantization/.
#ifndef ONNXCMP_RECORD_OPERATORS_OPERATOR_TRAITS_H_
#define ONNXCMP_RECORD_OPERATORS_OPERATOR_TRAITS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// "Elements" are those of the operator's data, which is its first input unless stated otherwise;
// "unchanged" is bit for bit. Dropout counts as in inference.
enum class OperatorTrait : uint32_t {
  // Origin of elements.

  // Its first output holds elements of its data inputs, unchanged, and otherwise at most constants:
  // Reshape, Transpose, Slice, Gather, Concat, Pad, MaxPool, Relu.
  kMoves = 1 << 0,
  // A kMoves operator whose only data is its first input; the others tell where to: Gather, Slice.
  kOneDataInput = 1 << 1,
  // A kMoves operator whose output may have numbers that no data input has: Pad, Clip, Relu.
  kAddsNumbers = 1 << 2,
  // Its outputs hold every element, unchanged, any number of times, and nothing else: Expand,
  // Split. Implies kMoves and kOneDataInput.
  kRearranges = 1 << 3,
  // It rearranges, and its first output holds each element once: Transpose, DepthToSpace.
  kReorders = 1 << 4,
  // It reorders, but keeps the row-major order of elements: Reshape, Squeeze.
  kKeepsOrder = 1 << 5,
  // It keeps the order and the shape: Identity, Dropout.
  kCopies = 1 << 6,

  // Effect on numbers.

  // Passes on its first input in another element type, element by element.
  kCasts = 1 << 7,
  // Quantizes or dequantizes its first input, element by element, with a scale and a zero point
  // from its inputs: QuantizeLinear, DequantizeLinear.
  kRequantizations = 1 << 8,
  // Its result is a sum, a product or the like, element by element.
  kArithmetic = 1 << 9,
  // Sums products of its inputs, or is built around such sums: MatMul, Conv, LSTM, Attention.
  kProducts = 1 << 10,
  // Different inputs may give equal results: it rounds, compares, selects, clips, or has a graph
  // that may do so.
  kAbsorbs = 1 << 11,
  // It gives the same result for its inputs in any order.
  kCommutative = 1 << 12,
  // Its first output is never below 0, for any input.
  kNotNegative = 1 << 13,
  // An activation that treats signs of its input differently: Relu, Gelu, Abs.
  kBends = 1 << 14,
  // Compares two numbers; its output is a boolean.
  kCompares = 1 << 15,
  // Where an input moves a little, its numbers stay as they are or jump: Floor, Hardmax, trees.
  kJumps = 1 << 22,
  // Draws random numbers: another program draws others.
  kDraws = 1 << 23,
  // Reads only its input's shape.
  kReadsNoElements = 1 << 16,

  // Role in models.

  // Its output has the axes of its data inputs, in their order, whatever they mean: it works
  // element by element, or along axes that keep their places. Set only for operators known to do
  // so.
  kKeepsAxes = 1 << 17,
  // Exporters and quantizers put it between operators that runtimes fuse.
  kStandsBetween = 1 << 18,
  // It converts, copies or reads a shape, and says little about a model.
  kTrifling = 1 << 19,
  // Reads or writes quantized integers, although its name does not say so: see Quantizes().
  kQuantized = 1 << 20,
  // Its 8-bit integers hold several numbers each.
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

// The traits of operators of ai.onnx, ai.onnx.ml, com.microsoft and onnxruntime's layout domains;
// others have none.
OperatorTraits TraitsOf(absl::string_view domain, absl::string_view op_type);

// The same for a node of a model or of a stream.
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

// True if nodes of this operator, in any domain, quantize numbers or read quantized ones:
// QuantizeLinear, MatMulInteger, QLinearConv, MatMulNBits, ...
bool Quantizes(absl::string_view op_type);

// The type of equal precision for an integer that such an operator reads or writes: its own up to
// 16 bits. Where several share a byte, or scales hold for short blocks, the operator's `bits`
// decide (4 if it has none): blocks of 8 bits are as precise as bfloat16, those of 3 bits count as
// 2. kUndefined if it is no quantized number.
DType QuantizedAs(absl::string_view op_type, DType dtype, int64_t bits);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_OPERATORS_OPERATOR_TRAITS_H_
