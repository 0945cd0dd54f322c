#include "prove/value_origin.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "prove/field_functions.h"
#include "prove/field_node.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

// Each term once: repeated ones do not count, and double with each node of a chain.
void DropRepeated(std::vector<Residues>* terms) {
  std::vector<Residues> once;
  for (Residues& term : *terms) {
    const bool known = std::any_of(once.begin(), once.end(), [&](const Residues& other) {
      return std::as_const(other).values == std::as_const(term).values;
    });
    if (!known) once.push_back(std::move(term));
  }
  *terms = std::move(once);
}

// True if the input has the shape of the output, and varies.
bool HasShapeOfOutput(const FieldNode& node, int input) {
  const FieldValue& value = node.value(input);
  return node.HasOutput(0) && value.residues.defined() && value.number.is_tensor() &&
         node.number(0).is_tensor() &&
         value.number.tensor().shape() == node.number(0).tensor().shape();
}

// A finite number that is everywhere in an input.
std::optional<MeantNumber> FiniteNumber(const FieldNode& node, int input) {
  const std::optional<double> number = OneNumber(node, input);
  if (!number.has_value() || !std::isfinite(*number)) return std::nullopt;
  const absl::StatusOr<Residues> residues = node.In(input);
  if (!residues.ok() || residues->values.empty()) return std::nullopt;
  return MeantNumber{*number, residues->values.front()};
}

// exp(x) - 1 is 0 where x is.
bool IsPowerLessOne(const FieldNode& node) {
  if (node.node().op_type != "Sub" || OneNumber(node, 1) != 1) return false;
  const std::optional<ExpForm> form = node.Form(0);
  return form.has_value() && HasShapeOfOutput(node, 0) &&
         std::all_of(form->factor.values.begin(), form->factor.values.end(),
                     [](Residue factor) { return factor == 1; });
}

// True if x is the same multiple of the margin everywhere, by a ratio of small integers.
bool IsMultiple(const PrimeField& field, const Residues& x, const Residues& margin) {
  if (x.shape != margin.shape || x.values.empty()) return false;
  const Residue first = field.Div(x.values[0], margin.values[0]);
  if (!field.IsSmallRatio(first)) return false;
  for (size_t i = 0; i < x.values.size(); ++i) {
    if (!IsNumber(x.values[i]) || !IsNumber(margin.values[i]) ||
        field.Mul(first, margin.values[i]) != x.values[i]) {
      return false;
    }
  }
  return true;
}

// True if a branch is known to be 0 where the margin is.
bool Vanishes(const PrimeField& field, const ScaledBranch& branch, const Residues& margin) {
  const absl::StatusOr<Residues> value = BroadcastTo(branch.value, margin.shape);
  if (value.ok() && IsMultiple(field, *value, margin)) return true;
  return std::any_of(branch.vanishes_with.begin(), branch.vanishes_with.end(),
                     [&](const Tensor& tensor) {
                       const absl::StatusOr<Residues> with = FromTensor(tensor);
                       return with.ok() && IsMultiple(field, *with, margin);
                     });
}

}  // namespace

void KeepScale(FieldNode& node) {
  const PrimeField& field = node.field();
  if (node.num_inputs() != 2 || !IsFloatingPoint(node.InType(0))) return;
  const bool divides = node.node().op_type == "Div";
  for (const int input : {0, 1}) {
    if (divides && input == 1) return;
    const std::optional<MeantNumber> factor = FiniteNumber(node, 1 - input);
    if (!factor.has_value() || factor->number <= 0 || !HasShapeOfOutput(node, input)) continue;
    ValueOrigin out;
    out.unscaled = node.value(input).residues;
    const ValueOrigin* const origin = node.origin(input);
    if (origin != nullptr) out.vanishes_with = origin->vanishes_with;
    out.scale = divides ? MeantNumber{1 / factor->number, field.Inverse(factor->residue)} : *factor;
    if (origin != nullptr && origin->unscaled.defined() && !origin->shifted) {
      out.unscaled = origin->unscaled;
      out.scale.number *= origin->scale.number;
      out.scale.residue = field.Mul(out.scale.residue, origin->scale.residue);
    }
    node.SetOrigin(0, std::move(out));
    return;
  }
}

