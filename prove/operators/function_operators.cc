// Operators over the field that are functions of one number, which it does not have, and powers.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/base/status_macros.h"
#include "prove/directions.h"
#include "prove/field_functions.h"
#include "prove/field_node.h"
#include "prove/foldable_layer.h"

namespace onnxcmp {
namespace {

// f(-x) = -f(x): Erf, Asin, Atan, Asinh.
absl::Status OddOperator(FieldNode& node) {
  std::string name = node.node().op_type;
  name[0] = static_cast<char>(name[0] - 'A' + 'a');
  return FieldRandomUnary(node,
                          [&](Residue x) { return node.field().Odd(FunctionNumber(name), x); });
}

// Sin, Cos and Tan by t, the tangent of the half: 2 t / (1 + t^2), (1 - t^2) / (1 + t^2), and the
// quotient of these.
absl::Status AngleOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const std::string& name = node.node().op_type;
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues half, node.In(0));
  half = Mapped(std::move(half),
                [&](Residue x) { return field.Odd(FunctionNumber("tangent of the half"), x); });
  const auto plus = [&](Residue t) { return field.Add(1, field.Mul(t, t)); };
  const auto minus = [&](Residue t) { return field.Sub(1, field.Mul(t, t)); };
  Residues below = name == "Tan" ? Mapped(half, minus) : Mapped(half, plus);
  const Residues above = name == "Cos" ? Mapped(half, minus) : FieldScaled(field, half, 2);
  OC_ASSIGN_OR_RETURN(Residues out, MulAll(field, above, InverseOf(field, std::move(below))));
  return node.Set(0, std::move(out));
}

// (exp(x) - exp(-x)) / 2, and with a sum Cosh.
absl::Status HyperbolicOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const bool is_sum = node.node().op_type == "Cosh";
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  const Residues power = ExpOf(field, std::move(x));
  const Residues inverse = InverseOf(field, power);
  OC_ASSIGN_OR_RETURN(Residues out,
                      is_sum ? AddAll(field, power, inverse) : SubAll(field, power, inverse));
  return node.Set(0, FieldScaled(field, std::move(out), Half(field)));
}

// log((1 + x) / (1 - x)) / 2.
absl::Status AtanhOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  return FieldRandomUnary(node, [&](Residue x) {
    const Residue ratio = field.Div(field.Add(1, x), field.Sub(1, x));
    return field.Mul(FieldLog(field, ratio), Half(field));
  });
}

// pi / 2 - asin(x).
absl::Status AcosOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const Residue right_angle = node.Constant(std::acos(0.0), DType::kDouble);
  return FieldRandomUnary(node, [&](Residue x) {
    return field.Sub(right_angle, field.Odd(FunctionNumber("asin"), x));
  });
}

// Functions of one number without rules.
absl::Status PlainOperator(FieldNode& node) {
  const uint64_t function = FunctionNumber(node.node().op_type);
  return FieldRandomUnary(node, [&](Residue x) { return node.field().Random(function, x); });
}

// Floor, Round, and Ceil as -floor(-x). Whole numbers stay what they are.
absl::Status RoundOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const ValueOrigin* const origin = node.origin(0);
  const bool is_whole = node.value(0).whole.has_value() || (origin != nullptr && origin->is_whole);
  node.SetOrigin(0, {.is_whole = true});
  if (is_whole) return FieldUnary(node, [](Residue x) { return x; });
  const bool is_ceil = node.node().op_type == "Ceil";
  const uint64_t function = node.Jumping(FunctionNumber(is_ceil ? "Floor" : node.node().op_type));
  return FieldRandomUnary(node, [&](Residue x) {
    return is_ceil ? field.Neg(field.Random(function, field.Neg(x))) : field.Random(function, x);
  });
}

// -1 - x, or for numbers without a sign the greatest of the type less x.
absl::Status BitwiseNotOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const bool is_signed = IsSignedInteger(node.InType(0));
  const int bits = BitWidth(node.InType(0));
  const Residue greatest =
      is_signed ? field.Neg(1) : field.Sub(field.Power(2, static_cast<uint64_t>(bits)), 1);
  OC_ASSIGN_OR_RETURN(Residues x, node.InRing(0));
  return node.Set(0, Mapped(std::move(x), [&](Residue v) { return field.Sub(greatest, v); }));
}

