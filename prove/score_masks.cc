#include "prove/score_masks.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "prove/field/prime_field.h"
#include "prove/foldable_layer.h"
#include "prove/value_trace.h"
#include "record/base/thresholds.h"

namespace onnxcmp {
namespace {

// The greatest number that masks add. That exp() of it is 0 depends on the scores (WithoutMasked).

// 1 where a value that does not depend on the inputs is a mask's number, or where one has been
// masked; nothing if there is no such element.
std::optional<Residues> MasksOf(const FieldValue& value) {
  if (value.masked.defined()) {
    absl::StatusOr<Residues> masked = FromTensor(value.masked);
    if (masked.ok()) return *std::move(masked);
  }
  if (!value.fixed || !IsRealTensor(value.number)) return std::nullopt;
  const std::vector<double> numbers = NumbersIn(value.number.tensor());
  const double most = RoundTo(value.number.tensor().dtype(), -thresholds::kMaskFill);
  Residues masked = Residues::Filled(value.number.tensor().shape(), 0);
  bool some = false;
  for (size_t i = 0; i < numbers.size() && i < masked.values.size(); ++i) {
    masked.values[i] = numbers[i] <= most ? 1 : 0;
    some = some || masked.values[i] != 0;
  }
  return some ? std::optional<Residues>(std::move(masked)) : std::nullopt;
}

Residue Either(Residue a, Residue b) { return a != 0 || b != 0 ? 1 : 0; }

std::optional<Residues> AddMasks(absl::Span<const FieldValue> inputs) {
  const std::optional<Residues> a = MasksOf(inputs[0]);
  const std::optional<Residues> b = MasksOf(inputs[1]);
  if (!a.has_value() || !b.has_value()) return a.has_value() ? a : b;
  absl::StatusOr<Residues> both = Combine(*a, *b, Either);
  return both.ok() ? std::optional<Residues>(*std::move(both)) : std::nullopt;
}

std::optional<Residues> WhereMasks(absl::Span<const FieldValue> inputs) {
  if (!inputs[0].fixed || !inputs[0].number.is_tensor()) return std::nullopt;
  const Residues none = Residues::Of(0);
  const Residues a = MasksOf(inputs[1]).value_or(none);
  const Residues b = MasksOf(inputs[2]).value_or(none);
  Residues chosen = Residues::Filled(inputs[0].number.tensor().shape(), 0);
  const std::vector<double> condition = NumbersIn(inputs[0].number.tensor());
  if (condition.size() != chosen.values.size()) return std::nullopt;
  std::transform(condition.begin(), condition.end(), chosen.values.begin(),
                 [](double number) { return number != 0 ? Residue{1} : Residue{0}; });
  const absl::StatusOr<Residues> first =
      Combine(chosen, a, [](Residue c, Residue m) { return c != 0 ? m : 0; });
  const absl::StatusOr<Residues> second =
      Combine(chosen, b, [](Residue c, Residue m) { return c != 0 ? 0 : m; });
  if (!first.ok() || !second.ok()) return std::nullopt;
  absl::StatusOr<Residues> both = Combine(*first, *second, Either);
  return both.ok() ? std::optional<Residues>(*std::move(both)) : std::nullopt;
}

}  // namespace

Tensor MaskedElements(const Node& node, absl::Span<const FieldValue> inputs, const Value& output) {
  const absl::string_view name = node.op_type;
  if (node.domain != kOnnxDomain || !output.is_tensor() || inputs.empty() || inputs[0].empty()) {
    return Tensor();
  }
  std::optional<Residues> masked;
  if (name == "Add" && inputs.size() == 2) {
    masked = AddMasks(inputs);
  } else if (name == "Where" && inputs.size() == 3) {
    masked = WhereMasks(inputs);
  } else if (name == "Identity" || name == "Cast" || name == "CastLike" || name == "Reshape") {
    if (!inputs[0].masked.defined()) return Tensor();
    masked = MasksOf(inputs[0]);
  }
  const bool some = masked.has_value() && std::find(masked->values.begin(), masked->values.end(),
                                                    1) != masked->values.end();
  if (!some) return Tensor();
  if (name == "Reshape") {
    const absl::StatusOr<Residues> whole = BroadcastTo(*masked, inputs[0].number.tensor().shape());
    if (!whole.ok()) return Tensor();
    masked = Residues{output.tensor().shape(), whole->values};
  }
  absl::StatusOr<Tensor> tensor = ToTensor(*masked);
  return tensor.ok() ? *std::move(tensor) : Tensor();
}

std::optional<Residues> WithoutMasked(const PrimeField& field, const Residues& scores,
                                      const Residues& masked, absl::Span<const int> axes,
                                      const Value& softmax) {
  // Lanes of all elements of the scores.
  Residues lanes = masked;
  lanes.shape.insert(lanes.shape.begin(), scores.shape.size() - masked.shape.size(), 1);
  const Residue all = CountAlong(lanes.shape, axes);
  const Residues counts = SumAlong(field, lanes, axes);
  absl::StatusOr<Residues> hidden =
      Combine(lanes, counts, [&](Residue one, Residue count) { return count == all ? 0 : one; });
  if (hidden.ok()) hidden = BroadcastTo(*hidden, scores.shape);
  if (!hidden.ok()) return std::nullopt;
  const std::vector<double> numbers = NumbersIn(softmax.tensor());
  if (numbers.size() != hidden->values.size()) return std::nullopt;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (hidden->values[i] != 0 && numbers[i] != 0) return std::nullopt;
  }
  absl::StatusOr<Residues> made = ReplacedWhere(*hidden, scores, kMinusInfinity);
  return made.ok() ? std::optional<Residues>(*std::move(made)) : std::nullopt;
}

