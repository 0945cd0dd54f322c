// Operators over the field that bound numbers: Max, Min, Clip, and what is made of them.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "evaluator/base/status_macros.h"
#include "prove/directions.h"
#include "prove/field_functions.h"
#include "prove/field_node.h"
#include "prove/truth_table.h"
#include "prove/value_origin.h"
#include "prove/whole_numbers.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr MeantNumber kNoLow = {-kInfinity, kMinusInfinity};
constexpr MeantNumber kNoHigh = {kInfinity, kPlusInfinity};

// The number of an input that has it everywhere, whatever the model's inputs.
std::optional<MeantNumber> LimitOf(const FieldNode& node, int input) {
  const std::optional<double> number = OneNumber(node, input);
  if (!number.has_value() || std::isnan(*number)) return std::nullopt;
  const absl::StatusOr<Residues> residues = node.In(input);
  if (!residues.ok() || residues->values.empty()) return std::nullopt;
  return MeantNumber{*number, residues->values.front()};
}

// The first input between limits: as that of which it is a part already, and of what was not yet
// scaled and shifted.
absl::StatusOr<Residues> Bounded(FieldNode& node, int input, MeantNumber low, MeantNumber high) {
  node.MarkRandom();
  const PrimeField& field = node.field();
  const bool has_direction =
      node.by_direction() &&
      (node.value(input).direction.of.defined() || node.value(input).direction.sign != Sign::kAny);
  if (has_direction && low.number <= high.number && !std::isinf(low.number)) {
    OC_ASSIGN_OR_RETURN(Residues out, PartAbove(node, input, low.residue));
    out = Mapped(std::move(out), [&](Residue v) { return field.Add(v, low.residue); });
    if (std::isinf(high.number)) return out;
    OC_ASSIGN_OR_RETURN(const Residues above, PartAbove(node, input, high.residue));
    return SubAll(field, out, above);
  }
  if (has_direction && std::isinf(low.number) && !std::isinf(high.number)) {
    OC_ASSIGN_OR_RETURN(const Residues above, PartAbove(node, input, high.residue));
    OC_ASSIGN_OR_RETURN(const Residues x, node.In(input));
    return SubAll(field, x, above);
  }
  OC_ASSIGN_OR_RETURN(const Residues given, node.In(input));
  Residues x = given;
  const double least = low.number;
  const double greatest = high.number;
  const ValueOrigin* const origin = node.origin(input);
  Tensor unbounded = node.value(input).residues;
  MeantNumber scale = {1, 1};
  // The upper limit holds, as in Min(Max(x, low), high).
  if (low.number > high.number) low = high;
  if (origin != nullptr && origin->unbounded.defined()) {
    // The ends of the first range, between the limits of this one.
    const auto bounded = [](const MeantNumber& end, const MeantNumber& from,
                            const MeantNumber& to) {
      if (end.number < from.number) return from;
      return end.number > to.number ? to : end;
    };
    unbounded = origin->unbounded;
    OC_ASSIGN_OR_RETURN(x, FromTensor(unbounded));
    const MeantNumber own_low = low;
    low = bounded(origin->low, own_low, high);
    high = bounded(origin->high, own_low, high);
  } else if (origin != nullptr && origin->unscaled.defined() && origin->shifted) {
    scale = origin->scale;
    OC_ASSIGN_OR_RETURN(x, FromTensor(origin->unscaled));
    for (MeantNumber* limit : {&low, &high}) {
      limit->number /= scale.number;
      if (IsNumber(limit->residue)) limit->residue = field.Div(limit->residue, scale.residue);
    }
  }
  x = Mapped(std::move(x),
             [&](Residue value) { return FieldBetween(field, value, low.residue, high.residue); });
  if (scale.number == 1 && unbounded.defined()) {
    node.SetOrigin(0, {.unbounded = unbounded, .low = low, .high = high});
  }
  x = FieldScaled(field, std::move(x), scale.residue);
  if (node.conversions() != nullptr) node.conversions()->KnowLimits(given, least, greatest, x);
  return x;
}

