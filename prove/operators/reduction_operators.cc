// Operators over the field that reduce axes, and normalizations.
#include <algorithm>
#include <functional>
#include <numeric>

#include "absl/status/status.h"
#include "evaluator/base/status_macros.h"
#include "prove/directions.h"
#include "prove/field_functions.h"
#include "prove/field_node.h"
#include "prove/score_masks.h"

namespace onnxcmp {
namespace {

Residues Mean(const PrimeField& field, const Residues& x, absl::Span<const int> axes) {
  return FieldScaled(field, SumAlong(field, x, axes), field.OfRatio(1, CountAlong(x.shape, axes)));
}

absl::StatusOr<Residues> Reduced(FieldNode& node, const Residues& x, absl::Span<const int> axes) {
  const std::string name = node.node().op_type.substr(6);
  const PrimeField& field = node.field();
  const auto square = [&](Residue value) { return field.Mul(value, value); };
  if (name == "Sum") return SumAlong(field, x, axes);
  if (name == "Mean") return Mean(field, x, axes);
  if (name == "SumSquare") return SumAlong(field, Mapped(x, square), axes);
  if (name == "Prod") {
    return ReduceAlong(x, axes, [&](std::vector<Residue>* lane) {
      return std::accumulate(lane->begin(), lane->end(), Residue{1},
                             [&](Residue a, Residue b) { return field.Mul(a, b); });
    });
  }
  node.MarkRandom();
  if (name == "L2") {
    Residues sum = SumAlong(field, Mapped(x, square), axes);
    if (!node.value(0).fixed) return FieldRoots(field, std::move(sum), CountAlong(x.shape, axes));
    return Mapped(std::move(sum), [&](Residue value) { return field.Sqrt(value); });
  }
  if (name == "L1") {
    return SumAlong(field,
                    Mapped(x,
                           [&](Residue value) {
                             return field.Mul(value, field.Sub(field.Mul(2, field.Step(value)), 1));
                           }),
                    axes);
  }
  if (name == "LogSum") {
    return Mapped(SumAlong(field, x, axes), [&](Residue value) { return FieldLog(field, value); });
  }
  if (name == "LogSumExp") {
    OC_ASSIGN_OR_RETURN(ExpForm sum, FieldSumOf(field, {Residues::Of(1), x}, axes));
    return FieldLogOf(field, std::move(sum));
  }
  return NoMeaning("a reduction");
}

absl::Status ReduceOperator(FieldNode& node) {
  const std::string& name = node.node().op_type;
  const bool is_ring = name == "ReduceSum" || name == "ReduceProd" || name == "ReduceSumSquare";
  if (!is_ring && !IsFloatingPoint(node.InType(0)) && name != "ReduceL1") {
    return NoMeaning("of whole numbers, which it truncates");
  }
  OC_ASSIGN_OR_RETURN(Residues x, is_ring ? node.InRing(0) : node.In(0));
  bool reduces = true;
  OC_ASSIGN_OR_RETURN(const std::vector<int> axes, FieldAxesOf(node, x.rank(), &reduces));
  // The sum of one element is this element.
  if (!reduces && is_ring && name != "ReduceSumSquare") return node.Set(0, std::move(x));
  if (!reduces) return NoMeaning("no axes");
  if (const std::optional<ExpForm> form = node.Form(0); form.has_value() && name == "ReduceSum") {
    OC_ASSIGN_OR_RETURN(ExpForm sum, FieldSumOf(node.field(), *form, axes));
    if (node.Int("keepdims", 1) == 0) {
      DropAxes(axes, &sum.factor);
      DropAxes(axes, &sum.exponent);
    }
    return node.SetForm(0, std::move(sum));
  }
  if (std::optional<ExpForm> form = node.Form(0); form.has_value() && name == "ReduceProd") {
    OC_ASSIGN_OR_RETURN(form->factor, BroadcastTo(form->factor, x.shape));
    OC_ASSIGN_OR_RETURN(form->factor, Reduced(node, form->factor, axes));
    form->exponent = SumAlong(node.field(), form->exponent, axes);
    if (node.Int("keepdims", 1) == 0) {
      DropAxes(axes, &form->factor);
      DropAxes(axes, &form->exponent);
    }
    return node.SetForm(0, *std::move(form));
  }
  OC_ASSIGN_OR_RETURN(Residues out, Reduced(node, x, axes));
  if (node.Int("keepdims", 1) == 0) DropAxes(axes, &out);
  if ((name == "ReduceSum" || name == "ReduceSumSquare") && IsFloatingPoint(node.InType(0))) {
    // Its mean, times their number.
    const int64_t count = CountAlong(x.shape, axes);
    ValueOrigin origin;
    OC_ASSIGN_OR_RETURN(origin.unscaled,
                        ToTensor(FieldScaled(node.field(), out, node.field().OfRatio(1, count))));
    origin.scale = {static_cast<double>(count), count};
    node.SetOrigin(0, std::move(origin));
  }
  return node.Set(0, std::move(out));
}

// Up to version 12, all axes from the given one on are one.
absl::StatusOr<std::vector<int>> SoftmaxAxes(const FieldNode& node, int rank) {
  const bool flat = node.node().domain == kOnnxDomain && node.since() < 13;
  const int64_t axis = node.Int("axis", flat ? 1 : -1);
  if (!flat || rank == 0) return WholeAxes({axis}, rank);
  std::vector<int> axes;
  for (int64_t i = axis < 0 ? axis + rank : axis; i < rank; ++i)
    axes.push_back(static_cast<int>(i));
  return axes;
}

absl::Status SoftmaxOperator(FieldNode& node) {
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues x, node.In(0));
  if (x.rank() == 0) return NoMeaning("a softmax of a scalar");
  OC_ASSIGN_OR_RETURN(const std::vector<int> axes, SoftmaxAxes(node, x.rank()));
  const HiddenScores hidden_scores =
      HiddenOf(node, 0).value_or(HiddenScores{std::move(x), Residues::Of(1)});
  x = hidden_scores.score;
  // LogSoftmax keeps what is masked: its logarithm is a number.
  if (const std::optional<Residues> masked = node.Masked(0);
      masked.has_value() && node.looks_for_masks() && node.node().op_type == "Softmax") {
    if (auto hidden = WithoutMasked(node.field(), x, *masked, axes, node.number(0));
        hidden.has_value() && node.TakeMasks()) {
      x = *std::move(hidden);
    }
  }
  OC_ASSIGN_OR_RETURN(FieldSoftmax made, SoftmaxOf(node.field(), x, axes, hidden_scores.shown));
  if (axes.size() == 1) KeepOrder(node, axes.front());
  if (node.node().op_type == "LogSoftmax") {
    OC_ASSIGN_OR_RETURN(Residues log, FieldLogOf(node.field(), std::move(made.form)));
    return node.Set(0, std::move(log));
  }
  return node.SetForm(0, std::move(made.form), std::move(made.value));
}

// Inputs with their numbers to be added: "" are left out.
absl::StatusOr<Residues> SumOfInputs(FieldNode& node, absl::Span<const int> inputs) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(Residues sum, node.In(inputs.front()));
  for (const int input : inputs.subspan(1)) {
    if (!node.Has(input)) continue;
    OC_ASSIGN_OR_RETURN(const Residues next, node.In(input));
    OC_ASSIGN_OR_RETURN(sum, AddAll(field, sum, next));
  }
  return sum;
}