std::set<std::string> MaskInputs(const PerSide<Side*>& sides) {
  std::set<std::string> masks;
  for (const SideId id : kBothSides) {
    for (const auto& [name, value] : *sides[id]->feeds()) {
      if (!absl::StrContains(absl::AsciiStrToLower(name), "mask") || !value.is_tensor()) continue;
      const DType dtype = value.tensor().dtype();
      if (!IsInteger(dtype) && dtype != DType::kBool) continue;
      const std::vector<double> numbers = NumbersIn(value.tensor());
      if (!numbers.empty() && std::all_of(numbers.begin(), numbers.end(), [](double number) {
            return number == 0 || number == 1;
          })) {
        masks.insert(name);
      }
    }
  }
  return masks;
}

Value MaskInForm(const Value& mask, MaskForm form) {
  if (form == MaskForm::kAsFed) return mask;
  const absl::StatusOr<Tensor> whole = mask.tensor().Contiguous();
  if (!whole.ok() || whole->rank() == 0 || whole->num_elements() == 0) return mask;
  const int64_t columns = whole->shape().back();
  const int64_t size = whole->byte_size() / whole->num_elements();
  absl::StatusOr<Tensor> made = Tensor::Allocate(whole->dtype(), whole->shape());
  if (!made.ok() || size == 0) return mask;  // packed elements
  std::byte* const to = made->mutable_raw_data();
  std::copy_n(whole->raw_data(), whole->byte_size(), to);
  const int64_t half = columns / 2;
  const auto hides = [&](int64_t row, int64_t column) {
    // Not the same in all rows, so that exchanged rows are seen.
    const int64_t zeros = half - (half == 0 ? 0 : row % half);
    if (form == MaskForm::kHoles) return columns > 1 && (row + column) % 3 == 1;
    if (form == MaskForm::kLeft) return column < zeros;
    return column >= (form == MaskForm::kHalf ? columns - zeros : 1);
  };
  for (int64_t i = 0; i < whole->num_elements(); ++i) {
    if (hides(i / columns, i % columns)) std::fill_n(to + i * size, size, std::byte{0});
  }
  return *std::move(made);
}

}  // namespace onnxcmp