absl::Status KeepShiftedScale(FieldNode& node) {
  const PrimeField& field = node.field();
  if (IsPowerLessOne(node)) node.SetOrigin(0, {.vanishes_with = {node.value(0).exp_exponent}});
  if (node.num_inputs() != 2 || !IsFloatingPoint(node.InType(0))) return absl::OkStatus();
  const bool subtracts = node.node().op_type == "Sub";
  for (const int input : {0, 1}) {
    if (subtracts && input == 1) break;
    const ValueOrigin* const origin = node.origin(input);
    if (origin == nullptr || !origin->unscaled.defined() || !HasShapeOfOutput(node, input))
      continue;
    const std::optional<MeantNumber> shift = FiniteNumber(node, 1 - input);
    if (!shift.has_value()) continue;
    Residue apart = field.Div(shift->residue, origin->scale.residue);
    if (subtracts) apart = field.Neg(apart);
    OC_ASSIGN_OR_RETURN(Residues unscaled, FromTensor(origin->unscaled));
    unscaled = Mapped(std::move(unscaled), [&](Residue x) { return field.Add(x, apart); });
    ValueOrigin out;
    OC_ASSIGN_OR_RETURN(out.unscaled, ToTensor(unscaled));
    out.scale = origin->scale;
    out.shifted = true;
    node.SetOrigin(0, std::move(out));
    break;
  }
  return absl::OkStatus();
}

Residues FieldRoots(const PrimeField& field, Residues x, Residue scale) {
  if (scale == 1 || !field.IsSmallRatio(scale)) {
    return Mapped(std::move(x), [&](Residue v) { return field.Root(v); });
  }
  const Residue inverse = field.Inverse(scale);
  const Residue root = field.Sqrt(scale);
  return Mapped(std::move(x), [&](Residue v) {
    return field.Mul(root, field.Root(IsNumber(v) ? field.Mul(v, inverse) : v));
  });
}

