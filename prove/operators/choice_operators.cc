// Operators over the field that cast, compare, choose and quantize.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "evaluator/base/status_macros.h"
#include "prove/directions.h"
#include "prove/field_functions.h"
#include "prove/field_node.h"
#include "prove/foldable_layer.h"
#include "prove/rounded_constants.h"
#include "prove/truth_table.h"
#include "prove/whole_numbers.h"

namespace onnxcmp {
namespace {

// Casts between floats round, which is nothing in the field; those of whole numbers keep the last
// bits; others are functions of their own.
absl::Status CastOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const DType from = node.InType(0);
  const DType to = node.number(0).tensor().dtype();
  if (const ValueOrigin* origin = node.origin(0); origin != nullptr && origin->margin.defined()) {
    node.SetOrigin(0, {.margin = origin->margin, .margin_node = origin->margin_node});
  }
  if (IsInteger(to) && (IsInteger(from) || from == DType::kBool)) {
    OC_ASSIGN_OR_RETURN(Residues x, BitWidth(to) > BitWidth(from) ? node.In(0) : node.InRing(0));
    return node.Set(0, std::move(x));
  }
  const auto is_plain = [](DType type) {
    return type == DType::kFloat || type == DType::kDouble || type == DType::kFloat16 ||
           type == DType::kBfloat16;
  };
  if (from == to || (is_plain(to) && (is_plain(from) || !IsFloatingPoint(from)))) {
    // A constant that stands for a number in few digits does not in more: double(0.1f) is not 0.1.
    if (node.value(0).fixed && DigitsOf(from) < DigitsOf(to) && node.conversions() == nullptr) {
      return node.SetNumbers(0);
    }
    if (const std::optional<HiddenScores> hidden = HiddenOf(node, 0); hidden.has_value()) {
      return SetHidden(node, *hidden);
    }
    if (!RoundsWholeNumbers(node)) return FieldUnary(node, [](Residue x) { return x; });
  }
  node.MarkRandom();
  if (to == DType::kBool && IsZeroOrOne(node.value(0))) {
    return FieldUnary(node, [](Residue x) { return x; });
  }
  if (to == DType::kBool) {
    const uint64_t function = node.Jumping(FunctionNumber("equal"));
    const bool alike = node.AreRoundedAlike(0, -1);
    return FieldUnary(node, [&](Residue x) {
      return x == 0 && alike ? 0 : field.Sub(1, field.Even(function, x));
    });
  }
  const uint64_t function =
      node.Jumping(MixNumbers(FunctionNumber("cast"), static_cast<uint64_t>(to)));
  return FieldUnary(node, [&](Residue x) { return node.field().Random(function, x); });
}

// 1 where a > b, as a random number: two models that choose by it agree only if they choose alike.
// `alike`: they were rounded in one way, so that neither is greater where they are equal.
Residue IsGreater(const PrimeField& field, uint64_t function, bool alike, Residue a, Residue b) {
  if (a == kNoNumber || b == kNoNumber) return kNoNumber;
  if (a == kMinusInfinity || b == kPlusInfinity) return 0;
  if (a == kPlusInfinity || b == kMinusInfinity) return 1;
  return a == b && alike ? 0 : field.Random(function, field.Sub(a, b));
}

absl::Status CompareOperator(FieldNode& node) {
  node.MarkRandom();
  const std::string& name = node.node().op_type;
  const PrimeField& field = node.field();
  for (const int input : {0, 1}) {
    // c equals true, or is not equal to false.
    const std::optional<double> other = OneNumber(node, 1 - input);
    if (name != "Equal" || !IsZeroOrOne(node.value(input)) || !other.has_value()) continue;
    if (*other != 0 && *other != 1) continue;
    OC_ASSIGN_OR_RETURN(Residues c, node.In(input));
    if (*other == 0) c = Mapped(std::move(c), [&](Residue x) { return field.Sub(1, x); });
    if (c.shape == node.number(0).tensor().shape()) return node.Set(0, std::move(c));
  }
  if (name == "Equal" && node.InType(0) == DType::kBool) {
    OC_ASSIGN_OR_RETURN(const bool known, SetTruth(node, std::equal_to<>()));
    if (known) return absl::OkStatus();
  }
  std::optional<Residues> apart;  // the first less the second, but for a number above 0
  if (name != "Equal") {
    OC_ASSIGN_OR_RETURN(const Residues a, node.In(0));
    OC_ASSIGN_OR_RETURN(const Residues b, node.In(1));
    const bool less = name.starts_with("Less");
    OC_ASSIGN_OR_RETURN(Residues margin, less ? SubAll(field, b, a) : SubAll(field, a, b));
    if (node.by_direction()) apart = DirectionOfDifference(node);
    if (apart.has_value()) {
      margin = *apart;
      if (less) margin = Mapped(std::move(margin), [&](Residue v) { return field.Neg(v); });
    }
    ValueOrigin origin;
    origin.margin_node = node.LabelWithOperator();
    OC_ASSIGN_OR_RETURN(origin.margin, ToTensor(margin));
    node.SetOrigin(0, std::move(origin));
  }
  const bool alike = node.AreRoundedAlike(0, 1);
  const uint64_t function = node.Jumping(FunctionNumber(name == "Equal" ? "equal" : "greater"));
  const auto greater = [&](Residue a, Residue b) {
    return IsGreater(field, function, alike, a, b);
  };
  const auto holds = [&](Residue a, Residue b) -> Residue {
    if (name == "Greater") return greater(a, b);
    if (name == "Less") return greater(b, a);
    if (name == "LessOrEqual") return field.Sub(1, greater(a, b));
    if (name == "GreaterOrEqual") return field.Sub(1, greater(b, a));
    if (a == kNoNumber || b == kNoNumber) return kNoNumber;
    if (a == b && (alike || !IsNumber(a))) return 1;
    if (!IsNumber(a) || !IsNumber(b)) return 0;
    return field.Even(function, field.Sub(a, b));
  };
  if (!apart.has_value()) return FieldBinary(node, holds);
  OC_ASSIGN_OR_RETURN(Residues whole, BroadcastTo(*apart, node.number(0).tensor().shape()));
  return node.Set(0, Mapped(std::move(whole), [&](Residue v) { return holds(v, 0); }));
}

// The product of terms, each of them once: c and c is c, c and not c is 0.
Residue Conjunction(const PrimeField& field, std::vector<Residue>* terms) {
  std::sort(terms->begin(), terms->end());
  terms->erase(std::unique(terms->begin(), terms->end()), terms->end());
  Residue product = 1;
  for (const Residue term : *terms) {
    if (!IsNumber(term)) return kNoNumber;
    if (std::binary_search(terms->begin(), terms->end(), field.Sub(1, term))) return 0;
    product = field.Mul(product, term);
  }
  return product;
}

// And; Or as the opposite of the conjunction of opposites.
absl::Status AndOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const bool opposite = node.node().op_type == "Or";
  const auto turned = [&](Residue x) { return field.Sub(1, x); };
  OC_ASSIGN_OR_RETURN(std::vector<Residues> terms, TermsOf(node, 0, opposite, turned));
  OC_ASSIGN_OR_RETURN(std::vector<Residues> others, TermsOf(node, 1, opposite, turned));
  std::move(others.begin(), others.end(), std::back_inserter(terms));
  OC_RETURN_IF_ERROR(SetOfTerms(node, std::move(terms), opposite, turned,
                                [&](std::vector<Residue>* at) { return Conjunction(field, at); }));
  return SetTruth(node, [&](bool a, bool b) { return opposite ? a || b : a && b; }).status();
}