absl::Status BiasSoftmaxOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(Residues bias, node.In(1));
  const int64_t axis = node.Int("axis", 1);
  // Numpy's broadcasting is what is left if the bias has as many axes.
  if (bias.rank() != x.rank()) return NoMeaning("a bias of another rank");
  OC_ASSIGN_OR_RETURN(const Residues sum, AddAll(field, x, bias));
  std::vector<int> axes;
  for (int64_t i = axis < 0 ? axis + x.rank() : axis; i < x.rank(); ++i) {
    axes.push_back(static_cast<int>(i));
  }
  OC_ASSIGN_OR_RETURN(FieldSoftmax made, SoftmaxOf(node.field(), sum, axes));
  return node.SetForm(0, std::move(made.form), std::move(made.value));
}

struct Normalized {
  Residues mean;
  Residues inverse;  // 1 / sqrt(variance + epsilon)
  Residues value;
};

// (x - mean) / sqrt(variance + epsilon), or without the mean.
absl::StatusOr<Normalized> Normalize(FieldNode& node, const Residues& x, absl::Span<const int> axes,
                                     Residue epsilon, bool centered) {
  const PrimeField& field = node.field();
  node.MarkRandom();
  Normalized out;
  out.mean = Mean(field, x, axes);
  out.value = x;
  if (centered) {
    OC_ASSIGN_OR_RETURN(out.value, SubAll(field, x, out.mean));
  }
  const Residues squares =
      Mapped(out.value, [&](Residue value) { return field.Mul(value, value); });
  out.inverse = InverseOf(field, Mapped(Mean(field, squares, axes), [&](Residue variance) {
                            return node.field().Root(field.Add(variance, epsilon));
                          }));
  OC_ASSIGN_OR_RETURN(out.value, MulAll(field, out.value, out.inverse));
  return out;
}