absl::Status SquareOfSize(const FieldNode& node, Residues* square) {
  const PrimeField& field = node.field();
  const ValueOrigin* const origin = node.origin(0);
  if (origin != nullptr && origin->root_of.defined()) {
    OC_ASSIGN_OR_RETURN(*square, FromTensor(origin->root_of));
    return absl::OkStatus();
  }
  if (origin == nullptr || !origin->size_of.defined()) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(Residues x, FromTensor(origin->size_of));
  if (x.shape != square->shape) return absl::OkStatus();
  *square = Mapped(std::move(x), [&](Residue value) { return field.Mul(value, value); });
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Residues>> TermsOf(const FieldNode& node, int input, bool opposite,
                                              absl::FunctionRef<Residue(Residue)> turned) {
  std::vector<Residues> terms;
  const ValueOrigin* const origin = node.origin(input);
  if (origin != nullptr && origin->opposite == opposite && !origin->terms.empty()) {
    for (const Tensor& term : origin->terms) {
      OC_ASSIGN_OR_RETURN(terms.emplace_back(), FromTensor(term));
    }
    return terms;
  }
  OC_ASSIGN_OR_RETURN(Residues x, node.In(input));
  terms.push_back(opposite ? Mapped(std::move(x), turned) : std::move(x));
  return terms;
}

absl::Status SetOfTerms(FieldNode& node, std::vector<Residues> terms, bool opposite,
                        absl::FunctionRef<Residue(Residue)> turned,
                        absl::FunctionRef<Residue(std::vector<Residue>*)> function) {
  node.MarkRandom();
  Residues out = Residues::Filled(node.number(0).tensor().shape(), 0);
  ValueOrigin origin;
  origin.opposite = opposite;
  for (Residues& term : terms) {
    OC_ASSIGN_OR_RETURN(term, BroadcastTo(term, out.shape));
  }
  DropRepeated(&terms);
  for (const Residues& term : terms) {
    OC_ASSIGN_OR_RETURN(origin.terms.emplace_back(), ToTensor(term));
  }
  std::vector<Residue> at;
  for (size_t i = 0; i < out.values.size(); ++i) {
    at.clear();
    for (const Residues& term : terms) at.push_back(std::as_const(term).values[i]);
    const Residue whole = function(&at);
    out.values[i] = opposite ? turned(whole) : whole;
  }
  // A node after it takes it for one term, where it has many: a chain costs no square of its
  // length.
  if (origin.terms.size() <= work_bounds::kCandidates) node.SetOrigin(0, std::move(origin));
  return node.Set(0, std::move(out));
}

absl::StatusOr<HiddenScores> HiddenIn(const ValueOrigin& origin) {
  HiddenScores hidden;
  OC_ASSIGN_OR_RETURN(hidden.score, FromTensor(origin.score));
  OC_ASSIGN_OR_RETURN(hidden.shown, FromTensor(origin.shown));
  return hidden;
}

absl::StatusOr<Residues> ValueOf(const PrimeField& field, const HiddenScores& hidden) {
  OC_ASSIGN_OR_RETURN(const Residues chosen,
                      FieldChosen(field, hidden.shown, hidden.score, Residues::Of(kMinusInfinity)));
  return Combine(chosen, hidden.score, [](Residue value, Residue score) {
    return score == kMinusInfinity ? score : value;
  });
}

std::optional<HiddenScores> HiddenOf(const FieldNode& node, int input) {
  const ValueOrigin* const origin = node.origin(input);
  if (origin == nullptr || !origin->shown.defined()) return std::nullopt;
  absl::StatusOr<HiddenScores> hidden = HiddenIn(*origin);
  return hidden.ok() ? std::optional<HiddenScores>(*std::move(hidden)) : std::nullopt;
}

absl::Status SetHidden(FieldNode& node, const HiddenScores& hidden) {
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues out, ValueOf(node.field(), hidden));
  ValueOrigin origin;
  OC_ASSIGN_OR_RETURN(const Residues score, BroadcastTo(hidden.score, out.shape));
  OC_ASSIGN_OR_RETURN(const Residues shown, BroadcastTo(hidden.shown, out.shape));
  OC_ASSIGN_OR_RETURN(origin.score, ToTensor(score));
  OC_ASSIGN_OR_RETURN(origin.shown, ToTensor(shown));
  node.SetOrigin(0, std::move(origin));
  return node.Set(0, std::move(out));
}

absl::StatusOr<bool> SetHiddenChoice(FieldNode& node, const Residues& condition, const Residues& a,
                                     const Residues& b) {
  const PrimeField& field = node.field();
  const auto is_hidden = [](Residue x) { return x == kMinusInfinity; };
  for (const bool turned : {false, true}) {
    const Residues& hidden = turned ? a : b;
    if (hidden.values.empty() ||
        !std::all_of(hidden.values.begin(), hidden.values.end(), is_hidden)) {
      continue;
    }
    HiddenScores made =
        HiddenOf(node, turned ? 2 : 1).value_or(HiddenScores{turned ? b : a, Residues::Of(1)});
    OC_ASSIGN_OR_RETURN(made.shown, Combine(condition, made.shown, [&](Residue c, Residue d) {
                          if (turned) c = field.Sub(1, c);
                          return c == d ? c : field.Mul(c, d);
                        }));
    OC_RETURN_IF_ERROR(SetHidden(node, made));
    return true;
  }
  return false;
}