absl::Status XorOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const bool known, SetTruth(node, std::not_equal_to<>()));
  if (known) return absl::OkStatus();
  node.MarkRandom();
  return FieldBinary(node, [&](Residue a, Residue b) {
    return a == b ? 0 : field.Sub(field.Add(a, b), field.Mul(2, field.Mul(a, b)));
  });
}

absl::Status NotOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  if (const ValueOrigin* origin = node.origin(0); origin != nullptr) {
    ValueOrigin turned = OppositeTruth(node, 0);
    if (origin->margin.defined()) {
      OC_ASSIGN_OR_RETURN(Residues margin, FromTensor(origin->margin));
      OC_ASSIGN_OR_RETURN(turned.margin, ToTensor(Mapped(std::move(margin),
                                                         [&](Residue v) { return field.Neg(v); })));
      turned.margin_node = origin->margin_node;
    }
    turned.terms = origin->terms;
    turned.opposite = !origin->opposite;
    node.SetOrigin(0, std::move(turned));
  }
  return FieldUnary(node, [&](Residue x) { return field.Sub(1, x); });
}

// A value that is no number in the field need not be NaN.
absl::Status IsNanOperator(FieldNode& node) {
  return FieldRandomUnary(node, [](Residue x) { return x == kNoNumber ? x : 0; });
}

