#include "prove/directions.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/dtype.h"
#include "prove/field_functions.h"
#include "prove/foldable_layer.h"
#include "prove/node_kinds.h"

namespace onnxcmp {
namespace {

// A factor or a summand, as a number above 0 times a direction.
struct Directed {
  Residues direction;
  std::optional<Residues> scale;  // the number, where it does not depend on inputs
  Sign sign = Sign::kAny;
  bool may_vanish = false;  // the number may be 0
};

Sign SignOfNumbers(const std::vector<double>& numbers) {
  Sign sign = numbers.empty() ? Sign::kAny : Sign::kAbove;
  for (const double number : numbers) {
    if (!(number > 0)) sign = Sign::kNotBelow;
    if (!(number >= 0)) return Sign::kAny;
  }
  return sign;
}

std::optional<Directed> DirectedConstant(const FieldNode& node, int input) {
  const PrimeField& field = node.field();
  const absl::StatusOr<Residues> x = node.In(input);
  const std::vector<double> numbers = NumbersIn(node.value(input).number.tensor());
  if (!x.ok() || numbers.size() != x->values.size()) return std::nullopt;
  Directed out = {Residues::Filled(x->shape, 1), *x, SignOfNumbers(numbers), false};
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) return std::nullopt;
    if (numbers[i] > 0) continue;
    out.direction.values[i] = numbers[i] < 0 ? field.Neg(1) : 0;
    out.scale->values[i] = numbers[i] < 0 ? field.Neg(out.scale->values[i]) : 1;
  }
  return out;
}

std::optional<Directed> DirectedInput(const FieldNode& node, int input) {
  if (!node.Has(input) || !node.value(input).number.is_tensor() ||
      !IsFloatingPoint(node.InType(input))) {
    return std::nullopt;
  }
  const FieldValue& value = node.value(input);
  if (value.fixed) return DirectedConstant(node, input);
  const Direction& direction = value.direction;
  absl::StatusOr<Residues> of = direction.of.defined() ? FromTensor(direction.of) : node.In(input);
  if (!of.ok()) return std::nullopt;
  Directed out = {*std::move(of), std::nullopt, direction.sign, direction.may_vanish};
  if (!direction.of.defined()) out.scale = Residues::Of(1);
  if (direction.scale.defined()) {
    absl::StatusOr<Residues> scale = FromTensor(direction.scale);
    if (scale.ok()) out.scale = *std::move(scale);
  }
  return out;
}

void Keep(const FieldValue& value, const Residues& of, const std::optional<Residues>& scale,
          bool may_vanish, Direction* to) {
  const absl::StatusOr<Residues> whole = BroadcastTo(of, value.number.tensor().shape());
  if (!whole.ok()) return;
  absl::StatusOr<Tensor> tensor = ToTensor(*whole);
  if (!tensor.ok()) return;
  to->of = *std::move(tensor);
  to->may_vanish = may_vanish;
  if (!scale.has_value()) return;
  absl::StatusOr<Tensor> own = ToTensor(*scale);
  if (own.ok()) to->scale = *std::move(own);
}

bool IsNotBelow(const Directed& x) { return x.sign != Sign::kAny; }

// The direction of a product or a quotient, which has the sign of the product.
void KnowProduct(const FieldNode& node, const FieldValue& value, Direction* to) {
  std::optional<Directed> a = DirectedInput(node, 0);
  std::optional<Directed> b = DirectedInput(node, 1);
  if (!a.has_value() || !b.has_value()) return;
  const bool divides = node.node().op_type == "Div";
  if (IsNotBelow(*a) && IsNotBelow(*b)) to->sign = std::min(a->sign, b->sign);
  if (!divides && node.node().inputs[0] == node.node().inputs[1]) {
    to->sign = std::max(to->sign, Sign::kNotBelow);
  }
  bool may_vanish = a->may_vanish || b->may_vanish;
  for (Directed* const factor : {&*a, &*b}) {
    const bool fixed = node.value(factor == &*a ? 0 : 1).fixed;
    if (fixed || !IsNotBelow(*factor)) continue;
    *factor = {Residues::Of(1), std::nullopt, factor->sign, factor->sign == Sign::kNotBelow};
    may_vanish = may_vanish || factor->may_vanish;
  }
  if (divides && !node.value(1).fixed) b->scale.reset();
  absl::StatusOr<Residues> of = MulAll(node.field(), a->direction, b->direction);
  if (!of.ok()) return;
  std::optional<Residues> scale;
  if (a->scale.has_value() && b->scale.has_value()) {
    absl::StatusOr<Residues> both = divides ? DivAll(node.field(), *a->scale, *b->scale)
                                            : MulAll(node.field(), *a->scale, *b->scale);
    if (both.ok()) scale = *std::move(both);
  }
  Keep(value, *of, scale, may_vanish, to);
}

