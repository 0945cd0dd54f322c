// Operators over the field that take sums and products apart (directions.h). Each is a law of the
// real function, from left to right.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "prove/directions.h"
#include "prove/field_functions.h"
#include "prove/field_node.h"
#include "prove/foldable_layer.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

bool AreAlike(const Tensor& a, const Tensor& b) {
  const absl::StatusOr<Residues> left = FromTensor(a);
  const absl::StatusOr<Residues> right = FromTensor(b);
  return left.ok() && right.ok() && left->shape == right->shape && left->values == right->values;
}

// True for an input of whole numbers in a floating type.
bool IsWhole(const FieldNode& node, int input) {
  const FieldValue& value = node.value(input);
  if (!value.fixed) return value.origin != nullptr && value.origin->is_whole;
  return absl::c_all_of(NumbersIn(value.number.tensor()), [](double number) {
    return std::isfinite(number) && number == std::floor(number);
  });
}

// The summands of an input: itself, if no others are known.
absl::StatusOr<std::vector<Summand>> SummandsOf(const FieldNode& node, int input) {
  if (const Parts& parts = node.value(input).parts; !parts.summands.empty()) return parts.summands;
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(input));
  Summand whole;
  OC_ASSIGN_OR_RETURN(whole.of, ToTensor(x));
  whole.whole = IsWhole(node, input);
  return std::vector<Summand>{std::move(whole)};
}

// The factors of an input, likewise.
absl::StatusOr<std::vector<Tensor>> FactorsOf(const FieldNode& node, int input) {
  if (const Parts& parts = node.value(input).parts; !parts.factors.empty()) return parts.factors;
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(input));
  OC_ASSIGN_OR_RETURN(Tensor whole, ToTensor(x));
  return std::vector<Tensor>{std::move(whole)};
}

// The summands of an input, broadcast to the output's shape.
absl::StatusOr<std::vector<Summand>> BroadcastSummands(const FieldNode& node, int input,
                                                       const Shape& shape) {
  OC_ASSIGN_OR_RETURN(std::vector<Summand> summands, SummandsOf(node, input));
  for (Summand& summand : summands) {
    OC_ASSIGN_OR_RETURN(const Residues own, FromTensor(summand.of));
    OC_ASSIGN_OR_RETURN(const Residues broadcast, BroadcastTo(own, shape));
    OC_ASSIGN_OR_RETURN(summand.of, ToTensor(broadcast));
  }
  return summands;
}

// Adds `factor` times a summand to others.
void AddSummand(Summand summand, int64_t factor, std::vector<Summand>* sum) {
  summand.halves *= factor;
  for (Summand& other : *sum) {
    if (other.whole != summand.whole || !AreAlike(other.of, summand.of)) continue;
    other.halves += summand.halves;
    return;
  }
  sum->push_back(std::move(summand));
}

// A sum or a difference of two inputs.
absl::StatusOr<std::vector<Summand>> SumOf(const FieldNode& node, const Shape& shape) {
  std::vector<Summand> sum;
  for (const int input : {0, 1}) {
    OC_ASSIGN_OR_RETURN(std::vector<Summand> summands, BroadcastSummands(node, input, shape));
    const bool less = input == 1 && node.node().op_type == "Sub";
    for (Summand& summand : summands) AddSummand(std::move(summand), less ? -1 : 1, &sum);
  }
  std::erase_if(sum, [](const Summand& summand) { return summand.halves == 0; });
  return sum;
}

// An input times a number; none if that is no half of a small whole number.
absl::StatusOr<std::vector<Summand>> ScaledSum(const FieldNode& node, int input, double scale,
                                               const Shape& shape) {
  OC_ASSIGN_OR_RETURN(std::vector<Summand> summands, BroadcastSummands(node, input, shape));
  for (Summand& summand : summands) {
    const double halves = static_cast<double>(summand.halves) * scale;
    if (halves != std::floor(halves) ||
        std::fabs(halves) > work_bounds::kFewTrials * work_bounds::kFewTrials || halves == 0) {
      return std::vector<Summand>();
    }
    summand.halves = static_cast<int64_t>(halves);
  }
  return summands;
}

absl::Status KnowProduct(const FieldNode& node, const Shape& shape, Parts* parts) {
  for (const int input : {0, 1}) {
    OC_ASSIGN_OR_RETURN(const std::vector<Tensor> factors, FactorsOf(node, input));
    for (const Tensor& factor : factors) {
      OC_ASSIGN_OR_RETURN(const Residues own, FromTensor(factor));
      OC_ASSIGN_OR_RETURN(const Residues broadcast, BroadcastTo(own, shape));
      OC_ASSIGN_OR_RETURN(parts->factors.emplace_back(), ToTensor(broadcast));
    }
  }
  return absl::OkStatus();
}