absl::Status WhereOperator(FieldNode& node) {
  if (node.value(0).fixed) return node.Move({1, 2});
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(const Residues condition, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues a, node.InRing(1));
  OC_ASSIGN_OR_RETURN(const Residues b, node.InRing(2));
  OC_ASSIGN_OR_RETURN(
      std::optional<Residues> bounded,
      ChosenByMargin(node.field(), node.origin(0), BranchOf(node, 1, a), BranchOf(node, 2, b)));
  if (bounded.has_value()) {
    node.TakeBound();
    return node.Set(0, *std::move(bounded));
  }
  OC_ASSIGN_OR_RETURN(const bool hidden, SetHiddenChoice(node, condition, a, b));
  if (hidden) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(Residues out, FieldChosen(node.field(), condition, a, b));
  return node.Set(0, std::move(out));
}

// One for each block of neighbours along an axis, as one for each element.
absl::StatusOr<Residues> ForEachOfBlocks(const Residues& given, const Residues& data, size_t axis,
                                         int64_t block) {
  Shape expected = data.shape;
  expected[axis] = (expected[axis] + block - 1) / block;
  if (given.shape != expected) return NoMeaning("scales of another shape");
  int64_t inner = 1;
  for (size_t i = axis + 1; i < data.shape.size(); ++i) inner *= data.shape[i];
  Residues out = Residues::Filled(data.shape, 0);
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t outer = i / inner / data.shape[axis];
    const int64_t place = i / inner % data.shape[axis] / block;
    const int64_t from = (outer * expected[axis] + place) * inner + i % inner;
    out.values[static_cast<size_t>(i)] = given.values[static_cast<size_t>(from)];
  }
  return out;
}

// Scales and zero points as they lie along the axis of the data.
absl::StatusOr<Residues> LaidAlongAxis(const FieldNode& node, Residues given,
                                       const Residues& data) {
  const int64_t axis = node.Int("axis", 1);
  const int64_t whole = axis < 0 ? axis + data.rank() : axis;
  const int64_t block = node.Int("block_size", 0);
  if (block > 0 && given.rank() == data.rank() && whole >= 0 && whole < data.rank()) {
    return ForEachOfBlocks(given, data, static_cast<size_t>(whole), block);
  }
  if (given.size() == 1) return Residues::Of(given.values.front());
  if (given.rank() != 1 || node.Int("block_size", 0) != 0 || whole < 0 || whole >= data.rank() ||
      data.shape[static_cast<size_t>(whole)] != given.size()) {
    return NoMeaning("scales of blocks");
  }
  given.shape = Shape(static_cast<size_t>(data.rank()), 1);
  given.shape[static_cast<size_t>(whole)] = given.size();
  return given;
}

absl::StatusOr<Residues> AlongAxis(const FieldNode& node, int input, const Residues& data) {
  if (!node.Has(input)) return Residues::Of(0);
  OC_ASSIGN_OR_RETURN(Residues given, node.In(input));
  return LaidAlongAxis(node, std::move(given), data);
}

// The numbers of scales or zero points, one for each element of the data; none if that cannot be
// said.
std::vector<double> NumbersAlongAxis(const FieldNode& node, int input, const Residues& data,
                                     double fallback) {
  if (!node.Has(input)) return std::vector<double>(data.values.size(), fallback);
  const Tensor& tensor = node.value(input).number.tensor();
  const std::vector<double> numbers = NumbersIn(tensor);
  Residues places = Residues::Filled(tensor.shape(), 0);
  if (places.values.size() != numbers.size()) return {};
  std::iota(places.values.begin(), places.values.end(), Residue{0});
  absl::StatusOr<Residues> laid = LaidAlongAxis(node, std::move(places), data);
  if (laid.ok()) laid = BroadcastTo(*laid, data.shape);
  if (!laid.ok()) return {};
  std::vector<double> out;
  for (const Residue place : laid->values) out.push_back(numbers[static_cast<size_t>(place)]);
  return out;
}

bool IsFixed(const FieldNode& node, int input) {
  return !node.Has(input) || node.value(input).fixed;
}

// The one number of an input, else the fallback.
double OnlyNumber(const FieldNode& node, int input, double fallback) {
  if (!node.Has(input) || !IsFixed(node, input)) return fallback;
  const std::vector<double> numbers = NumbersIn(node.value(input).number.tensor());
  return numbers.size() == 1 ? numbers.front() : std::nan("");
}