// a + b or a - b, of numbers of one scale.
std::optional<Directed> SumOf(const FieldNode& node, bool subtracts) {
  const PrimeField& field = node.field();
  std::optional<Directed> a = DirectedInput(node, 0);
  std::optional<Directed> b = DirectedInput(node, 1);
  if (!a.has_value() || !b.has_value() || !a->scale.has_value() || !b->scale.has_value()) {
    return std::nullopt;
  }
  for (const int input : {0, 1}) {
    // A number has the other's scale.
    if (!node.value(input).fixed) continue;
    Directed& number = input == 0 ? *a : *b;
    const Directed& other = input == 0 ? *b : *a;
    const absl::StatusOr<Residues> size = MulAll(field, number.direction, *number.scale);
    if (!size.ok()) return std::nullopt;
    absl::StatusOr<Residues> own = DivAll(field, *size, *other.scale);
    if (!own.ok()) return std::nullopt;
    number.direction = *std::move(own);
    number.scale = other.scale;
  }
  if (a->scale->shape != b->scale->shape || !(a->scale->values == b->scale->values)) {
    return std::nullopt;
  }
  absl::StatusOr<Residues> of = subtracts ? SubAll(field, a->direction, b->direction)
                                          : AddAll(field, a->direction, b->direction);
  if (!of.ok()) return std::nullopt;
  return Directed{*std::move(of), a->scale, Sign::kAny, false};
}

// The sign of an operator's results, whatever its inputs. Powers of e are 0 behind a mask.
Sign SignOfResults(const FieldNode& node) {
  static constexpr absl::string_view kNotBelow[] = {
      "Abs",  "Exp",     "HardSigmoid", "ReduceL1", "ReduceL2", "ReduceSumSquare",
      "Relu", "Sigmoid", "Softmax",     "Softplus", "Sqrt"};
  const std::string& name = node.node().op_type;
  if (absl::c_linear_search(kNotBelow, name)) return Sign::kNotBelow;
  return name == "Pow" && std::fmod(OneNumber(node, 1).value_or(1), 2) == 0 ? Sign::kNotBelow
                                                                            : Sign::kAny;
}

// Results of one input that are above 0 where that is, by element or on the whole.
bool KeepsSign(absl::string_view op_type) {
  static constexpr absl::string_view kKeeping[] = {
      "AveragePool", "Cast",      "GlobalAveragePool", "GlobalMaxPool", "Identity", "MaxPool",
      "Reciprocal",  "ReduceMax", "ReduceMean",        "ReduceMin",     "ReduceSum"};
  return absl::c_linear_search(kKeeping, op_type);
}

// Functions that are above 0 exactly where their argument is.
bool KeepsDirection(const FieldNode& node) {
  static constexpr absl::string_view kKeeping[] = {
      "Asinh", "Atan", "Cast", "Erf", "Identity", "Reciprocal", "Sign", "Sinh", "Softsign", "Tanh"};
  const std::string& name = node.node().op_type;
  return absl::c_linear_search(kKeeping, name) ||
         (name == "LeakyRelu" && node.Number("alpha", 0.01F) > 0);
}

}  // namespace

void KnowDirection(const FieldNode& node, FieldValue* output) {
  const std::string& name = node.node().op_type;
  if (output->fixed || node.node().domain != kOnnxDomain || !node.number(0).is_tensor() ||
      !IsFloatingPoint(node.number(0).tensor().dtype()) || node.num_inputs() == 0) {
    return;
  }
  output->number = node.number(0);
  Direction& to = output->direction;
  to.sign = SignOfResults(node);
  if (name == "Mul" || name == "Div") return KnowProduct(node, *output, &to);
  if ((name == "Add" || name == "Sub") && node.num_inputs() == 2) {
    std::optional<Directed> a = DirectedInput(node, 0);
    std::optional<Directed> b = DirectedInput(node, 1);
    if (name == "Add" && a.has_value() && b.has_value() && IsNotBelow(*a) && IsNotBelow(*b)) {
      to.sign = std::max(a->sign, b->sign);
    }
    // exp(x) - 1 is above 0 where x is.
    const ValueOrigin* const origin = node.OriginOf(0).get();
    if (origin != nullptr && !origin->vanishes_with.empty() && node.HasForm(0)) {
      to.of = origin->vanishes_with.front();
    } else if (const std::optional<Directed> sum = SumOf(node, name == "Sub"); sum.has_value()) {
      Keep(*output, sum->direction, sum->scale, sum->may_vanish, &to);
    }
    return;
  }
  const std::optional<Directed> x = DirectedInput(node, 0);
  if (!x.has_value()) return;
  const bool moves = node.moved().size() == 1;
  if (to.sign == Sign::kAny && (KeepsSign(name) || moves)) to.sign = x->sign;
  if (name == "Neg") {
    const PrimeField& field = node.field();
    Keep(*output, Mapped(x->direction, [&](Residue v) { return field.Neg(v); }), x->scale,
         x->may_vanish, &to);
  } else if (KeepsDirection(node) && !moves) {
    const bool is_same = name == "Cast" || name == "Identity";
    Keep(*output, x->direction, is_same ? x->scale : std::nullopt, x->may_vanish, &to);
  }
}

