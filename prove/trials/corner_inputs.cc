#include "prove/trials/corner_inputs.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

// Every so many elements one is at a corner, so that rows without it remain.
constexpr int64_t kOneIn = 7;
constexpr int64_t kOther = 4;  // and one at the opposite corner

// A copy whose elements are `change(i, element i)`.
template <typename Number, typename Change>
absl::StatusOr<Tensor> Changed(const Tensor& tensor, Change&& change) {
  absl::StatusOr<Tensor> whole = tensor.Contiguous();
  if (!whole.ok()) return whole;
  absl::StatusOr<Tensor> changed = Tensor::Allocate(tensor.dtype(), tensor.shape());
  if (!changed.ok()) return changed;
  const int64_t count = tensor.num_elements();
  std::vector<Number> numbers(static_cast<size_t>(count));
  LoadElements<Number>(tensor.dtype(), whole->raw_data(), 0, count, numbers.data());
  for (int64_t i = 0; i < count; ++i) {
    Number& number = numbers[static_cast<size_t>(i)];
    number = change(i, number);
  }
  StoreElements<Number>(tensor.dtype(), numbers.data(), count, changed->mutable_raw_data(), 0);
  return changed;
}

absl::StatusOr<Tensor> FloatsAt(Corner corner, const Tensor& tensor) {
  return Changed<double>(tensor, [&](int64_t i, double number) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    switch (corner) {
      case Corner::kHundreds:
        return 100 * number;
      case Corner::kThousands:
        return 10000 * number;
      case Corner::kInfinity:
        return i % kOneIn == 0 ? kInfinite : i % kOneIn == kOther ? -kInfinite : number;
      default:
        return i % kOneIn == 0 ? std::numeric_limits<double>::quiet_NaN() : number;
    }
  });
}

absl::StatusOr<Tensor> IntegersAtEnds(const Tensor& tensor) {
  const int64_t least = IntegerMin(tensor.dtype());
  const auto greatest = static_cast<int64_t>(
      std::min<uint64_t>(IntegerMax(tensor.dtype()), std::numeric_limits<int64_t>::max()));
  return Changed<int64_t>(tensor, [&](int64_t i, int64_t number) {
    switch (i % kOneIn) {
      case 0:
        return greatest;
      case 2:
        return (greatest / 2) | 1;
      case kOther:
        return least;
      default:
        return number;
    }
  });
}

bool BecomesInteger(const Node& node) {
  if (IsOneOf(node, {"CastLike", "DynamicQuantizeLinear", "QuantizeLinear"})) return true;
  if (!IsOneOf(node, {"Cast"})) return false;
  const std::optional<int64_t> to = IntAttribute(node, "to");
  return !to.has_value() || IsInteger(static_cast<DType>(*to));
}

}  // namespace

std::optional<Feeds> AtCorner(const Feeds& feeds, Corner corner) {
  Feeds at_corner = feeds;
  bool any = false;
  for (auto& [name, value] : at_corner) {
    if (!value.is_tensor() || value.tensor().num_elements() == 0) continue;
    const DType dtype = value.tensor().dtype();
    const bool integers = IsInteger(dtype) && !IsSubByte(dtype);
    if (corner == Corner::kIntegers ? !integers : !IsFloatingPoint(dtype)) continue;
    absl::StatusOr<Tensor> changed = corner == Corner::kIntegers ? IntegersAtEnds(value.tensor())
                                                                 : FloatsAt(corner, value.tensor());
    if (!changed.ok()) return std::nullopt;
    value = *std::move(changed);
    any = true;
  }
  if (!any) return std::nullopt;
  return at_corner;
}

bool IsDefinedAt(Corner corner, const Graph& graph) {
  if (corner == Corner::kIntegers) return true;
  return std::none_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    const bool orders =
        corner == Corner::kNan &&
        IsOneOf(node, {"ArgMax", "ArgMin", "GlobalMaxPool", "MaxPool", "NonMaxSuppression",
                       "ReduceMax", "ReduceMin", "TopK", "Unique"});
    return orders || BecomesInteger(node);
  });
}

}  // namespace onnxcmp
