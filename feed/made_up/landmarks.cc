#include "feed/made_up/landmarks.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

void AddNumber(const GraphScope& scope, const Node& node, size_t i, std::vector<double>* numbers) {
  if (i >= node.inputs.size()) return;
  const auto number = NumberOf(ConstantIn(scope, node.inputs[i]));
  if (number.has_value() && std::isfinite(*number)) numbers->push_back(*number);
}

}  // namespace

void AddLandmarks(const GraphScope& scope, const Node& node, size_t slot,
                  std::vector<double>* numbers) {
  // Only NaN is not equal to itself.
  const bool itself =
      IsOneOf(node, {"Equal"}) && node.inputs.size() == 2 && node.inputs[0] == node.inputs[1];
  if (IsOneOf(node, {"IsNaN"}) || itself)
    numbers->push_back(std::numeric_limits<double>::quiet_NaN());
  if (IsOneOf(node, {"IsInf"})) {
    for (const auto& [detects, sign] : {std::pair("detect_positive", 1), {"detect_negative", -1}}) {
      if (IntAttribute(node, detects).value_or(1) == 0) continue;
      numbers->push_back(sign * std::numeric_limits<double>::infinity());
    }
  }
  // Integers that have the bits, and those that lack one.
  if (IsOneOf(node, {"BitwiseAnd", "BitwiseOr", "BitwiseXor"}) && slot < 2) {
    AddNumber(scope, node, 1 - slot, numbers);
  }
  if (IsOneOf(node, {"Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"}) && slot < 2) {
    AddNumber(scope, node, 1 - slot, numbers);
  }
  if (IsOneOf(node, {"Min", "Max"})) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (i != slot) AddNumber(scope, node, i, numbers);
    }
  }
  if (IsOneOf(node, {"Clip"}) && slot == 0) {
    for (const size_t i : {size_t{1}, size_t{2}}) AddNumber(scope, node, i, numbers);
    for (const char* name : {"min", "max"}) {
      if (const auto* limit = AttributeOf<float>(node, name)) numbers->push_back(*limit);
    }
  }
  if (IsOneOf(node, {"Cast"}) && slot == 0) {
    const auto to = static_cast<DType>(IntAttribute(node, "to").value_or(0));
    if (IsInteger(to) && BitWidth(to) <= 16) {
      numbers->push_back(static_cast<double>(IntegerMin(to)));
      numbers->push_back(static_cast<double>(IntegerMax(to)));
    }
    // The first integer that the type cannot represent.
    if (to == DType::kFloat16) numbers->push_back(2049);
    if (to == DType::kBfloat16) numbers->push_back(257);
  }
}

bool LooksForBit(const Node& node, const Tensor* constant) {
  return node.op_type.starts_with("Bitwise") && NumberOf(constant).value_or(1) != 1;
}

bool TellsOneFromZero(const Node& node, size_t slot, const Tensor& constant) {
  const double number = NumberOf(&constant).value_or(0);
  if (node.op_type == "Equal") return number == 0 || number == 1;
  // As if the mask stood on the left.
  const bool greater = node.op_type.starts_with("Greater") == (slot == 0);
  const bool or_equal = node.op_type.ends_with("OrEqual");
  return number == (greater == or_equal ? 1 : 0);
}

bool ComparesComputed(const GraphScope& scope, const Node& node) {
  return IsOneOf(node, {"Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"}) &&
         node.inputs.size() == 2 && node.inputs[0] != node.inputs[1] &&
         ConstantIn(scope, node.inputs[0]) == nullptr &&
         ConstantIn(scope, node.inputs[1]) == nullptr;
}

std::optional<NumberRange> QuantizedRange(const GraphScope& scope, const Node& node) {
  if (node.inputs.size() < 2) return std::nullopt;
  const auto scale = NumberOf(ConstantIn(scope, node.inputs[1]));
  if (!scale.has_value() || *scale <= 0) return std::nullopt;
  DType dtype = DType::kUint8;
  double zero = 0;
  if (node.inputs.size() > 2 && !node.inputs[2].empty()) {
    const Tensor* point = ConstantIn(scope, node.inputs[2]);
    const auto number = NumberOf(point);
    if (!number.has_value()) return std::nullopt;
    dtype = point->dtype();
    zero = *number;
  } else if (const auto to = IntAttribute(node, "output_dtype"); to.value_or(0) != 0) {
    dtype = static_cast<DType>(*to);
  }
  if (!IsInteger(dtype) || BitWidth(dtype) > 16) return std::nullopt;
  return NumberRange{*scale * (static_cast<double>(IntegerMin(dtype)) - zero),
                     *scale * (static_cast<double>(IntegerMax(dtype)) - zero)};
}

}  // namespace onnxcmp
