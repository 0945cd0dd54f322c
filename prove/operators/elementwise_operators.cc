// Operators over the field that work element by element.
#include <cmath>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "prove/directions.h"
#include "prove/field_functions.h"
#include "prove/field_node.h"
#include "prove/foldable_layer.h"
#include "prove/whole_numbers.h"

namespace onnxcmp {

Residue FieldSigmoid(const PrimeField& field, Residue x) {
  return field.Inverse(field.Add(1, field.Exp(field.Neg(x))));
}

Residue FieldTanh(const PrimeField& field, Residue x) {
  return field.Sub(field.Mul(2, FieldSigmoid(field, field.Add(x, x))), 1);
}

Residues FieldSigmoids(const PrimeField& field, Residues x) {
  x = ExpOf(field, Mapped(std::move(x), [&](Residue v) { return field.Neg(v); }));
  return InverseOf(field, Mapped(std::move(x), [&](Residue value) { return field.Add(1, value); }));
}

Residue FieldErf(const PrimeField& field, Residue x) { return field.Odd(FunctionNumber("erf"), x); }

Residue FieldLog(const PrimeField& field, Residue x) {
  if (x == 0) return kMinusInfinity;
  if (!IsNumber(x)) return x == kPlusInfinity ? x : kNoNumber;
  if (x == 1) return 0;
  // log(1 / x) = -log(x).
  constexpr uint64_t kLog = FunctionNumber("log");
  const Residue inverse = field.Inverse(x);
  return x <= inverse ? field.Random(kLog, x) : field.Neg(field.Random(kLog, inverse));
}

absl::StatusOr<Residues> FieldLogOf(const PrimeField& field, ExpForm form) {
  const auto log = [&](Residue value) { return FieldLog(field, value); };
  return AddAll(field, Mapped(std::move(form.factor), log), form.exponent);
}

namespace {

bool IsReal(const FieldNode& node, int input) { return IsFloatingPoint(node.InType(input)); }

// Any function of several numbers, as a random one called by a name. `second`: in the place of the
// second number; `first`: in that of the first.
absl::Status FunctionOfAll(FieldNode& node, const std::string& name,
                           const std::optional<Residues>& second,
                           std::optional<Residues> first = std::nullopt) {
  node.MarkRandom();
  if (!first.has_value()) {
    OC_ASSIGN_OR_RETURN(first, node.In(0));
  }
  Residues out = *std::move(first);
  // Its attributes count, its version does not; nor does its type, unless it sees bits or wraps.
  uint64_t function = FunctionNumber(name);
  if (name != "Mod") function = MixNumbers(function, static_cast<uint64_t>(node.InType(0)));
  function = MixNumbers(function, static_cast<uint64_t>(node.Int("fmod", 0)));
  const std::string direction = node.String("direction", "");
  function = MixNumbers(function, FunctionNumber(second.has_value() ? "" : direction));
  function = node.Jumping(function);
  out = Mapped(std::move(out), [&](Residue x) { return node.field().Random(function, x); });
  for (int i = 1; i < node.num_inputs(); ++i) {
    if (!node.Has(i)) continue;
    OC_ASSIGN_OR_RETURN(const Residues next, second.has_value() ? *second : node.In(i));
    OC_ASSIGN_OR_RETURN(out, Combine(out, next, [&](Residue a, Residue b) {
                          return node.field().Random(function + i, a, b);
                        }));
  }
  return node.Set(0, std::move(out));
}

absl::Status AnyFunction(FieldNode& node) {
  return FunctionOfAll(node, node.node().op_type, std::nullopt);
}

// Numbers from 0 to the divisor are their own rests.
absl::Status ModOperator(FieldNode& node) {
  const std::optional<double> divisor = OneNumber(node, 1);
  if (IsInteger(node.InType(0)) && node.Int("fmod", 0) == 0 && divisor.has_value() &&
      node.value(0).whole.has_value() && !node.value(0).wraps) {
    const WholeRange range = *node.value(0).whole;
    if (range.first >= 0 && range.second < *divisor &&
        node.value(0).number.tensor().shape() == node.number(0).tensor().shape()) {
      return FieldUnary(node, [](Residue x) { return x; });
    }
  }
  if (!IsInteger(node.InType(0)) || node.Int("fmod", 0) != 0 || !divisor.has_value() ||
      *divisor <= 0 || *divisor >= 0x1p53) {
    return AnyFunction(node);
  }
  // The rest by a divisor of the divisor.
  const auto by = static_cast<int64_t>(*divisor);
  const ValueOrigin* const origin = node.origin(0);
  Residues x;
  if (origin != nullptr && origin->rest_by > 0 && origin->rest_by % by == 0) {
    OC_ASSIGN_OR_RETURN(x, FromTensor(origin->rest_of));
  } else {
    OC_ASSIGN_OR_RETURN(x, node.In(0));
  }
  if (x.shape == node.number(0).tensor().shape()) {
    ValueOrigin rest;
    rest.rest_by = by;
    OC_ASSIGN_OR_RETURN(rest.rest_of, ToTensor(x));
    node.SetOrigin(0, std::move(rest));
  }
  return FunctionOfAll(node, "Mod", std::nullopt, std::move(x));
}

// A shift by a number of bits is a product with a power of 2, or a quotient by it.
absl::Status ShiftOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const std::optional<double> bits = OneNumber(node, 1);
  if (!bits.has_value() || *bits < 0 || *bits >= BitWidth(node.InType(0))) return AnyFunction(node);
  const Residue power = field.Power(2, static_cast<uint64_t>(*bits));
  if (node.String("direction", "") == "RIGHT") {
    return FunctionOfAll(node, "Div", Residues::Of(power));
  }
  OC_ASSIGN_OR_RETURN(Residues x, node.InRing(0));
  if (x.shape != node.number(0).tensor().shape()) return NoMeaning("a shape that grows");
  return node.Set(0, FieldScaled(field, std::move(x), power));
}

using Combination = absl::StatusOr<Residues>(const PrimeField&, const Residues&, const Residues&);

// Of two products with powers of e: another one.
absl::Status CombineForms(FieldNode& node, Combination* factors, Combination* exponents) {
  const ExpForm a = *node.Form(0);
  const ExpForm b = *node.Form(1);
  ExpForm out;
  OC_ASSIGN_OR_RETURN(out.factor, factors(node.field(), a.factor, b.factor));
  OC_ASSIGN_OR_RETURN(out.exponent, exponents(node.field(), a.exponent, b.exponent));
  return node.SetForm(0, std::move(out));
}

absl::Status SumOrDifference(FieldNode& node, Combination* combine) {
  OC_ASSIGN_OR_RETURN(const bool hidden, SetHiddenSum(node));
  if (hidden) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(const Residues a, node.InRing(0));
  OC_ASSIGN_OR_RETURN(const Residues b, node.InRing(1));
  OC_ASSIGN_OR_RETURN(Residues out, combine(node.field(), a, b));
  return node.Set(0, std::move(out));
}

// The origin of 1 + exp(x).
void KeepPlusExp(FieldNode& node) {
  for (const int input : {0, 1}) {
    const std::optional<ExpForm> form = node.Form(input);
    const auto is_one = [](Residue factor) { return factor == 1; };
    if (!form.has_value() || OneNumber(node, 1 - input) != 1 ||
        !std::all_of(form->factor.values.begin(), form->factor.values.end(), is_one) ||
        form->exponent.shape != node.number(0).tensor().shape()) {
      continue;
    }
    const ValueOrigin* const origin = node.origin(input);
    const FieldValue& power = node.value(input);
    node.SetOrigin(
        0, {.plus_exp = {power.exp_exponent, origin == nullptr ? Tensor() : origin->exp_of_size}});
    return;
  }
}

// The origin of 1 / (1 + exp(x)).
void KeepInverse(FieldNode& node, int input) {
  const ValueOrigin* const origin = node.origin(input);
  if (origin == nullptr || !origin->plus_exp.of.defined()) return;
  PlusExp inverse = origin->plus_exp;
  inverse.inverse = !inverse.inverse;
  node.SetOrigin(0, {.plus_exp = std::move(inverse)});
}

absl::Status AddOperator(FieldNode& node) {
  OC_RETURN_IF_ERROR(KeepShiftedScale(node));
  KeepPlusExp(node);
  return SumOrDifference(node, AddAll);
}
absl::Status SubOperator(FieldNode& node) {
  OC_RETURN_IF_ERROR(KeepShiftedScale(node));
  return SumOrDifference(node, SubAll);
}
// A product of powers of e with numbers, of which those times 0 are left out.
absl::Status SetScaledForm(FieldNode& node, ExpForm form, int numbers) {
  OC_ASSIGN_OR_RETURN(const Residues factor, node.In(numbers));
  OC_ASSIGN_OR_RETURN(form.factor, MulAll(node.field(), form.factor, factor));
  OC_ASSIGN_OR_RETURN(form.exponent, Combine(form.exponent, form.factor, [](Residue x, Residue f) {
                        return f == 0 ? kMinusInfinity : x;
                      }));
  KeepScale(node);
  return node.SetForm(0, std::move(form));
}

// sign(x) |x| = x.
absl::StatusOr<bool> SetSignTimesSize(FieldNode& node, int sign) {
  const ValueOrigin* const a = node.origin(sign);
  const ValueOrigin* const b = node.origin(1 - sign);
  if (a == nullptr || b == nullptr || !a->sign_of.defined() || !b->size_of.defined() ||
      b->opposite) {
    return false;
  }
  OC_ASSIGN_OR_RETURN(const Residues x, FromTensor(a->sign_of));
  OC_ASSIGN_OR_RETURN(const Residues y, FromTensor(b->size_of));
  if (x.shape != y.shape || !(x.values == y.values)) return false;
  node.MarkRandom();
  OC_RETURN_IF_ERROR(node.Set(0, x));
  return true;
}

absl::Status MulOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  if (node.HasForm(0) && node.HasForm(1)) return CombineForms(node, MulAll, AddAll);
  for (const int input : {0, 1}) {
    if (node.HasForm(input) && !node.value(input).fixed && node.value(1 - input).fixed) {
      return SetScaledForm(node, *node.Form(input), 1 - input);
    }
  }
  for (const int choice : {0, 1}) {
    OC_ASSIGN_OR_RETURN(bool chosen, SetChosenFactor(node, choice));
    if (!chosen) {
      OC_ASSIGN_OR_RETURN(chosen, SetSignTimesSize(node, choice));
    }
    if (chosen) return absl::OkStatus();
  }
  OC_ASSIGN_OR_RETURN(const Residues a, node.InRing(0));
  OC_ASSIGN_OR_RETURN(const Residues b, node.InRing(1));
  OC_ASSIGN_OR_RETURN(Residues out, MulAll(field, a, b));
  if (node.node().inputs[0] == node.node().inputs[1]) {
    if (IsZeroOrOne(node.value(0))) return node.Set(0, a);
    OC_RETURN_IF_ERROR(SquareOfSize(node, &out));
    node.SetOrigin(0, {.root = node.value(0).residues});
  }
  KeepScale(node);
  if (node.OriginOf(0) == nullptr && IsReal(node, 0)) {
    ValueOrigin origin;
    for (const int input : {0, 1}) {
      const FieldValue& factor = node.value(input);
      if (!factor.fixed && a.shape == b.shape) origin.vanishes_with.push_back(factor.residues);
    }
    node.SetOrigin(0, std::move(origin));
  }
  return node.Set(0, std::move(out));
}
absl::Status DivOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  if (!IsReal(node, 0)) return AnyFunction(node);  // it rounds
  if (node.HasForm(0) && node.HasForm(1)) return CombineForms(node, DivAll, SubAll);
  OC_ASSIGN_OR_RETURN(const Residues a, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues b, node.In(1));
  OC_ASSIGN_OR_RETURN(Residues out, DivAll(field, a, b));
  KeepScale(node);
  if (OneNumber(node, 0) == 1) KeepInverse(node, 1);
  return node.Set(0, std::move(out));
}