// True if a constant is rounded to the nearest codes. Results are, but for those beyond the range.
bool RoundsToNearest(const FieldNode& node, const Residues& x) {
  if (!IsFixed(node, 0)) return true;
  const std::vector<double> numbers = NumbersIn(node.value(0).number.tensor());
  const std::vector<double> codes = NumbersIn(node.number(0).tensor());
  const std::vector<double> scales = NumbersAlongAxis(node, 1, x, 1);
  const std::vector<double> zeros = NumbersAlongAxis(node, 2, x, 0);
  if (codes.size() != numbers.size() || scales.size() != codes.size() ||
      zeros.size() != codes.size() || !IsFixed(node, 1) || !IsFixed(node, 2)) {
    return false;
  }
  const DType dtype = node.number(0).tensor().dtype();
  for (size_t i = 0; i < codes.size(); ++i) {
    const Code code = {codes[i], scales[i], zeros[i]};
    if (QuantizedTo(dtype, numbers[i], code, 0x1p-20) == Rounding::kOther) return false;
  }
  return true;
}

// x / scale + zero, which QuantizeLinear rounds.
absl::Status QuantizeExactly(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  if (!RoundsToNearest(node, x)) return NoMeaning("a constant that is not rounded to the nearest");
  OC_ASSIGN_OR_RETURN(const Residues scale, AlongAxis(node, 1, x));
  OC_ASSIGN_OR_RETURN(const Residues zero, AlongAxis(node, 2, x));
  const DType dtype = node.number(0).tensor().dtype();
  const double step = OnlyNumber(node, 1, std::nan(""));
  const CodeRange range = CodeRangeOf(dtype, step, OnlyNumber(node, 2, 0));
  x = node.conversions()->TakeRounded(std::move(x), dtype, range, node.label());
  OC_ASSIGN_OR_RETURN(Residues out, DivAll(field, x, scale));
  OC_ASSIGN_OR_RETURN(out, AddAll(field, out, zero));
  if (step > 0 && zero.size() == 1) {
    node.conversions()->KnowCodes(out, scale.values.front(), zero.values.front());
  }
  return node.Set(0, std::move(out));
}

// The numbers that constant codes were rounded from; nothing if that is not known.
std::optional<Residues> NumbersBefore(const FieldNode& node, const Residues& x) {
  if (!IsFixed(node, 0) || !IsFixed(node, 1) || !IsFixed(node, 2)) return std::nullopt;
  const std::vector<double> codes = NumbersIn(node.value(0).number.tensor());
  const std::vector<double> scales = NumbersAlongAxis(node, 1, x, 1);
  const std::vector<double> zeros = NumbersAlongAxis(node, 2, x, 0);
  if (scales.size() != codes.size() || zeros.size() != codes.size()) return std::nullopt;
  std::vector<Code> all;
  for (size_t i = 0; i < codes.size(); ++i) all.push_back({codes[i], scales[i], zeros[i]});
  return node.conversions()->Dequantized(node.node().outputs.front(), node.value(0), all,
                                         node.InType(1));
}

absl::Status QuantizeOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  node.MarkRandom();
  if (node.conversions() != nullptr && node.conversions()->in_converted()) {
    return QuantizeExactly(node);
  }
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues scale, AlongAxis(node, 1, x));
  OC_ASSIGN_OR_RETURN(const Residues zero, AlongAxis(node, 2, x));
  OC_ASSIGN_OR_RETURN(const Residues scaled, DivAll(field, x, scale));
  const auto to = static_cast<uint64_t>(node.number(0).tensor().dtype());
  const uint64_t function = node.Jumping(MixNumbers(FunctionNumber("quantize"), to));
  OC_ASSIGN_OR_RETURN(Residues out, Combine(scaled, zero, [&](Residue a, Residue b) {
                        return node.field().Random(function, a, b);
                      }));
  return node.Set(0, std::move(out));
}

absl::Status DequantizeOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  if (node.conversions() != nullptr && node.conversions()->in_converted()) {
    if (std::optional<Residues> before = NumbersBefore(node, x); before.has_value()) {
      node.MarkRandom();
      return node.Set(0, *std::move(before));
    }
  }
  OC_ASSIGN_OR_RETURN(const Residues scale, AlongAxis(node, 1, x));
  OC_ASSIGN_OR_RETURN(const Residues zero, AlongAxis(node, 2, x));
  OC_ASSIGN_OR_RETURN(const Residues shifted, SubAll(field, x, zero));
  OC_ASSIGN_OR_RETURN(Residues out, MulAll(field, shifted, scale));
  return node.Set(0, std::move(out));
}