// The value times the scale, plus the bias, where these inputs are given.
absl::StatusOr<Residues> ScaledByInputs(const FieldNode& node, Residues x, int scale, int bias) {
  const PrimeField& field = node.field();
  if (node.Has(scale)) {
    OC_ASSIGN_OR_RETURN(const Residues factor, node.In(scale));
    OC_ASSIGN_OR_RETURN(x, MulAll(field, x, factor));
  }
  if (bias >= 0 && node.Has(bias)) {
    OC_ASSIGN_OR_RETURN(const Residues shift, node.In(bias));
    OC_ASSIGN_OR_RETURN(x, AddAll(field, x, shift));
  }
  return x;
}

std::vector<int> AxesFrom(int64_t first, int rank) {
  std::vector<int> axes;
  for (int64_t i = first < 0 ? first + rank : first; i < rank; ++i) {
    axes.push_back(static_cast<int>(i));
  }
  return axes;
}

// LayerNormalization, and RMSNormalization under its three names.
absl::Status LayerOperator(FieldNode& node) {
  const bool centered = node.node().op_type == "LayerNormalization";
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  const std::vector<int> axes = AxesFrom(node.Int("axis", -1), x.rank());
  OC_ASSIGN_OR_RETURN(Normalized made,
                      Normalize(node, x, axes, node.Real("epsilon", 1e-5F), centered));
  OC_ASSIGN_OR_RETURN(Residues out,
                      ScaledByInputs(node, std::move(made.value), 1, centered ? 2 : -1));
  OC_RETURN_IF_ERROR(node.Set(0, std::move(out)));
  if (!centered) return node.Set(1, std::move(made.inverse));
  OC_RETURN_IF_ERROR(node.Set(1, std::move(made.mean)));
  return node.Set(2, std::move(made.inverse));
}

// SkipLayerNormalization (input, skip, gamma, beta, bias), SkipSimplifiedLayerNormalization
// (input, skip, gamma, bias).
absl::Status SkipOperator(FieldNode& node) {
  const bool centered = node.node().op_type == "SkipLayerNormalization";
  OC_ASSIGN_OR_RETURN(Residues sum, SumOfInputs(node, {0, 1, centered ? 4 : 3}));
  const std::vector<int> axes = {sum.rank() - 1};
  OC_ASSIGN_OR_RETURN(Normalized made,
                      Normalize(node, sum, axes, node.Real("epsilon", 1e-12F), centered));
  OC_ASSIGN_OR_RETURN(Residues out,
                      ScaledByInputs(node, std::move(made.value), 2, centered ? 3 : -1));
  OC_RETURN_IF_ERROR(node.Set(0, std::move(out)));
  if (node.HasOutput(1)) OC_RETURN_IF_ERROR(node.Set(1, std::move(made.mean)));
  if (node.HasOutput(2)) OC_RETURN_IF_ERROR(node.Set(2, std::move(made.inverse)));
  return node.Set(3, std::move(sum));
}

// A row of channels as it lies beside data with channels on axis 1.
absl::StatusOr<Residues> Channels(const FieldNode& node, int input, const Residues& x) {
  OC_ASSIGN_OR_RETURN(Residues row, node.In(input));
  if (row.rank() != 1 || x.rank() < 2) return NoMeaning("channels of another shape");
  const int64_t count = row.size();
  row.shape = Shape(static_cast<size_t>(x.rank()), 1);
  row.shape[1] = count;
  return row;
}