absl::Status NegOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(Residues x, node.InRing(0));
  if (const ValueOrigin* origin = node.origin(0); origin != nullptr && origin->size_of.defined()) {
    node.SetOrigin(0, {.opposite = !origin->opposite, .size_of = origin->size_of});
  }
  return node.Set(0, Mapped(std::move(x), [&](Residue v) { return field.Neg(v); }));
}

absl::Status ReciprocalOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  if (std::optional<ExpForm> form = node.Form(0); form.has_value()) {
    form->factor = InverseOf(field, std::move(form->factor));
    form->exponent = Mapped(std::move(form->exponent), [&](Residue v) { return field.Neg(v); });
    return node.SetForm(0, *std::move(form));
  }
  KeepInverse(node, 0);
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  return node.Set(0, InverseOf(field, std::move(x)));
}

// exp of the lesser of x and a number is exp(x) below it: where bounds are taken so.
absl::StatusOr<bool> SetExpOfBound(FieldNode& node) {
  const PrimeField& field = node.field();
  const ValueOrigin* const origin = node.origin(0);
  if (!node.by_direction() || origin == nullptr || !origin->unbounded.defined()) return false;
  const bool above = std::isinf(origin->low.number);
  const MeantNumber& limit = above ? origin->high : origin->low;
  if (above == std::isinf(origin->high.number) || !IsNumber(limit.residue)) return false;
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues x, FromTensor(origin->unbounded));
  const Residue end = field.Exp(limit.residue);
  x = Mapped(std::move(x), [&](Residue v) {
    const Residue step = field.Step(field.Sub(v, limit.residue));
    const Residue apart = field.Sub(end, field.Exp(v));
    return field.Add(field.Exp(v), field.Mul(apart, above ? step : field.Sub(1, step)));
  });
  OC_RETURN_IF_ERROR(node.Set(0, std::move(x)));
  return true;
}