absl::Status ReluOperator(FieldNode& node) {
  OC_ASSIGN_OR_RETURN(Residues out, Bounded(node, 0, {0, 0}, kNoHigh));
  return node.Set(0, std::move(out));
}

// a x below 0, x above: a x + (1 - a) max(x, 0).
absl::Status SetLeaky(FieldNode& node, const Residues& slope) {
  const PrimeField& field = node.field();
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues above, PartAbove(node, 0));
  OC_ASSIGN_OR_RETURN(const Residues below, SubAll(field, x, above));
  OC_ASSIGN_OR_RETURN(const Residues scaled, MulAll(field, below, slope));
  OC_ASSIGN_OR_RETURN(Residues out, AddAll(field, above, scaled));
  return node.Set(0, std::move(out));
}
Residue Leaky(const PrimeField& field, Residue x, Residue slope) {
  return field.Add(field.Mul(slope, x), field.Mul(field.Sub(1, slope), field.Max(x, 0)));
}

absl::Status LeakyReluOperator(FieldNode& node) {
  return SetLeaky(node, Residues::Of(node.Real("alpha", 0.01F)));
}

absl::Status PReluOperator(FieldNode& node) {
  node.MarkRandom();
  if (node.since() < 7 && node.value(1).number.tensor().num_elements() != 1) {
    return NoMeaning("slopes by channel");
  }
  OC_ASSIGN_OR_RETURN(const Residues slope, node.In(1));
  return SetLeaky(node, slope);
}

absl::Status AbsOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  node.SetOrigin(0, {.size_of = node.value(0).residues});
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues steps, StepsOf(node, 0));
  OC_ASSIGN_OR_RETURN(Residues out, Combine(x, steps, [&](Residue v, Residue step) {
                        return field.Mul(v, field.Sub(field.Mul(2, step), 1));
                      }));
  return node.Set(0, std::move(out));
}

// x sign(x) is |x|.
absl::Status SignOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const uint64_t function = FunctionNumber("sign");
  const uint64_t jumping = node.Jumping(function);
  const bool alike = node.AreRoundedAlike(0, -1);
  if (jumping == function) node.SetOrigin(0, {.sign_of = node.value(0).residues});
  // The sign of a value that is never below 0 is 1, or 0 where the value is 0.
  const Direction& direction = node.value(0).direction;
  if (direction.of.defined() && !direction.may_vanish && direction.sign != Sign::kNotBelow &&
      jumping == function) {
    OC_ASSIGN_OR_RETURN(const Residues steps, StepsOf(node, 0));
    node.MarkRandom();
    return node.Set(0,
                    Mapped(steps, [&](Residue step) { return field.Sub(field.Mul(2, step), 1); }));
  }
  return FieldRandomUnary(node, [&](Residue x) {
    if (jumping != function || (x == 0 && !alike)) return field.Odd(jumping, x == 0 ? 1 : x);
    return x == 0 ? 0 : field.Sub(field.Mul(2, field.Step(x)), 1);
  });
}

// alpha x + beta between 0 and 1: alpha times (x + beta / alpha) between 0 and 1 / alpha.
absl::Status HardSigmoidOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const Residue alpha = node.Real("alpha", 0.2F);
  const Residue beta = node.Real("beta", 0.5F);
  if (node.Number("alpha", 0.2F) <= 0) return NoMeaning("a slope that is not positive");
  const Residue shift = field.Div(beta, alpha);
  const Residue high = field.Inverse(alpha);
  return FieldRandomUnary(node, [&](Residue x) {
    return field.Mul(alpha, FieldBetween(node.field(), field.Add(x, shift), 0, high));
  });
}

absl::Status HardSwishOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  const Residue sixth = field.Inverse(6);
  return FieldRandomUnary(node, [&](Residue x) {
    const Residue part = FieldBetween(node.field(), field.Add(x, 3), 0, 6);
    return field.Mul(x, field.Mul(part, sixth));
  });
}