absl::Status BatchOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  node.MarkRandom();
  if (node.Int("training_mode", 0) != 0 || node.HasOutput(1) ||
      (node.since() < 7 && node.Int("is_test", 0) == 0) || node.Int("spatial", 1) == 0) {
    return NoMeaning("statistics of the batch");
  }
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  OC_ASSIGN_OR_RETURN(const Residues scale, Channels(node, 1, x));
  OC_ASSIGN_OR_RETURN(const Residues bias, Channels(node, 2, x));
  OC_ASSIGN_OR_RETURN(const Residues mean, Channels(node, 3, x));
  OC_ASSIGN_OR_RETURN(Residues variance, Channels(node, 4, x));
  const Residue epsilon = node.Real("epsilon", 1e-5F);
  variance = Mapped(std::move(variance),
                    [&](Residue value) { return node.RootOf(4, field.Add(value, epsilon)); });
  OC_ASSIGN_OR_RETURN(const Residues factor, DivAll(field, scale, variance));
  OC_ASSIGN_OR_RETURN(const Residues centered, SubAll(field, x, mean));
  OC_ASSIGN_OR_RETURN(const Residues scaled, MulAll(field, centered, factor));
  OC_ASSIGN_OR_RETURN(Residues out, AddAll(field, scaled, bias));
  return node.Set(0, std::move(out));
}

absl::Status InstanceOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const Residues x, node.In(0));
  if (x.rank() < 3) return NoMeaning("no axes to normalize");
  OC_ASSIGN_OR_RETURN(const Normalized made,
                      Normalize(node, x, AxesFrom(2, x.rank()), node.Real("epsilon", 1e-5F), true));
  OC_ASSIGN_OR_RETURN(const Residues scale, Channels(node, 1, x));
  OC_ASSIGN_OR_RETURN(const Residues bias, Channels(node, 2, x));
  OC_ASSIGN_OR_RETURN(const Residues scaled, MulAll(field, made.value, scale));
  OC_ASSIGN_OR_RETURN(Residues out, AddAll(field, scaled, bias));
  return node.Set(0, std::move(out));
}

// The sum of the elements up to each along an axis, or from each on, with or without itself.
absl::Status CumSumOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  OC_ASSIGN_OR_RETURN(const Residues x, node.InRing(0));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> axis, node.Integers(1));
  OC_ASSIGN_OR_RETURN(const std::vector<int> axes, WholeAxes(axis, x.rank()));
  if (axes.size() != 1) return NoMeaning("a sum along several axes");
  const bool backward = node.Int("reverse", 0) != 0;
  const bool without_itself = node.Int("exclusive", 0) != 0;
  const auto first = static_cast<size_t>(axes.front());
  const int64_t length = x.shape[first];
  int64_t inner = 1;
  for (size_t i = first + 1; i < x.shape.size(); ++i) inner *= x.shape[i];
  Residues out = x;
  for (int64_t lane = 0; lane < x.size() / std::max<int64_t>(length, 1); ++lane) {
    const int64_t begin = lane / inner * length * inner + lane % inner;
    Residue sum = 0;
    for (int64_t i = 0; i < length; ++i) {
      const auto at = static_cast<size_t>(begin + (backward ? length - 1 - i : i) * inner);
      const Residue before = sum;
      sum = field.Add(sum, x.values[at]);
      out.values[at] = without_itself ? before : sum;
    }
  }
  return node.Set(0, std::move(out));
}

// The sum of all inputs, or their mean: Sum, Mean, BiasAdd.
absl::Status SumOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  if (!IsFloatingPoint(node.InType(0)))
    return NoMeaning("a sum of whole numbers by an operator on floats");
  OC_ASSIGN_OR_RETURN(Residues sum, node.In(0));
  int64_t count = 1;
  for (int i = 1; i < node.num_inputs(); ++i) {
    if (!node.Has(i)) continue;
    OC_ASSIGN_OR_RETURN(const Residues next, node.In(i));
    OC_ASSIGN_OR_RETURN(sum, AddAll(field, sum, next));
    ++count;
  }
  if (node.node().op_type == "Mean") {
    const Residue share = field.OfRatio(1, count);
    sum = Mapped(std::move(sum), [&](Residue x) { return field.Mul(x, share); });
  }
  return node.Set(0, std::move(sum));
}