// Its scale and zero point are functions of the whole tensor. Only in a proof with exact numbers:
// else it is what ONNX says it is made of.
absl::Status DynamicQuantizeOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  if (node.conversions() == nullptr || !node.conversions()->in_converted()) {
    return NoMeaning("a scale by the greatest number");
  }
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  uint64_t key = FunctionNumber("dynamic scale");
  for (const Residue value : x.values) {
    if (value == kNoNumber) return NoMeaning("an input is NaN, or unknown, in exact arithmetic");
    key = MixNumbers(key, static_cast<uint64_t>(value));
  }
  const Residue scale = node.field().Random(key, 1);
  const Residue zero = node.field().Random(key, 2);
  x = node.conversions()->TakeRounded(std::move(x), DType::kUint8, CodeRange(), node.label());
  OC_RETURN_IF_ERROR(node.Set(1, Residues::Of(scale)));
  OC_RETURN_IF_ERROR(node.Set(2, Residues::Of(zero)));
  const Residue inverse = field.Inverse(scale);
  return node.Set(0, Mapped(std::move(x), [&](Residue value) {
                    return field.Add(field.Mul(value, inverse), zero);
                  }));
}

constexpr FieldOperatorRow kChoiceOperators[] = {
    {kOnnxDomain, "Cast", CastOperator},
    {kOnnxDomain, "CastLike", CastOperator},
    {kOnnxDomain, "Greater", CompareOperator},
    {kOnnxDomain, "Less", CompareOperator},
    {kOnnxDomain, "GreaterOrEqual", CompareOperator},
    {kOnnxDomain, "LessOrEqual", CompareOperator},
    {kOnnxDomain, "Equal", CompareOperator},
    {kOnnxDomain, "And", AndOperator},
    {kOnnxDomain, "Or", AndOperator},
    {kOnnxDomain, "Xor", XorOperator},
    {kOnnxDomain, "Not", NotOperator},
    {kOnnxDomain, "IsNaN", IsNanOperator},
    {kOnnxDomain, "Where", WhereOperator},
    {kOnnxDomain, "QuantizeLinear", QuantizeOperator},
    {kOnnxDomain, "DequantizeLinear", DequantizeOperator},
    {kOnnxDomain, "DynamicQuantizeLinear", DynamicQuantizeOperator},
    {kMicrosoftDomain, "QuantizeLinear", QuantizeOperator},
    {kMicrosoftDomain, "DequantizeLinear", DequantizeOperator},
};

}  // namespace

absl::StatusOr<Residues> FieldChosen(const PrimeField& field, const Residues& condition,
                                     const Residues& a, const Residues& b) {
  // The share of one of the two: all of it, nothing, or a random part.
  const auto part = [&](Residue share, Residue x) {
    if (share == 0 || share == kNoNumber) return share;
    if (share == 1) return x;
    return IsNumber(x) ? field.Mul(share, x) : field.Random(FunctionNumber("where"), share, x);
  };
  OC_ASSIGN_OR_RETURN(const Residues first, Combine(condition, a, part));
  OC_ASSIGN_OR_RETURN(const Residues second, Combine(condition, b, [&](Residue c, Residue x) {
                        return part(field.Sub(1, c), x);
                      }));
  return AddAll(field, first, second);
}

std::optional<Residues> FieldScaledCodes(const FieldNode& node, int codes, int zeros, int axis) {
  Conversions* const conversions = node.conversions();
  if (conversions == nullptr || !conversions->in_converted() || axis < 0 || !node.Has(codes) ||
      !IsFixed(node, codes) || !IsFixed(node, zeros)) {
    return std::nullopt;
  }
  const std::vector<double> points =
      node.Has(zeros) ? NumbersIn(node.value(zeros).number.tensor()) : std::vector<double>{0};
  return conversions->Scaled(node.node().inputs[static_cast<size_t>(codes)], node.value(codes),
                             axis, points);
}

std::optional<Residues> FieldTableCodes(const FieldNode& node, int input) {
  Conversions* const conversions = node.conversions();
  if (conversions == nullptr || !conversions->in_converted() || !IsFixed(node, input) ||
      !(node.InType(input) == DType::kInt8 || node.InType(input) == DType::kUint8) ||
      node.value(input).residues.defined()) {
    return std::nullopt;
  }
  return conversions->Codes(node.node().inputs[static_cast<size_t>(input)], node.value(input));
}

absl::Span<const FieldOperatorRow> ChoiceFieldOperators() { return kChoiceOperators; }

}  // namespace onnxcmp