// Max or Min of one input and of a number; nothing: of something else.
absl::StatusOr<std::optional<Residues>> BoundedByNumber(FieldNode& node, bool least) {
  if (node.num_inputs() != 2 || !node.Has(0) || !node.Has(1)) return std::nullopt;
  for (const int input : {0, 1}) {
    const std::optional<MeantNumber> limit = LimitOf(node, 1 - input);
    if (!limit.has_value() || !node.number(0).is_tensor() ||
        !node.value(input).number.is_tensor() ||
        node.value(input).number.tensor().shape() != node.number(0).tensor().shape()) {
      continue;
    }
    OC_ASSIGN_OR_RETURN(Residues out,
                        Bounded(node, input, least ? kNoLow : *limit, least ? *limit : kNoHigh));
    return std::optional<Residues>(std::move(out));
  }
  return std::nullopt;
}

// Max or Min of x and of a multiple of it between 0 and 1; nothing: of something else.
absl::StatusOr<std::optional<Residues>> BoundedByItself(FieldNode& node, bool least) {
  if (node.num_inputs() != 2) return std::nullopt;
  const PrimeField& field = node.field();
  for (const int input : {0, 1}) {
    const ValueOrigin* const origin = node.origin(1 - input);
    // The scale's number is rounded: one next to 1 may be on either side of it.
    if (origin == nullptr || !origin->unscaled.defined() || origin->shifted ||
        origin->scale.number > 1 - 0x1p-20) {
      continue;
    }
    OC_ASSIGN_OR_RETURN(Residues x, node.In(input));
    OC_ASSIGN_OR_RETURN(const Residues unscaled, FromTensor(origin->unscaled));
    if (x.shape != unscaled.shape || !(std::as_const(x).values == unscaled.values)) continue;
    const Residue slope = origin->scale.residue;
    return std::optional<Residues>(Mapped(std::move(x), [&](Residue value) {
      const Residue greatest = Leaky(field, value, slope);
      return least ? field.Sub(field.Mul(field.Add(1, slope), value), greatest) : greatest;
    }));
  }
  return std::nullopt;
}

// Max and Min of any number of inputs.
absl::Status MaxOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  node.MarkRandom();
  const bool least = node.node().op_type == "Min";
  OC_ASSIGN_OR_RETURN(std::optional<Residues> bounded, BoundedByNumber(node, least));
  if (!bounded.has_value()) {
    OC_ASSIGN_OR_RETURN(bounded, BoundedByItself(node, least));
  }
  if (bounded.has_value()) return node.Set(0, *std::move(bounded));
  if (node.num_inputs() == 2 && IsZeroOrOne(node.value(0)) && IsZeroOrOne(node.value(1))) {
    // The least of truth values is their conjunction, the greatest the opposite of that of
    // opposites.
    return FieldBinary(node, [&](Residue a, Residue b) {
      const Residue both = a == b ? a : field.Mul(a, b);
      return least ? both : field.Sub(field.Add(a, b), both);
    });
  }
  const auto turned = [&](Residue x) { return field.Neg(x); };
  if (std::optional<CommonScale> common = CommonScaleOf(node); common.has_value()) {
    for (Residues& term : common->directions) {
      if (least) term = Mapped(std::move(term), turned);
    }
    OC_RETURN_IF_ERROR(SetOfTerms(node, std::move(common->directions), least, turned,
                                  [&](std::vector<Residue>* at) { return field.MaxOf(at); }));
    node.SetOrigin(0, {});
    OC_ASSIGN_OR_RETURN(Residues out, MulAll(field, *node.outputs()[0], common->scale));
    return node.Set(0, std::move(out));
  }
  std::vector<Residues> terms;
  for (int i = 0; i < node.num_inputs(); ++i) {
    OC_ASSIGN_OR_RETURN(std::vector<Residues> next, TermsOf(node, i, least, turned));
    std::move(next.begin(), next.end(), std::back_inserter(terms));
  }
  OC_RETURN_IF_ERROR(SetOfTerms(node, std::move(terms), least, turned,
                                [&](std::vector<Residue>* at) { return field.MaxOf(at); }));
  const bool is_of_two = node.num_inputs() == 2 && IsFloatingPoint(node.InType(0));
  return node.by_direction() && is_of_two ? SetGreaterOf(node, least) : absl::OkStatus();
}