absl::Status ExpOperator(FieldNode& node) {
  OC_ASSIGN_OR_RETURN(const bool is_set, SetExpOfBound(node));
  if (is_set) return absl::OkStatus();
  if (const ValueOrigin* origin = node.origin(0); origin != nullptr) {
    node.SetOrigin(0, {.exp_of_size = origin->size_of});
  }
  if (std::optional<HiddenScores> hidden = HiddenOf(node, 0); hidden.has_value()) {
    return node.SetForm(0, {std::move(hidden->shown), std::move(hidden->score)});
  }
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  ExpForm form = {Residues::Of(1), std::move(x)};
  return node.SetForm(0, std::move(form));
}

absl::Status LogOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  if (std::optional<ExpForm> form = node.Form(0); form.has_value()) {
    OC_ASSIGN_OR_RETURN(Residues log, FieldLogOf(field, *std::move(form)));
    return node.Set(0, std::move(log));
  }
  const ValueOrigin* const origin = node.origin(0);
  if (origin != nullptr && origin->plus_exp.of.defined()) {
    node.MarkRandom();
    OC_ASSIGN_OR_RETURN(Residues out, LogOfPlusExp(field, origin->plus_exp));
    return node.Set(0, std::move(out));
  }
  if (origin != nullptr && origin->root_of.defined()) {
    node.MarkRandom();
    OC_ASSIGN_OR_RETURN(Residues x, FromTensor(origin->root_of));
    return node.Set(0, Mapped(std::move(x), [&](Residue v) {
                      const Residue log = FieldLog(field, v);
                      return IsNumber(log) ? field.Mul(log, Half(field)) : log;
                    }));
  }
  return FieldRandomUnary(node, [&](Residue x) { return FieldLog(field, x); });
}