absl::Status SoftplusOperator(FieldNode& node) {
  node.MarkRandom();
  const ValueOrigin* const origin = node.origin(0);
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(const Tensor own, ToTensor(x));
  OC_ASSIGN_OR_RETURN(
      Residues out,
      LogOfPlusExp(node.field(), {own, origin == nullptr ? Tensor() : origin->size_of}));
  return node.Set(0, std::move(out));
}

// x above 0, alpha (exp(x / alpha') - 1) below: Elu, Selu with a factor, Celu.
absl::Status EluOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const std::string& name = node.node().op_type;
  const Residue alpha = node.Real("alpha", name == "Selu" ? 1.67326319F : 1.0F);
  const Residue gamma = name == "Selu" ? node.Real("gamma", 1.05070102F) : 1;
  const Residue stretch = name == "Celu" ? field.Inverse(alpha) : 1;
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues steps, StepsOf(node, 0));
  OC_ASSIGN_OR_RETURN(Residues out, Combine(x, steps, [&](Residue v, Residue step) {
                        const Residue power = field.Exp(field.Mul(v, stretch));
                        const Residue below = field.Mul(alpha, field.Sub(power, 1));
                        return field.Mul(gamma, field.Add(field.Mul(step, v),
                                                          field.Mul(field.Sub(1, step), below)));
                      }));
  return node.Set(0, std::move(out));
}

// x sigmoid(alpha x): Swish, QuickGelu.
absl::Status SwishOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const bool quick = node.node().op_type == "QuickGelu";
  const Residue alpha = node.Real("alpha", quick ? 1.702F : 1.0F);
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(Residues out,
                      MulAll(field, x, FieldSigmoids(node.field(), FieldScaled(field, x, alpha))));
  return node.Set(0, std::move(out));
}

// With a bias as a second input: Gelu, BiasGelu, FastGelu.
absl::Status GeluOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  node.MarkRandom();
  const bool tanh =
      node.node().op_type == "FastGelu" || node.String("approximate", "none") == "tanh";
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  if (node.Has(1)) {
    OC_ASSIGN_OR_RETURN(const Residues bias, node.In(1));
    OC_ASSIGN_OR_RETURN(x, AddAll(field, x, bias));
  }
  OC_ASSIGN_OR_RETURN(x, FieldGelu(node, std::move(x), tanh));
  return node.Set(0, std::move(x));
}

// x tanh(softplus(x)).
absl::Status MishOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  return FieldRandomUnary(
      node, [&](Residue x) { return field.Mul(x, FieldTanh(field, FieldSoftplus(field, x))); });
}

// x / (1 + |x|).
absl::Status SoftsignOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  return FieldRandomUnary(
      node, [&](Residue x) { return field.Div(x, field.Add(1, FieldSize(field, x))); });
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

// The greatest exponent that is a product of so many factors.
constexpr double kMostFactors = 64;