absl::StatusOr<Residues> StepsOf(const FieldNode& node, int input, Residue limit) {
  const PrimeField& field = node.field();
  const auto step = [&](Residue v) { return field.Step(v); };
  OC_ASSIGN_OR_RETURN(Residues x, node.In(input));
  const Direction& direction = node.value(input).direction;
  if (limit == 0 && direction.sign != Sign::kAny) return Residues::Filled(x.shape, 1);
  if (limit == 0 && direction.of.defined()) {
    OC_ASSIGN_OR_RETURN(x, FromTensor(direction.of));
    return Mapped(std::move(x), step);
  }
  if (direction.of.defined() && direction.scale.defined() && IsNumber(limit)) {
    OC_ASSIGN_OR_RETURN(x, FromTensor(direction.of));
    OC_ASSIGN_OR_RETURN(const Residues scale, FromTensor(direction.scale));
    return Combine(x, scale, [&](Residue v, Residue by) {
      return field.Step(field.Sub(v, field.Div(limit, by)));
    });
  }
  return Mapped(std::move(x), [&](Residue v) { return field.Step(field.Sub(v, limit)); });
}

absl::StatusOr<Residues> PartAbove(const FieldNode& node, int input, Residue limit) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(input));
  OC_ASSIGN_OR_RETURN(const Residues steps, StepsOf(node, input, limit));
  return Combine(x, steps, [&](Residue v, Residue step) {
    const Residue above = field.Sub(v, limit);
    return IsNumber(above) ? field.Mul(above, step) : field.Max(above, 0);
  });
}

std::optional<CommonScale> CommonScaleOf(const FieldNode& node) {
  CommonScale common;
  bool known = false;
  std::vector<std::pair<size_t, Residues>> numbers;
  if (!node.by_direction()) return std::nullopt;
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.Has(i) && !IsFloatingPoint(node.InType(i))) continue;  // axes
    std::optional<Directed> x = DirectedInput(node, i);
    if (!x.has_value() || !x->scale.has_value()) return std::nullopt;
    if (node.value(i).fixed) {
      const absl::StatusOr<Residues> number = node.In(i);
      if (!number.ok()) return std::nullopt;
      numbers.emplace_back(common.directions.size(), *number);
    } else if (!known) {
      known = true;
      common.scale = *x->scale;
    } else if (common.scale.shape != x->scale->shape ||
               !(common.scale.values == x->scale->values)) {
      return std::nullopt;
    }
    common.directions.push_back(std::move(x->direction));
  }
  const bool is_one = common.scale.size() == 1 && common.scale.values[0] == 1;
  if (!known || is_one) return std::nullopt;
  for (auto& [place, number] : numbers) {
    absl::StatusOr<Residues> own = DivAll(node.field(), number, common.scale);
    if (!own.ok()) return std::nullopt;
    common.directions[place] = *std::move(own);
  }
  return common;
}

std::optional<Residues> DirectionOfDifference(const FieldNode& node) {
  const Direction& first = node.value(0).direction;
  if (OneNumber(node, 1) == 0 && first.of.defined() && !first.may_vanish) {
    const absl::StatusOr<Residues> of = FromTensor(first.of);
    return of.ok() ? std::optional<Residues>(*of) : std::nullopt;
  }
  std::optional<Directed> difference = SumOf(node, /*subtracts=*/true);
  if (!difference.has_value()) return std::nullopt;
  return std::move(difference->direction);
}

bool TakesBounds(const Comparison& comparison) {
  const auto takes = [](const StreamNode& node) { return ReadsSigns(node.op_type); };
  return absl::c_any_of(comparison.left.nodes, takes) ||
         absl::c_any_of(comparison.right.nodes, takes);
}

}  // namespace onnxcmp
