#include "feed/frozen_inputs.h"

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/constants.h"

namespace onnxcmp {
namespace {

// "all 1", "3, 5"; "" for longer texts.
std::string ConstantText(const Tensor& constant) {
  constexpr int64_t kFew = 6;
  constexpr int64_t kMost = 1 << 20;
  const int64_t count = constant.num_elements();
  const absl::StatusOr<Tensor> whole = constant.Contiguous();
  if (count < 1 || count > kMost || constant.dtype() == DType::kString ||
      IsComplex(constant.dtype()) || !whole.ok()) {
    return "";
  }
  std::vector<double> numbers(static_cast<size_t>(count));
  LoadElements<double>(whole->dtype(), whole->raw_data(), 0, count, numbers.data());
  bool equal = true;
  for (const double number : numbers) equal &= number == numbers[0];
  if (equal) return absl::StrCat(count > 1 ? "all " : "", numbers[0]);
  return count <= kFew ? absl::StrJoin(numbers, ", ") : "";
}

// True if a side takes numbers as inputs that are single ones on the other side, and no weights.
bool TakesNumbersAlone(const InputMapping& mapping, const PerSide<const Graph*>& graphs) {
  for (const MappedInput& pair : mapping.pairs) {
    for (const SideId side : kBothSides) {
      const SideId other = Other(side);
      if (!pair.is_input(side) || pair.is_input(other)) continue;
      const Tensor* constant = FindConstant(*graphs[other], OfSide(pair, other));
      if (constant == nullptr || !IsFloatingPoint(constant->dtype())) continue;
      if (constant->num_elements() != 1) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<FrozenInput> FrozenInputs(const InputMapping& mapping,
                                      const PerSide<const Graph*>& graphs, PurposeCache* purposes) {
  std::vector<FrozenInput> frozen;
  const bool numbers = TakesNumbersAlone(mapping, graphs);
  for (const MappedInput& pair : mapping.pairs) {
    for (const SideId side : kBothSides) {
      const SideId other = Other(side);
      if (!pair.is_input(side) || pair.is_input(other) || !pair.read) continue;
      const std::string& name = OfSide(pair, side);
      const Tensor* constant = FindConstant(*graphs[other], OfSide(pair, other));
      const InputPurposes& of_side = purposes->Of(*graphs[side]);
      const auto purpose = of_side.find(name);
      const bool tells = purpose != of_side.end() && !purpose->second.IsOfNumbers();
      if (constant == nullptr || (IsFloatingPoint(constant->dtype()) && !tells && !numbers)) {
        continue;
      }
      const std::string text = ConstantText(*constant);
      frozen.push_back({side, name,
                        absl::StrCat("`", name, "` as the ", SideName(other), " has frozen it",
                                     text.empty() ? "" : ": ", text)});
    }
  }
  return frozen;
}

std::vector<std::string> MaskInputs(const Graph& graph, PurposeCache* purposes) {
  std::vector<std::string> masks;
  for (const auto& [name, purpose] : purposes->Of(graph)) {
    if (purpose.IsMask()) {
      masks.push_back(name);
    }
  }
  return masks;
}

}  // namespace onnxcmp