constexpr FieldOperatorRow kReductionOperators[] = {
    {kOnnxDomain, "ReduceSum", ReduceOperator},
    {kOnnxDomain, "ReduceMean", ReduceOperator},
    {kOnnxDomain, "ReduceSumSquare", ReduceOperator},
    {kOnnxDomain, "ReduceProd", ReduceOperator},
    {kOnnxDomain, "ReduceL1", ReduceOperator},
    {kOnnxDomain, "ReduceL2", ReduceOperator},
    {kOnnxDomain, "ReduceLogSum", ReduceOperator},
    {kOnnxDomain, "ReduceLogSumExp", ReduceOperator},
    {kOnnxDomain, "CumSum", CumSumOperator},
    {kOnnxDomain, "Sum", SumOperator},
    {kOnnxDomain, "Mean", SumOperator},
    {kMicrosoftDomain, "BiasAdd", SumOperator},
    {kOnnxDomain, "Softmax", SoftmaxOperator},
    {kOnnxDomain, "LogSoftmax", SoftmaxOperator},
    {kOnnxDomain, "LayerNormalization", LayerOperator},
    {kOnnxDomain, "RMSNormalization", LayerOperator},
    {kOnnxDomain, "SimplifiedLayerNormalization", LayerOperator},
    {kOnnxDomain, "BatchNormalization", BatchOperator},
    {kOnnxDomain, "InstanceNormalization", InstanceOperator},
    {kMicrosoftDomain, "SimplifiedLayerNormalization", LayerOperator},
    {kMicrosoftDomain, "SkipLayerNormalization", SkipOperator},
    {kMicrosoftDomain, "SkipSimplifiedLayerNormalization", SkipOperator},
    {kMicrosoftDomain, "BiasSoftmax", BiasSoftmaxOperator},
};

}  // namespace

// Without the axes that were reduced, which have one element each.
void DropAxes(absl::Span<const int> axes, Residues* x) {
  for (size_t i = axes.size(); i-- > 0;) x->shape.erase(x->shape.begin() + axes[i]);
}

// The axes of a reduction: an attribute, or the second input. Nothing to reduce: none.
absl::StatusOr<std::vector<int>> FieldAxesOf(const FieldNode& node, int rank, bool* reduces) {
  const bool all = node.Int("noop_with_empty_axes", 0) == 0;
  std::vector<int64_t> axes = node.Ints("axes");
  if (node.Has(1)) {
    OC_ASSIGN_OR_RETURN(axes, node.Integers(1));
  }
  *reduces = !axes.empty() || all;
  return WholeAxes(axes, rank);
}

absl::StatusOr<ExpForm> FieldSumOf(const PrimeField& field, const ExpForm& form,
                                   absl::Span<const int> axes) {
  ExpForm sum;
  sum.exponent = FirstAlong(form.exponent, axes);
  OC_ASSIGN_OR_RETURN(Residues apart, SubAll(field, form.exponent, sum.exponent));
  OC_ASSIGN_OR_RETURN(const Residues terms,
                      MulAll(field, form.factor, ExpOf(field, std::move(apart))));
  sum.factor = SumAlong(field, terms, axes);
  return sum;
}

absl::StatusOr<FieldSoftmax> SoftmaxOf(const PrimeField& field, const Residues& x,
                                       absl::Span<const int> axes, const Residues& shown) {
  FieldSoftmax made;
  OC_ASSIGN_OR_RETURN(made.form.exponent, SubAll(field, x, FirstAlong(x, axes)));
  Residues powers = ExpOf(field, made.form.exponent);
  const bool all = shown.size() == 1 && shown.values.front() == 1;
  if (!all) {
    OC_ASSIGN_OR_RETURN(powers, MulAll(field, powers, shown));
  }
  made.form.factor = InverseOf(field, SumAlong(field, powers, axes));
  OC_ASSIGN_OR_RETURN(made.value, MulAll(field, powers, made.form.factor));
  if (!all) {
    OC_ASSIGN_OR_RETURN(made.form.factor, MulAll(field, shown, made.form.factor));
  }
  return made;
}

absl::Span<const FieldOperatorRow> ReductionFieldOperators() { return kReductionOperators; }

}  // namespace onnxcmp