absl::StatusOr<bool> SetHiddenSum(FieldNode& node) {
  const PrimeField& field = node.field();
  const bool subtracts = node.node().op_type == "Sub";
  std::optional<HiddenScores> a = HiddenOf(node, 0);
  std::optional<HiddenScores> b = HiddenOf(node, 1);
  if (!(a.has_value() || b.has_value()) || (subtracts && b.has_value())) return false;
  for (std::optional<HiddenScores>* const term : {&a, &b}) {
    if (term->has_value()) continue;
    OC_ASSIGN_OR_RETURN(Residues plain, node.In(term == &a ? 0 : 1));
    // -infinity may be added, and not subtracted.
    const auto is_other = [&](Residue x) {
      return !IsNumber(x) && (subtracts || x != kMinusInfinity);
    };
    if (std::any_of(plain.values.begin(), plain.values.end(), is_other)) return false;
    *term = HiddenScores{std::move(plain), Residues::Of(1)};
  }
  HiddenScores sum;
  OC_ASSIGN_OR_RETURN(
      sum.score, subtracts ? SubAll(field, a->score, b->score) : AddAll(field, a->score, b->score));
  OC_ASSIGN_OR_RETURN(sum.shown, Combine(a->shown, b->shown, [&](Residue c, Residue d) {
                        return c == d ? c : field.Mul(c, d);
                      }));
  OC_RETURN_IF_ERROR(SetHidden(node, sum));
  return true;
}

ScaledBranch BranchOf(const FieldNode& node, int input, Residues value) {
  const ValueOrigin* const origin = node.origin(input);
  const bool is_scaled = origin != nullptr && origin->unscaled.defined();
  return {std::move(value), is_scaled ? origin->scale.residue : 1,
          origin == nullptr ? std::vector<Tensor>() : origin->vanishes_with};
}

absl::StatusOr<std::optional<Residues>> ChosenByMargin(const PrimeField& field,
                                                       const ValueOrigin* origin,
                                                       const ScaledBranch& a,
                                                       const ScaledBranch& b) {
  if (origin == nullptr || !origin->margin.defined()) return std::nullopt;
  OC_ASSIGN_OR_RETURN(Residues margin, FromTensor(origin->margin));
  OC_ASSIGN_OR_RETURN(const Residues apart, SubAll(field, a.value, b.value));
  if (apart.shape != margin.shape || apart.values.empty()) return std::nullopt;
  // Both are alike where the margin is 0 if they are apart by the same multiple of it everywhere. A
  // multiple that depends on inputs may be of either sign.
  const Residue first = field.Div(apart.values[0], margin.values[0]);
  const auto is_apart = [&](Residue c) {
    return first == field.Sub(a.scale, c) || first == field.Sub(c, b.scale);
  };
  bool is_bound = IsNumber(first) && (field.IsSmallRatio(first) || is_apart(0) || is_apart(1) ||
                                      first == field.Sub(a.scale, b.scale));
  for (size_t i = 0; is_bound && i < margin.values.size(); ++i) {
    const Residue distance = margin.values[i];
    is_bound = IsNumber(distance) && IsNumber(apart.values[i]) &&
               field.Mul(first, distance) == apart.values[i];
  }
  if (!is_bound && !(Vanishes(field, a, margin) && Vanishes(field, b, margin))) return std::nullopt;
  for (size_t i = 0; i < margin.values.size(); ++i) {
    margin.values[i] = field.Mul(apart.values[i], field.Step(margin.values[i]));
  }
  OC_ASSIGN_OR_RETURN(Residues out, AddAll(field, b.value, margin));
  return std::optional<Residues>(std::move(out));
}

absl::StatusOr<bool> SetChosenFactor(FieldNode& node, int choice) {
  const ValueOrigin* const origin = node.origin(choice);
  if (origin == nullptr || !origin->margin.defined() || !HasShapeOfOutput(node, choice)) {
    return false;
  }
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(1 - choice));
  OC_ASSIGN_OR_RETURN(
      std::optional<Residues> out,
      ChosenByMargin(node.field(), origin, BranchOf(node, 1 - choice, x), {Residues::Of(0), 0}));
  if (!out.has_value()) return false;
  node.MarkRandom();
  node.TakeBound();
  OC_RETURN_IF_ERROR(node.Set(0, *std::move(out)));
  return true;
}

}  // namespace onnxcmp