absl::Status SigmoidOperator(FieldNode& node) {
  node.MarkRandom();
  node.SetOrigin(0, {.plus_exp = {node.value(0).residues, {}, /*of_negative=*/true, true}});
  KeepOrder(node, kAllAxes);
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  return node.Set(0, FieldSigmoids(node.field(), std::move(x)));
}

absl::Status TanhOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  KeepOrder(node, kAllAxes);
  x = FieldSigmoids(node.field(), FieldScaled(field, std::move(x), 2));
  return node.Set(0, Mapped(std::move(x),
                            [&](Residue sigmoid) { return field.Sub(field.Mul(2, sigmoid), 1); }));
}

constexpr FieldOperatorRow kElementwiseOperators[] = {
    {kOnnxDomain, "Add", AddOperator},         {kOnnxDomain, "Sub", SubOperator},
    {kOnnxDomain, "Mul", MulOperator},         {kOnnxDomain, "Div", DivOperator},
    {kOnnxDomain, "Neg", NegOperator},         {kOnnxDomain, "Reciprocal", ReciprocalOperator},
    {kOnnxDomain, "Exp", ExpOperator},         {kOnnxDomain, "Log", LogOperator},
    {kOnnxDomain, "Sigmoid", SigmoidOperator}, {kOnnxDomain, "Tanh", TanhOperator},
    {kOnnxDomain, "Mod", ModOperator},         {kOnnxDomain, "BitShift", ShiftOperator},
    {kOnnxDomain, "BitwiseAnd", AnyFunction},  {kOnnxDomain, "BitwiseOr", AnyFunction},
    {kOnnxDomain, "BitwiseXor", AnyFunction},
};

}  // namespace

absl::StatusOr<Residues> Activated(FieldNode& node, absl::string_view activation, Residues x) {
  if (activation.empty()) return x;
  node.MarkRandom();
  const PrimeField& field = node.field();
  const auto map = [&](auto function) { return Mapped(std::move(x), function); };
  if (activation == "Relu") return map([&](Residue v) { return field.Max(v, 0); });
  if (activation == "Sigmoid") return map([&](Residue v) { return FieldSigmoid(field, v); });
  if (activation == "Tanh") return map([&](Residue v) { return FieldTanh(field, v); });
  if (activation == "Gelu") return FieldGelu(node, std::move(x), false);
  return NoMeaning(absl::StrCat("activation ", activation));
}

absl::Span<const FieldOperatorRow> ElementwiseFieldOperators() { return kElementwiseOperators; }

}  // namespace onnxcmp
