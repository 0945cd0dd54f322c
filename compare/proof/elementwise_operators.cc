// Operators over the field that work element by element.
#include <cmath>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compare/proof/field_functions.h"
#include "compare/proof/field_node.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"

namespace onnxcmp {

using Field = PrimeField;

Residue FieldSigmoid(const PrimeField& field, Residue x) {
  return Field::Inverse(Field::Add(1, field.Exp(Field::Neg(x))));
}

Residue FieldTanh(const PrimeField& field, Residue x) {
  return Field::Sub(Field::Mul(2, FieldSigmoid(field, Field::Add(x, x))), 1);
}

Residues FieldSigmoids(const PrimeField& field, Residues x) {
  for (Residue& value : x.values) value = Field::Neg(value);
  field.ExpAll(absl::MakeSpan(x.values));
  for (Residue& value : x.values) value = Field::Add(1, value);
  Field::Invert(absl::MakeSpan(x.values));
  return x;
}

Residue FieldErf(const PrimeField& field, Residue x) { return field.Odd(FunctionNumber("erf"), x); }

Residue FieldLog(const PrimeField& field, Residue x) {
  if (x == 0) return kMinusInfinity;
  if (!IsNumber(x)) return x == kPlusInfinity ? x : kNoNumber;
  if (x == 1) return 0;
  // log(1 / x) = -log(x).
  constexpr uint64_t kLog = FunctionNumber("log");
  const Residue inverse = Field::Inverse(x);
  return x <= inverse ? field.Random(kLog, x) : Field::Neg(field.Random(kLog, inverse));
}

Residues FieldLogOf(const PrimeField& field, ExpForm form) {
  for (size_t i = 0; i < form.exponent.values.size(); ++i) {
    Residue& out = form.exponent.values[i];
    out = Field::Add(FieldLog(field, form.factor.values[i]), out);
  }
  return std::move(form.exponent);
}

Residues FieldGelu(const FieldNode& node, Residues x, bool by_tanh) {
  if (!by_tanh) {
    const Residue factor = Field::Inverse(node.field().Sqrt(2));
    return Mapped(std::move(x), [&](Residue value) {
      const Residue erf = FieldErf(node.field(), Field::Mul(value, factor));
      return Field::Mul(Field::Mul(value, Half()), Field::Add(1, erf));
    });
  }
  constexpr double kCubic = 0.044715;
  const Residue cubic = node.Constant(kCubic);
  const Residue twice = Field::Mul(2, node.Constant(std::sqrt(2 / std::acos(-1.0))));
  // (1 + tanh(y)) / 2 is sigmoid(2 y).
  const Residues sigmoids =
      FieldSigmoids(node.field(), Mapped(x, [&](Residue value) {
                      const Residue cube = Field::Mul(Field::Mul(value, value), value);
                      return Field::Mul(twice, Field::Add(value, Field::Mul(cubic, cube)));
                    }));
  for (size_t i = 0; i < x.values.size(); ++i) {
    x.values[i] = Field::Mul(x.values[i], sigmoids.values[i]);
  }
  return x;
}

namespace {

bool IsReal(const FieldNode& node, int input) { return IsFloatingPoint(node.InType(input)); }

// Operators of old versions that stretch their second input along an axis that they name.
absl::Status CheckPlainBroadcast(const FieldNode& node) {
  return node.Int("broadcast", 0) != 0 ? NoMeaning("broadcasting along an axis") : absl::OkStatus();
}

// Any function of several numbers, as a random one.
absl::Status AnyFunction(FieldNode& node) {
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues out, node.In(0));
  // Its attributes count, its version does not.
  uint64_t function = FunctionNumber(node.node().op_type);
  function = MixNumbers(function, static_cast<uint64_t>(node.Int("fmod", 0)));
  function = MixNumbers(function, FunctionNumber(node.String("direction", "")));
  out = Mapped(std::move(out), [&](Residue x) { return node.field().Random(function, x); });
  for (int i = 1; i < node.num_inputs(); ++i) {
    if (!node.Has(i)) continue;
    OC_ASSIGN_OR_RETURN(const Residues next, node.In(i));
    OC_ASSIGN_OR_RETURN(out, Combine(out, next, [&](Residue a, Residue b) {
                          return node.field().Random(function + i, a, b);
                        }));
  }
  return node.Set(0, std::move(out));
}

absl::Status AddOperator(FieldNode& node) {
  OC_RETURN_IF_ERROR(CheckPlainBroadcast(node));
  return FieldBinary(node, Field::Add);
}
absl::Status SubOperator(FieldNode& node) {
  OC_RETURN_IF_ERROR(CheckPlainBroadcast(node));
  return FieldBinary(node, Field::Sub);
}
absl::Status MulOperator(FieldNode& node) {
  OC_RETURN_IF_ERROR(CheckPlainBroadcast(node));
  if (node.HasForm(0) && node.HasForm(1)) {
    const ExpForm a = *node.Form(0);
    const ExpForm b = *node.Form(1);
    ExpForm out;
    OC_ASSIGN_OR_RETURN(out.factor, MulAll(a.factor, b.factor));
    OC_ASSIGN_OR_RETURN(out.exponent, AddAll(a.exponent, b.exponent));
    return node.SetForm(0, std::move(out));
  }
  OC_ASSIGN_OR_RETURN(const Residues a, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues b, node.In(1));
  OC_ASSIGN_OR_RETURN(Residues out, MulAll(a, b));
  return node.Set(0, std::move(out));
}
absl::Status DivOperator(FieldNode& node) {
  OC_RETURN_IF_ERROR(CheckPlainBroadcast(node));
  if (!IsReal(node, 0)) return AnyFunction(node);  // it rounds
  if (node.HasForm(0) && node.HasForm(1)) {
    const ExpForm a = *node.Form(0);
    const ExpForm b = *node.Form(1);
    ExpForm out;
    OC_ASSIGN_OR_RETURN(out.factor, DivAll(a.factor, b.factor));
    OC_ASSIGN_OR_RETURN(out.exponent, SubAll(a.exponent, b.exponent));
    return node.SetForm(0, std::move(out));
  }
  OC_ASSIGN_OR_RETURN(const Residues a, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues b, node.In(1));
  OC_ASSIGN_OR_RETURN(Residues out, DivAll(a, b));
  return node.Set(0, std::move(out));
}

absl::Status NegOperator(FieldNode& node) { return FieldUnary(node, Field::Neg); }

absl::Status ReciprocalOperator(FieldNode& node) {
  if (std::optional<ExpForm> form = node.Form(0); form.has_value()) {
    Field::Invert(absl::MakeSpan(form->factor.values));
    form->exponent = Mapped(std::move(form->exponent), Field::Neg);
    return node.SetForm(0, *std::move(form));
  }
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  Field::Invert(absl::MakeSpan(x.values));
  return node.Set(0, std::move(x));
}

absl::Status SqrtOperator(FieldNode& node) {
  return FieldRandomUnary(node, [&](Residue x) { return node.field().Sqrt(x); });
}

absl::Status ExpOperator(FieldNode& node) {
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  ExpForm form = {Residues::Filled(x.shape, 1), std::move(x)};
  return node.SetForm(0, std::move(form));
}

absl::Status LogOperator(FieldNode& node) {
  if (std::optional<ExpForm> form = node.Form(0); form.has_value()) {
    return node.Set(0, FieldLogOf(node.field(), *std::move(form)));
  }
  return FieldRandomUnary(node, [&](Residue x) { return FieldLog(node.field(), x); });
}

absl::Status SigmoidOperator(FieldNode& node) {
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  return node.Set(0, FieldSigmoids(node.field(), std::move(x)));
}

absl::Status TanhOperator(FieldNode& node) {
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  x = FieldSigmoids(node.field(), FieldScaled(std::move(x), 2));
  return node.Set(0, Mapped(std::move(x),
                            [](Residue sigmoid) { return Field::Sub(Field::Mul(2, sigmoid), 1); }));
}

// f(-x) = -f(x): Erf, Sin, Tan, Asin, Atan, Sinh, Asinh, Atanh, Sign.
absl::Status OddOperator(FieldNode& node) {
  std::string name = node.node().op_type;
  name[0] = static_cast<char>(name[0] - 'A' + 'a');
  return FieldRandomUnary(node,
                          [&](Residue x) { return node.field().Odd(FunctionNumber(name), x); });
}

// f(-x) = f(x): Cos, Cosh.
absl::Status EvenOperator(FieldNode& node) {
  return FieldRandomUnary(
      node, [&](Residue x) { return node.field().Even(FunctionNumber(node.node().op_type), x); });
}

// Functions of one number without rules: Floor, Acos, ...
absl::Status PlainOperator(FieldNode& node) {
  const uint64_t function = FunctionNumber(node.node().op_type);
  return FieldRandomUnary(node, [&](Residue x) { return node.field().Random(function, x); });
}

Residue Relu(const PrimeField& field, Residue x) { return field.Max(x, 0); }

absl::Status ReluOperator(FieldNode& node) {
  return FieldRandomUnary(node, [&](Residue x) { return Relu(node.field(), x); });
}

// a x below 0, x above: a x + (1 - a) max(x, 0).
Residue Leaky(const PrimeField& field, Residue x, Residue slope) {
  return Field::Add(Field::Mul(slope, x), Field::Mul(Field::Sub(1, slope), Relu(field, x)));
}

absl::Status LeakyReluOperator(FieldNode& node) {
  const Residue slope = node.Real("alpha", 0.01F);
  return FieldRandomUnary(node, [&](Residue x) { return Leaky(node.field(), x, slope); });
}

absl::Status PReluOperator(FieldNode& node) {
  node.MarkRandom();
  return FieldBinary(node, [&](Residue x, Residue slope) { return Leaky(node.field(), x, slope); });
}

absl::Status AbsOperator(FieldNode& node) {
  return FieldRandomUnary(node, [&](Residue x) {
    return Field::Mul(x, Field::Sub(Field::Mul(2, node.field().Step(x)), 1));
  });
}

absl::Status SoftplusOperator(FieldNode& node) {
  return FieldRandomUnary(
      node, [&](Residue x) { return FieldLog(node.field(), Field::Add(1, node.field().Exp(x))); });
}

// x above 0, alpha (exp(x / alpha') - 1) below: Elu, Selu with a factor, Celu.
absl::Status EluOperator(FieldNode& node) {
  const std::string& name = node.node().op_type;
  const Residue alpha = node.Real("alpha", name == "Selu" ? 1.67326319F : 1.0F);
  const Residue gamma = name == "Selu" ? node.Real("gamma", 1.05070102F) : 1;
  const Residue stretch = name == "Celu" ? Field::Inverse(alpha) : 1;
  return FieldRandomUnary(node, [&](Residue x) {
    const Residue below =
        Field::Mul(alpha, Field::Sub(node.field().Exp(Field::Mul(x, stretch)), 1));
    const Residue step = node.field().Step(x);
    const Residue sum = Field::Add(Field::Mul(step, x), Field::Mul(Field::Sub(1, step), below));
    return Field::Mul(gamma, sum);
  });
}

// x tanh(softplus(x)).
absl::Status MishOperator(FieldNode& node) {
  return FieldRandomUnary(node, [&](Residue x) {
    const Residue softplus = FieldLog(node.field(), Field::Add(1, node.field().Exp(x)));
    return Field::Mul(x, FieldTanh(node.field(), softplus));
  });
}

// x / (1 + |x|).
absl::Status SoftsignOperator(FieldNode& node) {
  return FieldRandomUnary(node, [&](Residue x) {
    const Residue size = Field::Mul(x, Field::Sub(Field::Mul(2, node.field().Step(x)), 1));
    return Field::Div(x, Field::Add(1, size));
  });
}

Residue Between(const PrimeField& field, Residue x, Residue low, Residue high) {
  return field.Min(field.Max(x, low), high);
}

absl::Status HardSigmoidOperator(FieldNode& node) {
  const Residue alpha = node.Real("alpha", 0.2F);
  const Residue beta = node.Real("beta", 0.5F);
  return FieldRandomUnary(node, [&](Residue x) {
    return Between(node.field(), Field::Add(Field::Mul(alpha, x), beta), 0, 1);
  });
}

absl::Status HardSwishOperator(FieldNode& node) {
  return FieldRandomUnary(node, [&](Residue x) {
    const Residue line = Field::Add(Field::Div(x, 6), Half());
    return Field::Mul(x, Between(node.field(), line, 0, 1));
  });
}

// x sigmoid(alpha x): Swish, QuickGelu.
absl::Status SwishOperator(FieldNode& node) {
  const bool quick = node.node().op_type == "QuickGelu";
  const Residue alpha = node.Real("alpha", quick ? 1.702F : 1.0F);
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(Residues out, MulAll(x, FieldSigmoids(node.field(), FieldScaled(x, alpha))));
  return node.Set(0, std::move(out));
}

// With a bias as a second input: Gelu, BiasGelu, FastGelu.
absl::Status GeluOperator(FieldNode& node) {
  node.MarkRandom();
  const bool tanh =
      node.node().op_type == "FastGelu" || node.String("approximate", "none") == "tanh";
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  if (node.Has(1)) {
    OC_ASSIGN_OR_RETURN(const Residues bias, node.In(1));
    OC_ASSIGN_OR_RETURN(x, AddAll(x, bias));
  }
  return node.Set(0, FieldGelu(node, std::move(x), tanh));
}

// The one number of a tensor that has it everywhere; nothing if it depends on inputs or has others.
std::optional<double> OneNumber(const FieldNode& node, int input) {
  const FieldValue& value = node.value(input);
  if (!value.fixed || !value.number.is_tensor() || value.number.tensor().num_elements() == 0) {
    return std::nullopt;
  }
  const absl::StatusOr<Tensor> whole = value.number.tensor().Contiguous();
  if (!whole.ok()) return std::nullopt;
  std::vector<double> numbers(static_cast<size_t>(whole->num_elements()));
  LoadElements<double>(whole->dtype(), whole->raw_data(), 0, whole->num_elements(), numbers.data());
  for (const double number : numbers) {
    if (number != numbers.front()) return std::nullopt;
  }
  return numbers.front();
}

absl::Status PowOperator(FieldNode& node) {
  OC_RETURN_IF_ERROR(CheckPlainBroadcast(node));
  constexpr double kMost = 64;
  const std::optional<double> exponent = OneNumber(node, 1);
  const double twice = exponent.has_value() ? std::fabs(2 * *exponent) : 0.5;
  if (twice != std::floor(twice) || twice > kMost || !(IsReal(node, 0) || *exponent >= 0)) {
    node.MarkRandom();
    return FieldBinary(node, [&](Residue x, Residue y) {
      return node.field().Random(FunctionNumber("pow"), x, y);
    });
  }
  const auto halves = static_cast<uint64_t>(twice);
  if (halves % 2 != 0) node.MarkRandom();
  return FieldBinary(node, [&](Residue x, Residue) {
    const Residue power =
        halves % 2 == 0 ? Field::Power(x, halves / 2) : Field::Power(node.field().Sqrt(x), halves);
    return *exponent < 0 ? Field::Inverse(power) : power;
  });
}

absl::Status SumOperator(FieldNode& node) {
  OC_ASSIGN_OR_RETURN(Residues sum, node.In(0));
  int64_t count = 1;
  for (int i = 1; i < node.num_inputs(); ++i) {
    if (!node.Has(i)) continue;
    OC_ASSIGN_OR_RETURN(const Residues next, node.In(i));
    OC_ASSIGN_OR_RETURN(sum, AddAll(sum, next));
    ++count;
  }
  if (node.node().op_type == "Mean") {
    const Residue share = Field::OfRatio(1, count);
    sum = Mapped(std::move(sum), [&](Residue x) { return Field::Mul(x, share); });
  }
  return node.Set(0, std::move(sum));
}

// Max and Min of any number of inputs.
absl::Status MaxOperator(FieldNode& node) {
  node.MarkRandom();
  const bool least = node.node().op_type == "Min";
  std::vector<Residues> inputs;
  Shape shape;
  for (int i = 0; i < node.num_inputs(); ++i) {
    OC_ASSIGN_OR_RETURN(Residues next, node.In(i));
    OC_ASSIGN_OR_RETURN(shape, BroadcastShape(shape, next.shape));
    inputs.push_back(std::move(next));
  }
  for (Residues& input : inputs) {
    OC_ASSIGN_OR_RETURN(input, BroadcastTo(input, shape));
  }
  Residues out = Residues::Filled(shape, 0);
  for (size_t i = 0; i < out.values.size(); ++i) {
    std::vector<Residue> numbers;
    for (const Residues& input : inputs) {
      numbers.push_back(least ? Field::Neg(input.values[i]) : input.values[i]);
    }
    const Residue greatest = node.field().MaxOf(&numbers);
    out.values[i] = least ? Field::Neg(greatest) : greatest;
  }
  return node.Set(0, std::move(out));
}

absl::Status ClipOperator(FieldNode& node) {
  node.MarkRandom();
  const auto limit = [&](int input, const char* name,
                         double none) -> absl::StatusOr<std::optional<Residue>> {
    if (node.since() < 11) {
      const auto given = node.node().attributes.find(name);
      if (given == node.node().attributes.end()) return std::optional<Residue>();
      const auto* const number = std::get_if<float>(&given->second);
      if (number == nullptr || *number == static_cast<float>(none)) return std::optional<Residue>();
      return std::optional<Residue>(node.Real(name, 0));
    }
    if (!node.Has(input)) return std::optional<Residue>();
    const std::optional<double> number = OneNumber(node, input);
    if (number == none) return std::optional<Residue>();
    OC_ASSIGN_OR_RETURN(const Residues residues, node.In(input));
    if (residues.values.size() != 1) return NoMeaning("a limit of several numbers");
    return std::optional<Residue>(residues.values.front());
  };
  const double most = std::numeric_limits<float>::max();
  OC_ASSIGN_OR_RETURN(const std::optional<Residue> low, limit(1, "min", -most));
  OC_ASSIGN_OR_RETURN(const std::optional<Residue> high, limit(2, "max", most));
  return FieldUnary(node, [&](Residue x) {
    if (low.has_value()) x = node.field().Max(x, *low);
    return high.has_value() ? node.field().Min(x, *high) : x;
  });
}

constexpr FieldOperatorRow kRows[] = {
    {kOnnxDomain, "Add", AddOperator},
    {kOnnxDomain, "Sub", SubOperator},
    {kOnnxDomain, "Mul", MulOperator},
    {kOnnxDomain, "Div", DivOperator},
    {kOnnxDomain, "Neg", NegOperator},
    {kOnnxDomain, "Reciprocal", ReciprocalOperator},
    {kOnnxDomain, "Sqrt", SqrtOperator},
    {kOnnxDomain, "Exp", ExpOperator},
    {kOnnxDomain, "Log", LogOperator},
    {kOnnxDomain, "Pow", PowOperator},
    {kOnnxDomain, "Sum", SumOperator},
    {kOnnxDomain, "Mean", SumOperator},
    {kOnnxDomain, "Max", MaxOperator},
    {kOnnxDomain, "Min", MaxOperator},
    {kOnnxDomain, "Clip", ClipOperator},
    {kOnnxDomain, "Sigmoid", SigmoidOperator},
    {kOnnxDomain, "Tanh", TanhOperator},
    {kOnnxDomain, "Relu", ReluOperator},
    {kOnnxDomain, "LeakyRelu", LeakyReluOperator},
    {kOnnxDomain, "PRelu", PReluOperator},
    {kOnnxDomain, "Abs", AbsOperator},
    {kOnnxDomain, "Softplus", SoftplusOperator},
    {kOnnxDomain, "Elu", EluOperator},
    {kOnnxDomain, "Selu", EluOperator},
    {kOnnxDomain, "Celu", EluOperator},
    {kOnnxDomain, "Mish", MishOperator},
    {kOnnxDomain, "Softsign", SoftsignOperator},
    {kOnnxDomain, "HardSigmoid", HardSigmoidOperator},
    {kOnnxDomain, "HardSwish", HardSwishOperator},
    {kOnnxDomain, "Swish", SwishOperator},
    {kOnnxDomain, "Gelu", GeluOperator},
    {kOnnxDomain, "Erf", OddOperator},
    {kOnnxDomain, "Sin", OddOperator},
    {kOnnxDomain, "Tan", OddOperator},
    {kOnnxDomain, "Asin", OddOperator},
    {kOnnxDomain, "Atan", OddOperator},
    {kOnnxDomain, "Sinh", OddOperator},
    {kOnnxDomain, "Asinh", OddOperator},
    {kOnnxDomain, "Atanh", OddOperator},
    {kOnnxDomain, "Sign", OddOperator},
    {kOnnxDomain, "Cos", EvenOperator},
    {kOnnxDomain, "Cosh", EvenOperator},
    {kOnnxDomain, "Acos", PlainOperator},
    {kOnnxDomain, "Acosh", PlainOperator},
    {kOnnxDomain, "Floor", PlainOperator},
    {kOnnxDomain, "Ceil", PlainOperator},
    {kOnnxDomain, "Round", PlainOperator},
    {kOnnxDomain, "BitwiseNot", PlainOperator},
    {kOnnxDomain, "Mod", AnyFunction},
    {kOnnxDomain, "BitShift", AnyFunction},
    {kOnnxDomain, "BitwiseAnd", AnyFunction},
    {kOnnxDomain, "BitwiseOr", AnyFunction},
    {kOnnxDomain, "BitwiseXor", AnyFunction},
    {kMicrosoftDomain, "Gelu", GeluOperator},
    {kMicrosoftDomain, "BiasGelu", GeluOperator},
    {kMicrosoftDomain, "FastGelu", GeluOperator},
    {kMicrosoftDomain, "QuickGelu", SwishOperator},
    {kMicrosoftDomain, "BiasAdd", SumOperator},
};

}  // namespace

absl::StatusOr<Residues> Activated(FieldNode& node, absl::string_view activation, Residues x) {
  if (activation.empty()) return x;
  node.MarkRandom();
  const PrimeField& field = node.field();
  const auto map = [&](auto function) { return Mapped(std::move(x), function); };
  if (activation == "Relu") return map([&](Residue v) { return Relu(field, v); });
  if (activation == "Sigmoid") return map([&](Residue v) { return FieldSigmoid(field, v); });
  if (activation == "Tanh") return map([&](Residue v) { return FieldTanh(field, v); });
  if (activation == "Gelu") return FieldGelu(node, std::move(x), false);
  return NoMeaning(absl::StrCat("activation ", activation));
}

absl::Span<const FieldOperatorRow> ElementwiseFieldOperators() { return kRows; }

}  // namespace onnxcmp
