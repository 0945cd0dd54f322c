// Functions that several operators share, over the field.
#ifndef ONNXCMP_PROVE_FIELD_FUNCTIONS_H_
#define ONNXCMP_PROVE_FIELD_FUNCTIONS_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "prove/conversions.h"
#include "prove/field/prime_field.h"
#include "prove/field/residues.h"
#include "prove/field_node.h"
#include "prove/value_origin.h"

namespace onnxcmp {

// 1 / (1 + exp(-x)).
Residue FieldSigmoid(const PrimeField& field, Residue x);
// The same of many numbers, at less cost.
Residues FieldSigmoids(const PrimeField& field, Residues x);
// 2 sigmoid(2 x) - 1.
Residue FieldTanh(const PrimeField& field, Residue x);
Residue FieldErf(const PrimeField& field, Residue x);
Residue FieldLog(const PrimeField& field, Residue x);
// log(1 + exp(x)).
Residue FieldSoftplus(const PrimeField& field, Residue x);
// The logarithm of such a value.
absl::StatusOr<Residues> LogOfPlusExp(const PrimeField& field, const PlusExp& plus);
// log(factor) + exponent.
absl::StatusOr<Residues> FieldLogOf(const PrimeField& field, ExpForm form);
// The sum along axes, which stay with one element each: with the exponent of the first of them, so
// that it does not matter what all exponents have in common.
absl::StatusOr<ExpForm> FieldSumOf(const PrimeField& field, const ExpForm& form,
                                   absl::Span<const int> axes);
// exp(x) / sum(exp(x)) along axes, with its numbers.
struct FieldSoftmax {
  ExpForm form;
  Residues value;
};
// `shown`: 0 for those that count as -infinity.
absl::StatusOr<FieldSoftmax> SoftmaxOf(const PrimeField& field, const Residues& x,
                                       absl::Span<const int> axes,
                                       const Residues& shown = Residues::Of(1));
// x (1 + erf(x / sqrt(2))) / 2, or x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2.
absl::StatusOr<Residues> FieldGelu(const FieldNode& node, Residues x, bool by_tanh);

// Constant codes less their zero points, in a proof with exact numbers as what they were rounded
// from: quotients by a scale, of which there is one or one for each place on the axis. Nothing in
// other proofs.
std::optional<Residues> FieldScaledCodes(const FieldNode& node, int codes, int zeros, int axis);

// The same of a table by rows, with its zero point.
std::optional<Residues> FieldTableCodes(const FieldNode& node, int input);

// The roots of numbers that are `scale` times others: its root times theirs, where the scale is a
// ratio of small integers.
Residues FieldRoots(const PrimeField& field, Residues x, Residue scale);
// a where the condition is 1, b where it is 0, a mixture of both where it is random; all broadcast.
absl::StatusOr<Residues> FieldChosen(const PrimeField& field, const Residues& condition,
                                     const Residues& a, const Residues& b);

// An activation that com.microsoft's fused operators name, with their attributes for it: "Relu",
// "LeakyRelu", ...; "" is none. Unimplemented for others.
absl::StatusOr<Residues> Activated(FieldNode& node, absl::string_view activation, Residues x);

// |x|.
inline Residue FieldSize(const PrimeField& field, Residue x) {
  return field.Mul(x, field.Sub(field.Mul(2, field.Step(x)), 1));
}

// The one number of a tensor that has it everywhere; nothing if it depends on inputs or has others.
std::optional<double> OneNumber(const FieldNode& node, int input);

// The origins of results of Mul and Div by a positive number, and of Add and Sub of a number.
void KeepScale(FieldNode& node);
absl::Status KeepShiftedScale(FieldNode& node);
// x times 1 where a comparison holds, where both are 0 together, as Where of x and 0. False: it is
// no such product; nothing is set.
absl::StatusOr<bool> SetChosenFactor(FieldNode& node, int choice);
// The terms of an input (ValueOrigin), or of its opposite.
absl::StatusOr<std::vector<Residues>> TermsOf(const FieldNode& node, int input, bool opposite,
                                              absl::FunctionRef<Residue(Residue)> turned);
// Sets an output to a function of all its terms, which a node after it may take apart.
absl::Status SetOfTerms(FieldNode& node, std::vector<Residues> terms, bool opposite,
                        absl::FunctionRef<Residue(Residue)> turned,
                        absl::FunctionRef<Residue(std::vector<Residue>*)> function);
// Scores behind a mask (ValueOrigin).
struct HiddenScores {
  Residues score;
  Residues shown;
};
absl::StatusOr<HiddenScores> HiddenIn(const ValueOrigin& origin);
absl::StatusOr<Residues> ValueOf(const PrimeField& field, const HiddenScores& hidden);
std::optional<HiddenScores> HiddenOf(const FieldNode& node, int input);
absl::Status SetHidden(FieldNode& node, const HiddenScores& hidden);
// Sets the choice between numbers and -infinity. False: it is none; nothing is set.
absl::StatusOr<bool> SetHiddenChoice(FieldNode& node, const Residues& condition, const Residues& a,
                                     const Residues& b);
// Sets a sum with scores behind a mask, or a difference from them.
absl::StatusOr<bool> SetHiddenSum(FieldNode& node);
// A branch of a choice, with the number by which it is known to have been scaled.
struct ScaledBranch {
  Residues value;
  Residue scale = 1;
  std::vector<Tensor> vanishes_with = {};  // ValueOrigin
};
ScaledBranch BranchOf(const FieldNode& node, int input, Residues value);
// a where a comparison holds, b where it does not, if both are alike where its sides are equal:
// then it does not matter how it is written. Nothing: they are not known to be.
absl::StatusOr<std::optional<Residues>> ChosenByMargin(const PrimeField& field,
                                                       const ValueOrigin* origin,
                                                       const ScaledBranch& a,
                                                       const ScaledBranch& b);
// Where the first input is |x|, its square is that of x; where it is the root of x, that is x.
absl::Status SquareOfSize(const FieldNode& node, Residues* square);

// The axes of a reduction: an attribute, or the second input. `reduces`: there are some.
absl::StatusOr<std::vector<int>> FieldAxesOf(const FieldNode& node, int rank, bool* reduces);
// Without axes that were reduced, which have one element each.
void DropAxes(absl::Span<const int> axes, Residues* x);

// Residues of the order of the first input's numbers along an axis, or of all.
Tensor OrderOf(const FieldNode& node, int axis);
// The first output rises with the first input along an axis, or everywhere.
void KeepOrder(FieldNode& node, int axis);
// Sets the first output to the greatest, or the least, of elements of x at places.
absl::Status SetGreatest(FieldNode& node, const Residues& x, bool least, const Shape& shape,
                         absl::Span<const std::vector<int64_t>> lanes);

// x between limits, the lower not above the upper.
Residue FieldBetween(const PrimeField& field, Residue x, Residue low, Residue high);

// Rows of a table by ids that vary: each element is a random function of the id and of the whole
// column.
absl::StatusOr<Residues> FieldRowsOf(const PrimeField& field, const Residues& table,
                                     const Residues& ids);

// Each number times a factor.
inline Residues FieldScaled(const PrimeField& field, Residues x, Residue factor) {
  if (factor == 1) return x;
  return Mapped(std::move(x), [&](Residue value) { return field.Mul(value, factor); });
}

// An operator that is a function of each number of its input.
template <typename Function>
absl::Status FieldUnary(FieldNode& node, Function function) {
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  return node.Set(0, Mapped(std::move(x), function));
}

// The same for a function that is random in the field.
template <typename Function>
absl::Status FieldRandomUnary(FieldNode& node, Function function) {
  node.MarkRandom();
  return FieldUnary(node, function);
}

// An operator that is a function of two numbers, one of each of two inputs that are broadcast.
template <typename Function>
absl::Status FieldBinary(FieldNode& node, Function function) {
  OC_ASSIGN_OR_RETURN(const Residues a, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues b, node.In(1));
  OC_ASSIGN_OR_RETURN(Residues out, Combine(a, b, function));
  return node.Set(0, std::move(out));
}

// Constants of the operator's definition, for float32 and others alike.
inline Residue Half(const PrimeField& field) { return field.Inverse(2); }

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FIELD_FUNCTIONS_H_
