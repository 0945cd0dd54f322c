#include "prove/whole_numbers.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "evaluator/tensor/convert.h"
#include "prove/rounded_constants.h"

namespace onnxcmp {
namespace {

WholeRange RangeOfType(DType dtype) {
  if (!IsInteger(dtype)) return {0, 1};  // bool
  return {static_cast<long double>(IntegerMin(dtype)), static_cast<long double>(IntegerMax(dtype))};
}

// The smallest range with both.
WholeRange Joined(const WholeRange& a, const WholeRange& b) {
  return {std::min(a.first, b.first), std::max(a.second, b.second)};
}

WholeRange Sum(const WholeRange& a, const WholeRange& b) {
  return {a.first + b.first, a.second + b.second};
}

WholeRange Negative(const WholeRange& a) { return {-a.second, -a.first}; }

WholeRange ProductRange(const WholeRange& a, const WholeRange& b) {
  const auto [low, high] =
      std::minmax({a.first * b.first, a.first * b.second, a.second * b.first, a.second * b.second});
  return {low, high};
}

// Up to so many terms.
WholeRange Terms(int64_t count, const WholeRange& term) {
  const auto times = static_cast<long double>(count);
  return Joined({0, 0}, {times * term.first, times * term.second});
}

template <typename Integer>
WholeRange RangeOfElements(const Tensor& whole) {
  std::vector<Integer> numbers(static_cast<size_t>(whole.num_elements()));
  LoadElements<Integer>(whole.dtype(), whole.raw_data(), 0, whole.num_elements(), numbers.data());
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  return {static_cast<long double>(*low), static_cast<long double>(*high)};
}

// Operators that choose among numbers of their type, or make them by a function that ends there.
bool StaysInType(absl::string_view op_type) {
  static constexpr absl::string_view kStaying[] = {"ArgMax",
                                                   "ArgMin",
                                                   "TopK",
                                                   "BitShift",
                                                   "BitwiseAnd",
                                                   "BitwiseNot",
                                                   "BitwiseOr",
                                                   "BitwiseXor",
                                                   "Cast",
                                                   "CastLike",
                                                   "Clip",
                                                   "Div",
                                                   "DynamicQuantizeLinear",
                                                   "Gather",
                                                   "Max",
                                                   "MaxPool",
                                                   "Min",
                                                   "Mod",
                                                   "QuantizeLinear",
                                                   "ReduceMax",
                                                   "ReduceMin",
                                                   "Relu",
                                                   "Sign"};
  return std::find(std::begin(kStaying), std::end(kStaying), op_type) != std::end(kStaying);
}

bool IsCast(const FieldNode& node) {
  return node.node().op_type == "Cast" || node.node().op_type == "CastLike";
}

// The range of a result before it wraps; nothing if it is not known.
std::optional<WholeRange> RangeOfResult(const FieldNode& node, DType dtype) {
  const absl::string_view name = node.node().op_type;
  const auto in = [&](int input) { return WholeRangeOf(node.value(input)); };
  const auto less_zero = [&](int input, int zero) {
    return node.Has(zero) ? Sum(in(input), Negative(in(zero))) : in(input);
  };
  if (!node.moved().empty()) {
    WholeRange range = {0, 0};  // of what is put around
    for (const int input : node.moved()) range = Joined(range, in(input));
    return range;
  }
  if (!node.value(0).number.is_tensor()) return std::nullopt;
  const Shape& first = node.value(0).number.tensor().shape();
  if (name == "Add") return Sum(in(0), in(1));
  if (name == "Sub") return Sum(in(0), Negative(in(1)));
  if (name == "Mul") return ProductRange(in(0), in(1));
  if (name == "Neg") return Negative(in(0));
  if (name == "BitShift" && node.String("direction", "") == "LEFT") {
    const WholeRange bits = in(1);
    if (bits.first == bits.second && bits.first >= 0 && bits.first < BitWidth(dtype)) {
      const long double power = std::exp2(bits.first);
      return ProductRange(in(0), {power, power});
    }
  }
  if (name == "ReduceSum" || name == "CumSum") {
    return Terms(node.value(0).number.tensor().num_elements(), in(0));
  }
  if (name == "MatMul" && !first.empty()) return Terms(first.back(), ProductRange(in(0), in(1)));
  if (name == "MatMulInteger" && !first.empty()) {
    return Terms(first.back(), ProductRange(less_zero(0, 2), less_zero(1, 3)));
  }
  if (name == "ConvInteger") {
    return Terms(node.value(1).number.tensor().num_elements(),
                 ProductRange(less_zero(0, 2), less_zero(1, 3)));
  }
  if (name == "Mod" && node.Int("fmod", 0) == 0) {
    const WholeRange by = in(1);
    if (by.first == by.second && by.first > 0) return WholeRange{0, by.first - 1};
  }
  if (IsCast(node) && (IsInteger(node.InType(0)) || node.InType(0) == DType::kBool)) return in(0);
  if (name == "Where") return Joined(in(1), in(2));
  return StaysInType(name) ? std::optional(RangeOfType(dtype)) : std::nullopt;
}

}  // namespace

WholeRange WholeRangeOf(const FieldValue& value) {
  if (value.whole.has_value()) return *value.whole;
  const DType dtype = value.number.tensor().dtype();
  if (!value.fixed || value.residues.defined()) return RangeOfType(dtype);
  const absl::StatusOr<Tensor> whole = value.number.tensor().Contiguous();
  if (!whole.ok() || whole->num_elements() == 0) return RangeOfType(dtype);
  return dtype == DType::kUint64 ? RangeOfElements<uint64_t>(*whole)
                                 : RangeOfElements<int64_t>(*whole);
}

bool IsZeroOrOne(const FieldValue& value) {
  if (value.fixed || value.wraps || !value.number.is_tensor()) return false;
  if (!value.whole.has_value()) return value.number.tensor().dtype() == DType::kBool;
  return value.whole->first >= 0 && value.whole->second <= 1;
}

Residues Unwrapped(const PrimeField& field, DType dtype, Residues residues) {
  const uint64_t function = MixNumbers(FunctionNumber("wrapped"), static_cast<uint64_t>(dtype));
  return Mapped(std::move(residues), [&](Residue x) { return field.Random(function, x); });
}

bool RoundsWholeNumbers(const FieldNode& node) {
  const FieldValue& from = node.value(0);
  const int digits = DigitsOf(node.number(0).tensor().dtype());
  if (node.conversions() != nullptr || from.fixed || digits >= DigitsOf(DType::kFloat))
    return false;
  if (!from.whole.has_value() && IsFloatingPoint(node.InType(0))) return false;
  const WholeRange range = WholeRangeOf(from);
  return std::max(-range.first, range.second) > std::ldexp(1.0L, digits);
}

void KnowWholeNumbers(const FieldNode& node, int output, FieldValue* value) {
  const DType dtype = node.number(output).tensor().dtype();
  if (value->fixed) return;
  if (IsFloatingPoint(dtype) && (IsCast(node) || node.moved().size() == 1)) {
    const int input = IsCast(node) ? 0 : node.moved().front();
    const FieldValue& from = node.value(input);
    if (from.whole.has_value() || !IsFloatingPoint(node.InType(input))) {
      value->whole = WholeRangeOf(from);
    }
  }
  if (!IsInteger(dtype)) return;
  const std::optional<WholeRange> range = RangeOfResult(node, dtype);
  const WholeRange type = RangeOfType(dtype);
  value->wraps = node.has_read_wrapped() || !range.has_value() || range->first < type.first ||
                 range->second > type.second;
  if (value->wraps) {
    value->exact = false;  // it may differ in the field and be equal modulo 2^bits
  } else {
    value->whole = range;
  }
}

}  // namespace onnxcmp