absl::Status Know(const FieldNode& node, const Shape& shape, Parts* parts) {
  const absl::string_view name = node.node().op_type;
  if (name == "Identity") {
    *parts = node.value(0).parts;
  } else if (name == "Add" || name == "Sub") {
    OC_ASSIGN_OR_RETURN(parts->summands, SumOf(node, shape));
  } else if (name == "Neg") {
    OC_ASSIGN_OR_RETURN(parts->summands, ScaledSum(node, 0, -1, shape));
  } else if (name == "Div") {
    const std::optional<double> divisor = OneNumber(node, 1);
    if (!divisor.has_value() || *divisor == 0) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(parts->summands, ScaledSum(node, 0, 1 / *divisor, shape));
  } else if (name == "Mul") {
    OC_RETURN_IF_ERROR(KnowProduct(node, shape, parts));
    for (const int input : {0, 1}) {
      const std::optional<double> factor = OneNumber(node, input);
      if (!factor.has_value() || !parts->summands.empty()) continue;
      OC_ASSIGN_OR_RETURN(parts->summands, ScaledSum(node, 1 - input, *factor, shape));
    }
  } else if (name == "Exp") {
    OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
    OC_ASSIGN_OR_RETURN(parts->exp_of, ToTensor(x));
  }
  return absl::OkStatus();
}

// The operator as it is without parts.
absl::Status AsAWhole(FieldNode& node) {
  return FindFieldOperator(node.node().domain, node.node().op_type)(node);
}

// x to a power, which may be below 0.
Residue ToPower(const PrimeField& field, Residue x, int64_t exponent) {
  const Residue power = field.Power(x, static_cast<uint64_t>(exponent < 0 ? -exponent : exponent));
  return exponent < 0 ? field.Inverse(power) : power;
}

// exp(x + z) = exp(x / 2)^2 exp(z / 2)^2.
absl::StatusOr<Residues> ExpOfSum(const FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const std::vector<Summand> summands, SummandsOf(node, 0));
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  Residues power = Residues::Filled(x.shape, 1);
  for (const Summand& summand : summands) {
    OC_ASSIGN_OR_RETURN(Residues half, FromTensor(summand.of));
    half = ExpOf(field, FieldScaled(field, std::move(half), Half(field)));
    half = Mapped(std::move(half), [&](Residue v) { return ToPower(field, v, summand.halves); });
    OC_ASSIGN_OR_RETURN(power, MulAll(field, power, half));
  }
  return power;
}

absl::Status ExpByParts(FieldNode& node) {
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues power, ExpOfSum(node));
  return node.Set(0, std::move(power));
}

// By e, a power of e: e / (1 + e), (e - 1 / e) / 2, (e + 1 / e) / 2, (e^2 - 1) / (e^2 + 1).
absl::Status HyperbolicByParts(FieldNode& node) {
  const PrimeField& field = node.field();
  const std::string& name = node.node().op_type;
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues power, ExpOfSum(node));
  return node.Set(0, Mapped(std::move(power), [&](Residue e) {
                    const Residue square = field.Mul(e, e);
                    if (name == "Sigmoid") return field.Div(e, field.Add(1, e));
                    if (name == "Tanh") {
                      return field.Div(field.Sub(square, 1), field.Add(square, 1));
                    }
                    const Residue sum =
                        name == "Cosh" ? field.Add(square, 1) : field.Sub(square, 1);
                    return field.Div(sum, field.Add(e, e));
                  }));
}

// The cosine and the sine of an angle.
struct Angle {
  Residue cos = 1, sin = 0;
};
Angle Sum(const PrimeField& field, const Angle& a, const Angle& b) {
  return {field.Sub(field.Mul(a.cos, b.cos), field.Mul(a.sin, b.sin)),
          field.Add(field.Mul(a.sin, b.cos), field.Mul(a.cos, b.sin))};
}

// The half of an angle by the tangent of its quarter.
Angle HalfOf(const PrimeField& field, Residue x) {
  const Residue t = field.Odd(FunctionNumber("tangent of the quarter"), x);
  const Residue square = field.Mul(t, t);
  const Residue below = field.Inverse(field.Add(1, square));
  return {field.Mul(field.Sub(1, square), below), field.Mul(field.Add(t, t), below)};
}

