// Operators over the field that only move elements: they run on residues as they do on numbers.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/base/status_macros.h"
#include "prove/field_functions.h"
#include "prove/field_node.h"

namespace onnxcmp {
namespace {

absl::Status MoveFirst(FieldNode& node) { return node.Move({0}); }
// The first element of a column, and its distance from the next other one: less the former, divided
// by the latter a column is the same if it is scaled or shifted, as codes of quantized numbers are.
struct ColumnForm {
  Residue first = 0;
  Residue step = 0;  // there is no other
  uint64_t function = FunctionNumber("gather");
};

// The forms of the columns of a table whose rows have `inner` elements. Row by row, as they lie in
// memory.
std::vector<ColumnForm> FormsOf(const PrimeField& field, const Residues& table, size_t inner) {
  std::vector<ColumnForm> forms(inner);
  const bool numbers = std::all_of(table.values.begin(), table.values.end(), IsNumber);
  std::vector<Residue> factors(inner, 1);
  for (size_t i = 0; i < table.values.size(); ++i) {
    ColumnForm& form = forms[i % inner];
    const Residue value = table.values[i];
    if (i < inner && numbers) form.first = value;
    if (form.step == 0) form.step = numbers ? field.Sub(value, form.first) : 1;
  }
  for (size_t i = 0; i < inner; ++i) factors[i] = forms[i].step == 0 ? 1 : forms[i].step;
  field.Invert(absl::MakeSpan(factors));
  for (size_t i = 0; i < table.values.size(); ++i) {
    ColumnForm& form = forms[i % inner];
    const Residue value = table.values[i];
    const Residue plain =
        numbers ? field.Mul(field.Sub(value, form.first), factors[i % inner]) : value;
    form.function = MixNumbers(form.function, static_cast<uint64_t>(plain));
  }
  return forms;
}

absl::Status GatherOperator(FieldNode& node) {
  const PrimeField& field = node.field();
  if (!node.Has(1) || node.value(1).fixed) return node.Move({0});
  auto table = node.In(0);
  // Valid ids are below the table's size, so that they are the same ones modulo more than twice it.
  const bool is_narrow = table.ok() && table->rank() > 0 &&
                         std::ldexp(1.0, BitWidth(node.InType(1)) - 1) < table->shape[0];
  auto ids = is_narrow ? node.In(1) : node.InRing(1);
  if (!table.ok() || !ids.ok()) return absl::UnimplementedError("a table or ids of another kind");
  if (node.Int("axis", 0) != 0 || table->rank() == 0 || table->shape[0] == 0) {
    return absl::UnimplementedError("entries along another axis");
  }
  if (std::optional<Residues> codes = FieldTableCodes(node, 0); codes.has_value()) {
    table = *std::move(codes);
  }
  node.MarkRandom();
  OC_ASSIGN_OR_RETURN(Residues out, FieldRowsOf(field, *table, *ids));
  return node.Set(0, std::move(out));
}

absl::Status MoveFirstAndThird(FieldNode& node) { return node.Move({0, 2}); }

absl::Status MoveAll(FieldNode& node) {
  std::vector<int> all;
  for (int i = 0; i < node.num_inputs(); ++i) all.push_back(i);
  return node.Move(all);
}

// With sums and the like of what meets at a place, it is no movement.
absl::Status ScatterOperator(FieldNode& node) {
  if (node.String("reduction", "none") != "none") {
    return absl::UnimplementedError("a reduction of what is scattered");
  }
  return node.Move({0, 2});
}

// The border is 0, or a number that is given.
absl::Status PadOperator(FieldNode& node) {
  if (node.since() >= 11) return node.Move({0, 2});
  return node.Real("value", 0) == 0 ? node.Move({0})
                                    : absl::UnimplementedError("a number to put around");
}

// The nearest elements are moved; others are sums of products, of which nothing is known.
absl::Status ResizeOperator(FieldNode& node) {
  if (node.String("mode", "nearest") != "nearest" || node.since() < 10) {
    return absl::UnimplementedError("interpolation");
  }
  return node.Move({0});
}

// As in inference; the mask that says what it kept is no number of the model.
absl::Status DropoutOperator(FieldNode& node) {
  const bool by_input = node.Has(2);
  if (by_input || (node.since() < 7 && node.Int("is_test", 0) == 0)) {
    if (!by_input) return absl::UnimplementedError("it draws random numbers");
    const FieldValue& training = node.value(2);
    if (!training.fixed || !training.number.is_tensor() ||
        training.number.tensor().num_elements() != 1 || *training.number.tensor().data<bool>()) {
      return absl::UnimplementedError("it draws random numbers");
    }
  }
  if (node.HasOutput(1)) return absl::UnimplementedError("its mask");
  auto x = node.In(0);
  return x.ok() ? node.Set(0, *std::move(x)) : x.status();
}

constexpr FieldOperatorRow kMovementOperators[] = {
    {kOnnxDomain, "Identity", MoveFirst},        {kOnnxDomain, "Dropout", DropoutOperator},
    {kOnnxDomain, "Transpose", MoveFirst},       {kOnnxDomain, "Reshape", MoveFirst},
    {kOnnxDomain, "Flatten", MoveFirst},         {kOnnxDomain, "Squeeze", MoveFirst},
    {kOnnxDomain, "Unsqueeze", MoveFirst},       {kOnnxDomain, "Gather", GatherOperator},
    {kOnnxDomain, "GatherElements", MoveFirst},  {kOnnxDomain, "GatherND", MoveFirst},
    {kOnnxDomain, "Slice", MoveFirst},           {kOnnxDomain, "Split", MoveFirst},
    {kOnnxDomain, "Expand", MoveFirst},          {kOnnxDomain, "Tile", MoveFirst},
    {kOnnxDomain, "Trilu", MoveFirst},           {kOnnxDomain, "Compress", MoveFirst},
    {kOnnxDomain, "DepthToSpace", MoveFirst},    {kOnnxDomain, "SpaceToDepth", MoveFirst},
    {kOnnxDomain, "ReverseSequence", MoveFirst}, {kOnnxDomain, "Concat", MoveAll},
    {kOnnxDomain, "Resize", ResizeOperator},     {kOnnxDomain, "ScatterElements", ScatterOperator},
    {kOnnxDomain, "ScatterND", ScatterOperator}, {kOnnxDomain, "Scatter", MoveFirstAndThird},
    {kOnnxDomain, "Pad", PadOperator},           {kMicrosoftDomain, "ExpandDims", MoveFirst},
    {kMicrosoftDomain, "Trilu", MoveFirst},
};

}  // namespace

absl::StatusOr<Residues> FieldRowsOf(const PrimeField& field, const Residues& table,
                                     const Residues& ids) {
  if (std::find(table.values.begin(), table.values.end(), kNoNumber) != table.values.end()) {
    return NoMeaning("a table with unknown numbers");
  }
  if (table.values.empty()) return NoMeaning("an empty table");
  const int64_t inner = table.size() / table.shape[0];
  const std::vector<ColumnForm> columns = FormsOf(field, table, static_cast<size_t>(inner));
  Shape shape = ids.shape;
  shape.insert(shape.end(), table.shape.begin() + 1, table.shape.end());
  Residues out = Residues::Filled(shape, 0);
  for (int64_t i = 0; i < out.size(); ++i) {
    const ColumnForm& column = columns[static_cast<size_t>(i % inner)];
    const Residue row = field.Random(column.function, ids.values[static_cast<size_t>(i / inner)]);
    out.values[static_cast<size_t>(i)] = field.Add(column.first, field.Mul(column.step, row));
  }
  return out;
}

absl::Span<const FieldOperatorRow> MovementFieldOperators() { return kMovementOperators; }

}  // namespace onnxcmp