// (a exp(x))^y = a^y exp(x y), of a number y; a is 1 if y is not whole.
absl::Status PowerOfForm(FieldNode& node, double exponent) {
  const PrimeField& field = node.field();
  ExpForm form = *node.Form(0);
  OC_ASSIGN_OR_RETURN(const Residues power, node.In(1));
  if (form.exponent.shape != node.number(0).tensor().shape()) return NoMeaning("a wider exponent");
  const bool is_whole = exponent == std::floor(exponent) && std::fabs(exponent) <= kMostFactors;
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
  if (!exponent.has_value() || !IsFloatingPoint(node.InType(0)) ||
      *exponent == std::floor(*exponent))
    return false;
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
  const std::optional<double> exponent = OneNumber(node, 1);
  // Powers of whole numbers are whole: products by a whole exponent, truncated by others.
  if (!IsFloatingPoint(node.InType(0)) &&
      (IsFloatingPoint(node.InType(1)) || !exponent.has_value() || *exponent < 0 ||
       *exponent > kMostFactors / 2)) {
    return NoMeaning("a power of whole numbers that is truncated");
  }
  const double twice = exponent.has_value() ? std::fabs(2 * *exponent) : 0.5;
  const bool is_plain = twice == std::floor(twice) && twice <= kMostFactors;
  if (IsFloatingPoint(node.InType(0)) && node.HasForm(0) && exponent.has_value())
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
  if (*exponent == 2 && IsFloatingPoint(node.InType(0)) && OneNumber(node, 1).has_value()) {
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

constexpr FieldOperatorRow kFunctionOperators[] = {
    {kOnnxDomain, "Sqrt", SqrtOperator},
    {kOnnxDomain, "Pow", PowOperator},
    {kOnnxDomain, "Softplus", SoftplusOperator},
    {kOnnxDomain, "Mish", MishOperator},
    {kOnnxDomain, "Softsign", SoftsignOperator},
    {kOnnxDomain, "Erf", OddOperator},
    {kOnnxDomain, "Sin", AngleOperator},
    {kOnnxDomain, "Cos", AngleOperator},
    {kOnnxDomain, "Tan", AngleOperator},
    {kOnnxDomain, "Asin", OddOperator},
    {kOnnxDomain, "Atan", OddOperator},
    {kOnnxDomain, "Asinh", OddOperator},
    {kOnnxDomain, "Sinh", HyperbolicOperator},
    {kOnnxDomain, "Cosh", HyperbolicOperator},
    {kOnnxDomain, "Atanh", AtanhOperator},
    {kOnnxDomain, "Acos", AcosOperator},
    {kOnnxDomain, "Acosh", PlainOperator},
    {kOnnxDomain, "Floor", RoundOperator},
    {kOnnxDomain, "Ceil", RoundOperator},
    {kOnnxDomain, "Round", RoundOperator},
    {kOnnxDomain, "BitwiseNot", BitwiseNotOperator},
    {kOnnxDomain, "Elu", EluOperator},
    {kOnnxDomain, "Selu", EluOperator},
    {kOnnxDomain, "Celu", EluOperator},
    {kOnnxDomain, "Swish", SwishOperator},
    {kOnnxDomain, "Gelu", GeluOperator},
    {kMicrosoftDomain, "Gelu", GeluOperator},
    {kMicrosoftDomain, "BiasGelu", GeluOperator},
    {kMicrosoftDomain, "FastGelu", GeluOperator},
    {kMicrosoftDomain, "QuickGelu", SwishOperator},
};

}  // namespace

Residue FieldSoftplus(const PrimeField& field, Residue x) {
  // log(1 + exp(-x)) = log(1 + exp(x)) - x.
  const bool turned = IsNumber(x) && x > field.Neg(x);
  const Residue power = field.Exp(turned ? field.Neg(x) : x);
  const Residue log = FieldLog(field, field.Add(1, power));
  return turned ? field.Add(x, log) : log;
}

absl::StatusOr<Residues> FieldGelu(const FieldNode& node, Residues x, bool by_tanh) {
  const PrimeField& field = node.field();
  if (!by_tanh) {
    const Residue factor = field.Inverse(node.field().Sqrt(2));
    return Mapped(std::move(x), [&](Residue value) {
      const Residue erf = FieldErf(node.field(), field.Mul(value, factor));
      return field.Mul(field.Mul(value, Half(field)), field.Add(1, erf));
    });
  }
  constexpr double kCubic = 0.044715;
  const Residue cubic = node.Constant(kCubic);
  const Residue twice = field.Mul(2, node.Constant(std::sqrt(2 / std::acos(-1.0))));
  // (1 + tanh(y)) / 2 is sigmoid(2 y).
  const Residues sigmoids =
      FieldSigmoids(node.field(), Mapped(x, [&](Residue value) {
                      const Residue cube = field.Mul(field.Mul(value, value), value);
                      return field.Mul(twice, field.Add(value, field.Mul(cubic, cube)));
                    }));
  return MulAll(field, x, sigmoids);
}

absl::StatusOr<Residues> LogOfPlusExp(const PrimeField& field, const PlusExp& plus) {
  OC_ASSIGN_OR_RETURN(Residues out, FromTensor(plus.of));
  if (plus.of_negative) {
    out = Mapped(std::move(out), [&](Residue x) { return field.Neg(x); });
  }
  const auto softplus = [&](Residue x) { return FieldSoftplus(field, x); };
  if (plus.of_size.defined()) {
    // The value of x is that of |x| but for half of what the two are apart.
    OC_ASSIGN_OR_RETURN(const Residues x, FromTensor(plus.of_size));
    OC_ASSIGN_OR_RETURN(const Residues apart, SubAll(field, out, x));
    OC_ASSIGN_OR_RETURN(out,
                        AddAll(field, Mapped(x, softplus), FieldScaled(field, apart, Half(field))));
  } else {
    out = Mapped(std::move(out), softplus);
  }
  if (!plus.inverse) return out;
  return Mapped(std::move(out), [&](Residue x) { return field.Neg(x); });
}

absl::Span<const FieldOperatorRow> FunctionFieldOperators() { return kFunctionOperators; }

}  // namespace onnxcmp