// sin(x + z) = sin(x) cos(z) + cos(x) sin(z), and so on.
absl::Status AngleByParts(FieldNode& node) {
  const PrimeField& field = node.field();
  const std::string& name = node.node().op_type;
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(const std::vector<Summand> summands, SummandsOf(node, 0));
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  std::vector<Angle> angles(x.values.size());
  for (const Summand& summand : summands) {
    OC_ASSIGN_OR_RETURN(const Residues of, FromTensor(summand.of));
    for (size_t i = 0; i < angles.size(); ++i) {
      Angle half = HalfOf(field, of.values[i]);
      if (summand.halves < 0) half.sin = field.Neg(half.sin);
      for (int64_t n = std::abs(summand.halves); n > 0; --n) {
        angles[i] = Sum(field, angles[i], half);
      }
    }
  }
  Residues out = Residues::Filled(x.shape, 0);
  for (size_t i = 0; i < angles.size(); ++i) {
    const Angle& angle = angles[i];
    out.values[i] = name == "Sin"   ? angle.sin
                    : name == "Cos" ? angle.cos
                                    : field.Div(angle.sin, angle.cos);
  }
  return node.Set(0, std::move(out));
}

// |x z| = |x| |z|.
absl::Status AbsByParts(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const std::vector<Tensor> factors, FactorsOf(node, 0));
  if (factors.size() < 2) return AsAWhole(node);
  node.MarkRandom();
  Residues out = Residues::Filled(node.number(0).tensor().shape(), 1);
  for (const Tensor& factor : factors) {
    OC_ASSIGN_OR_RETURN(Residues size, FromTensor(factor));
    size = Mapped(std::move(size), [&](Residue v) { return FieldSize(field, v); });
    OC_ASSIGN_OR_RETURN(out, MulAll(field, out, size));
  }
  return node.Set(0, std::move(out));
}

// sign(x z) = sign(x) sign(z).
absl::Status SignByParts(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const std::vector<Tensor> factors, FactorsOf(node, 0));
  const uint64_t function = FunctionNumber("sign");
  if (factors.size() < 2 || node.Jumping(function) != function) return AsAWhole(node);
  Residues out = Residues::Filled(node.number(0).tensor().shape(), 1);
  for (const Tensor& factor : factors) {
    OC_ASSIGN_OR_RETURN(Residues sign, FromTensor(factor));
    sign = Mapped(std::move(sign), [&](Residue v) {
      return v == 0 ? 0 : field.Sub(field.Mul(2, field.Step(v)), 1);
    });
    OC_RETURN_IF_ERROR(node.AddJump(sign));
    OC_ASSIGN_OR_RETURN(out, MulAll(field, out, sign));
  }
  node.MarkRandom();
  return node.Set(0, std::move(out));
}

// floor(x + n) = floor(x) + n, of a whole number n.
absl::Status FloorByParts(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const std::vector<Summand> summands, SummandsOf(node, 0));
  Residues whole = Residues::Filled(node.number(0).tensor().shape(), 0);
  Residues rest = whole;
  bool some_are_whole = false;
  for (const Summand& summand : summands) {
    OC_ASSIGN_OR_RETURN(Residues of, FromTensor(summand.of));
    of = FieldScaled(field, std::move(of), field.Mul(field.OfInteger(summand.halves), Half(field)));
    const bool is_whole = summand.whole && summand.halves % 2 == 0;
    some_are_whole = some_are_whole || is_whole;
    OC_ASSIGN_OR_RETURN((is_whole ? whole : rest), AddAll(field, is_whole ? whole : rest, of));
  }
  if (!some_are_whole || summands.size() < 2) return AsAWhole(node);
  const bool is_ceil = node.node().op_type == "Ceil";
  const uint64_t function = node.Jumping(FunctionNumber("Floor"));
  Residues floor = Mapped(std::move(rest), [&](Residue x) {
    return is_ceil ? field.Neg(field.Random(function, field.Neg(x))) : field.Random(function, x);
  });
  node.MarkRandom();
  OC_RETURN_IF_ERROR(node.AddJump(floor));
  node.SetOrigin(0, {.is_whole = true});
  OC_ASSIGN_OR_RETURN(Residues out, AddAll(field, floor, whole));
  return node.Set(0, std::move(out));
}

