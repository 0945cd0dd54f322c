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
// second number.
absl::Status FunctionOfAll(FieldNode& node, const std::string& name,
                           const std::optional<Residues>& second) {
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues out, node.In(0));
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
  return AnyFunction(node);
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

// The roots of constants. Those that are numbers are these, and not their negatives.
Residues RootsOfNumbers(const FieldNode& node, Residues x) {
  const PrimeField& field = node.field();
  const std::vector<double> numbers = NumbersIn(node.value(0).number.tensor());
  for (size_t i = 0; i < x.values.size() && i < numbers.size(); ++i) {
    const Residue root = field.OfDouble(std::sqrt(numbers[i]));
    x.values[i] = field.Mul(root, root) == x.values[i] ? root : node.field().Sqrt(x.values[i]);
  }
  return x;
}

// The roots of the first input.
Residues RootsOf(const FieldNode& node, Residues x) {
  const ValueOrigin* const origin = node.origin(0);
  if (origin != nullptr && origin->unscaled.defined()) {
    return FieldRoots(node.field(), std::move(x), origin->scale.residue);
  }
  return Mapped(std::move(x), [&](Residue v) { return node.RootOf(0, v); });
}

absl::Status SqrtOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  if (std::optional<ExpForm> form = node.Form(0); form.has_value()) {
    // sqrt(a exp(x)) = sqrt(a) exp(x / 2).
    for (Residue& factor : form->factor.values) factor = node.RootOf(0, factor);
    form->exponent = FieldScaled(field, std::move(form->exponent), Half(field));
    return node.SetForm(0, *std::move(form));
  }
  if (const ValueOrigin* origin = node.origin(0); origin != nullptr && origin->root.defined()) {
    // sqrt(x x) = |x|.
    node.MarkRandom();
    OC_ASSIGN_OR_RETURN(Residues root, FromTensor(origin->root));
    node.SetOrigin(0, {.size_of = origin->root});
    return node.Set(0,
                    Mapped(std::move(root), [&](Residue x) { return FieldSize(node.field(), x); }));
  }
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  if (!node.value(0).fixed) {
    node.SetOrigin(0, {.root_of = node.value(0).residues});
    return node.Set(0, RootsOf(node, std::move(x)));
  }
  return node.Set(0, RootsOfNumbers(node, std::move(x)));
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

// (a exp(x))^y = a^y exp(x y), of a number y; a is 1 if y is not whole.
absl::Status PowerOfForm(FieldNode& node, double exponent) {
  const PrimeField& field = node.field();
  constexpr double kMost = 64;
  ExpForm form = *node.Form(0);
  OC_ASSIGN_OR_RETURN(const Residues power, node.In(1));
  if (form.exponent.shape != node.number(0).tensor().shape()) return NoMeaning("a wider exponent");
  const bool is_whole = exponent == std::floor(exponent) && std::fabs(exponent) <= kMost;
  for (Residue& factor : form.factor.values) {
    if (factor == 1) continue;
    if (!is_whole) return NoMeaning("a power of a product with a power of e");
    factor = field.Power(factor, static_cast<uint64_t>(std::fabs(exponent)));
    if (exponent < 0) factor = field.Inverse(factor);
  }
  form.exponent = FieldScaled(field, std::move(form.exponent), power.values.front());
  return node.SetForm(0, std::move(form));
}

// x^y = exp(y log(x)), of a number y that is not whole, so that both are NaN below 0.
absl::StatusOr<bool> SetPowerByLog(FieldNode& node, std::optional<double> exponent) {
  const PrimeField& field = node.field();
  if (!exponent.has_value() || !IsReal(node, 0) || *exponent == std::floor(*exponent)) return false;
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues power, node.In(1));
  if (x.shape != node.number(0).tensor().shape() || power.size() == 0) return false;
  x = Mapped(std::move(x), [&](Residue v) { return FieldLog(field, v); });
  if (!std::all_of(x.values.begin(), x.values.end(), IsNumber)) return false;
  x = FieldScaled(field, std::move(x), power.values.front());
  OC_RETURN_IF_ERROR(node.SetForm(0, {Residues::Of(1), std::move(x)}));
  return true;
}

absl::Status PowOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  constexpr double kMost = 64;
  const std::optional<double> exponent = OneNumber(node, 1);
  // Powers of whole numbers are whole: products by a whole exponent, truncated by others.
  if (!IsReal(node, 0) &&
      (IsReal(node, 1) || !exponent.has_value() || *exponent < 0 || *exponent > kMost / 2)) {
    return NoMeaning("a power of whole numbers that is truncated");
  }
  const double twice = exponent.has_value() ? std::fabs(2 * *exponent) : 0.5;
  const bool is_plain = twice == std::floor(twice) && twice <= kMost;
  if (IsReal(node, 0) && node.HasForm(0) && exponent.has_value())
    return PowerOfForm(node, *exponent);
  if (!is_plain) {
    node.MarkRandom();
    OC_ASSIGN_OR_RETURN(const bool is_set, SetPowerByLog(node, exponent));
    if (is_set) return absl::OkStatus();
    return FieldBinary(node, [&](Residue x, Residue y) {
      return node.field().Random(FunctionNumber("pow"), x, y);
    });
  }
  const auto halves = static_cast<uint64_t>(twice);
  if (halves % 2 != 0) node.MarkRandom();
  if (*exponent == 2 && IsReal(node, 0) && OneNumber(node, 1).has_value()) {
    OC_ASSIGN_OR_RETURN(Residues square, node.In(0));
    square = Mapped(std::move(square), [&](Residue x) { return field.Mul(x, x); });
    if (node.number(0).is_tensor() && square.shape == node.number(0).tensor().shape()) {
      OC_RETURN_IF_ERROR(SquareOfSize(node, &square));
      node.SetOrigin(0, {.root = node.value(0).residues});
      return node.Set(0, std::move(square));
    }
  }
  OC_ASSIGN_OR_RETURN(const Residues base, node.InRing(0));
  OC_ASSIGN_OR_RETURN(const Residues powers, node.In(1));
  OC_ASSIGN_OR_RETURN(Residues out, Combine(base, powers, [&](Residue x, Residue) {
                        return field.Power(x, halves / 2);
                      }));
  if (halves % 2 != 0) {
    OC_ASSIGN_OR_RETURN(out, MulAll(field, out, RootsOf(node, base)));
  }
  if (*exponent < 0) out = InverseOf(field, std::move(out));
  return node.Set(0, std::move(out));
}

constexpr FieldOperatorRow kRows[] = {
    {kOnnxDomain, "Add", AddOperator},         {kOnnxDomain, "Sub", SubOperator},
    {kOnnxDomain, "Mul", MulOperator},         {kOnnxDomain, "Div", DivOperator},
    {kOnnxDomain, "Neg", NegOperator},         {kOnnxDomain, "Reciprocal", ReciprocalOperator},
    {kOnnxDomain, "Sqrt", SqrtOperator},       {kOnnxDomain, "Exp", ExpOperator},
    {kOnnxDomain, "Log", LogOperator},         {kOnnxDomain, "Pow", PowOperator},
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

absl::Span<const FieldOperatorRow> ElementwiseFieldOperators() { return kRows; }

}  // namespace onnxcmp