absl::Status ClipOperator(FieldNode& node) {
  node.MarkRandom();
  // The limit of a Clip that has none.
  const double most = GreatestFinite(node.InType(0));
  // A limit that is a number; nothing: it depends on the inputs.
  const auto limit = [&](int input, const char* name,
                         MeantNumber none) -> std::optional<MeantNumber> {
    std::optional<MeantNumber> found;
    if (node.since() < 11) {
      if (!node.node().attributes.contains(name)) return none;
      found = MeantNumber{static_cast<double>(node.Number(name, 0)), node.Real(name, 0)};
    } else {
      if (!node.Has(input)) return none;
      found = LimitOf(node, input);
    }
    return found.has_value() && std::fabs(found->number) == most &&
                   (found->number < 0) == (none.number < 0)
               ? none
               : found;
  };
  const std::optional<MeantNumber> low = limit(1, "min", kNoLow);
  const std::optional<MeantNumber> high = limit(2, "max", kNoHigh);
  if (low.has_value() && high.has_value()) {
    OC_ASSIGN_OR_RETURN(Residues out, Bounded(node, 0, *low, *high));
    return node.Set(0, std::move(out));
  }
  // Some limit is a scalar that depends on the inputs.
  const auto residue = [&](int input,
                           const std::optional<MeantNumber>& known) -> absl::StatusOr<Residue> {
    if (known.has_value()) return known->residue;
    OC_ASSIGN_OR_RETURN(const Residues residues, node.In(input));
    if (residues.values.size() != 1) return NoMeaning("a limit of several numbers");
    return residues.values.front();
  };
  OC_ASSIGN_OR_RETURN(const Residue least, residue(1, low));
  OC_ASSIGN_OR_RETURN(const Residue greatest, residue(2, high));
  return FieldUnary(
      node, [&](Residue x) { return node.field().Min(node.field().Max(x, least), greatest); });
}

constexpr FieldOperatorRow kBoundOperators[] = {
    {kOnnxDomain, "Max", MaxOperator},
    {kOnnxDomain, "Min", MaxOperator},
    {kOnnxDomain, "Clip", ClipOperator},
    {kOnnxDomain, "Relu", ReluOperator},
    {kOnnxDomain, "LeakyRelu", LeakyReluOperator},
    {kOnnxDomain, "PRelu", PReluOperator},
    {kOnnxDomain, "Abs", AbsOperator},
    {kOnnxDomain, "Sign", SignOperator},
    {kOnnxDomain, "HardSigmoid", HardSigmoidOperator},
    {kOnnxDomain, "HardSwish", HardSwishOperator},
};

}  // namespace

std::optional<double> OneNumber(const FieldNode& node, int input) {
  if (!node.Has(input)) return std::nullopt;
  const FieldValue& value = node.value(input);
  if (!value.fixed || !value.number.is_tensor() || value.number.tensor().num_elements() == 0) {
    return std::nullopt;
  }
  const absl::StatusOr<Tensor> whole = value.number.tensor().Contiguous();
  return whole.ok() ? OneNumber(*whole) : std::nullopt;
}

// x between limits, low not above high: low + (x - low) step(x - low) - (x - high) step(x - high),
// in which order soever somebody bounds it.
Residue FieldBetween(const PrimeField& field, Residue x, Residue low, Residue high) {
  if (!IsNumber(x) || !IsNumber(high)) return field.Min(field.Max(x, low), high);
  Residue out = x;
  if (IsNumber(low)) out = field.Max(x, low);
  const Residue above = field.Sub(x, high);
  return field.Sub(out, field.Mul(above, field.Step(above)));
}

absl::Span<const FieldOperatorRow> BoundFieldOperators() { return kBoundOperators; }

}  // namespace onnxcmp