// max(x, z) min(x, z) = x z; other products as without parts, but for those of powers of e.
absl::Status MulByParts(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const Residues a, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues b, node.In(1));
  const ValueOrigin* const left = node.origin(0);
  const ValueOrigin* const right = node.origin(1);
  const bool of_ends = IsFloatingPoint(node.InType(0)) && left != nullptr && right != nullptr &&
                       left->terms.size() == 2 && right->terms.size() == 2 &&
                       left->opposite != right->opposite;
  if (of_ends && a.shape == b.shape) {
    std::vector<Residues> x;
    std::vector<Residues> z;
    for (const size_t i : {size_t{0}, size_t{1}}) {
      OC_ASSIGN_OR_RETURN(x.emplace_back(), FromTensor(left->terms[i]));
      OC_ASSIGN_OR_RETURN(Residues term, FromTensor(right->terms[i]));
      z.push_back(Mapped(std::move(term), [&](Residue v) { return field.Neg(v); }));
    }
    const auto same = [](const Residues& m, const Residues& n) { return m.values == n.values; };
    if ((same(x[0], z[0]) && same(x[1], z[1])) || (same(x[0], z[1]) && same(x[1], z[0]))) {
      node.MarkRandom();
      OC_ASSIGN_OR_RETURN(Residues out, MulAll(field, x[0], x[1]));
      return node.Set(0, std::move(out));
    }
  }
  return AsAWhole(node);
}

// max(exp(x), exp(z)) = exp(max(x, z)).
absl::Status MaxByParts(FieldNode& node) {
  const PrimeField& field = node.field();
  const bool least = node.node().op_type == "Min";
  std::vector<Residues> exponents;
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (!node.Has(i) || !node.value(i).parts.exp_of.defined()) return AsAWhole(node);
    OC_ASSIGN_OR_RETURN(exponents.emplace_back(), FromTensor(node.value(i).parts.exp_of));
    if (exponents.back().shape != node.number(0).tensor().shape()) return AsAWhole(node);
  }
  node.MarkRandom();
  Residues out = exponents.front();
  for (size_t i = 0; i < out.values.size(); ++i) {
    std::vector<Residue> at;
    for (const Residues& exponent : exponents) {
      at.push_back(least ? field.Neg(exponent.values[i]) : exponent.values[i]);
    }
    const Residue greatest = field.MaxOf(&at);
    const Residue half = field.Exp(field.Mul(least ? field.Neg(greatest) : greatest, Half(field)));
    out.values[i] = field.Mul(half, half);
  }
  return node.Set(0, std::move(out));
}

constexpr FieldOperatorRow kPartOperators[] = {
    {kOnnxDomain, "Exp", ExpByParts},         {kOnnxDomain, "Sigmoid", HyperbolicByParts},
    {kOnnxDomain, "Tanh", HyperbolicByParts}, {kOnnxDomain, "Sinh", HyperbolicByParts},
    {kOnnxDomain, "Cosh", HyperbolicByParts}, {kOnnxDomain, "Sin", AngleByParts},
    {kOnnxDomain, "Cos", AngleByParts},       {kOnnxDomain, "Tan", AngleByParts},
    {kOnnxDomain, "Abs", AbsByParts},         {kOnnxDomain, "Sign", SignByParts},
    {kOnnxDomain, "Floor", FloorByParts},     {kOnnxDomain, "Ceil", FloorByParts},
    {kOnnxDomain, "Mul", MulByParts},         {kOnnxDomain, "Max", MaxByParts},
    {kOnnxDomain, "Min", MaxByParts},
};

}  // namespace

void KnowParts(const FieldNode& node, FieldValue* output) {
  if (output->fixed || node.node().domain != kOnnxDomain || !node.number(0).is_tensor() ||
      !IsFloatingPoint(node.number(0).tensor().dtype())) {
    return;
  }
  Parts parts;
  const absl::Status status = Know(node, node.number(0).tensor().shape(), &parts);
  // A value without residues has no parts.
  if (!status.ok()) return;
  if (parts.summands.size() > work_bounds::kFewTrials) parts.summands.clear();
  if (parts.factors.size() > work_bounds::kFewTrials) parts.factors.clear();
  output->parts = std::move(parts);
}

bool TakesParts(const Comparison& comparison) {
  static constexpr absl::string_view kNames[] = {"Abs", "Ceil", "Cos",  "Cosh", "Floor", "Max",
                                                 "Min", "Sign", "Sinh", "Sin",  "Tan",   "Tanh"};
  const auto takes = [](const StreamNode& node) {
    return absl::c_linear_search(kNames, node.op_type);
  };
  return absl::c_any_of(comparison.left.nodes, takes) ||
         absl::c_any_of(comparison.right.nodes, takes);
}

absl::Span<const FieldOperatorRow> PartFieldOperators() { return kPartOperators; }

}  // namespace onnxcmp
