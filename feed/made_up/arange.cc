#include "feed/made_up/arange.h"

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/node_questions.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

constexpr int kMostHops = 24;

// One more than the last number of a constant that counts along its only axis longer than 1.
std::optional<TracedSize> OfConstant(const Tensor& tensor) {
  constexpr int64_t kLeastNumbers = 3;
  const int64_t count = tensor.num_elements();
  if (count < kLeastNumbers || count > (1 << 20) || tensor.dtype() == DType::kString ||
      IsComplex(tensor.dtype())) {
    return std::nullopt;
  }
  const absl::StatusOr<Tensor> whole = tensor.Contiguous();
  if (!whole.ok()) return std::nullopt;
  std::vector<double> numbers(static_cast<size_t>(count));
  LoadElements<double>(whole->dtype(), whole->raw_data(), 0, count, numbers.data());
  // Rows may be repeated.
  int64_t row = 0;
  for (const int64_t dim : tensor.shape()) {
    if (dim > 1) row = dim;
  }
  if (row < kLeastNumbers || (numbers[0] != 0 && numbers[0] != 1)) return std::nullopt;
  for (int64_t i = 0; i < count; ++i) {
    if (numbers[static_cast<size_t>(i)] != numbers[0] + static_cast<double>(i % row)) {
      return std::nullopt;
    }
  }
  return TracedSize{row, std::nullopt};
}

// The size behind a number that a graph takes from a shape.
std::optional<TracedSize> SizeThatIs(const GraphScope& scope, absl::string_view name) {
  std::optional<int64_t> index;
  for (int depth = 0; depth < kMostHops; ++depth) {
    if (const auto number = NumberOf(ConstantIn(scope, name))) {
      return TracedSize{static_cast<int64_t>(*number), std::nullopt};
    }
    const Node* node = ProducerIn(scope, name);
    if (node == nullptr || node->inputs.empty()) return std::nullopt;
    if (IsOneOf(*node, {"Shape"})) {
      const int64_t start = IntAttribute(*node, "start").value_or(0);
      return SizeAlong(scope, node->inputs[0], start + index.value_or(0));
    }
    if (IsOneOf(*node, {"Gather", "Slice"}) && node->inputs.size() > 1) {
      const auto at = NumberOf(ConstantIn(scope, node->inputs[1]));
      if (!at.has_value()) return std::nullopt;
      index = static_cast<int64_t>(*at);
    } else if (!IsOneOf(*node, {"Cast", "Squeeze", "Unsqueeze", "Reshape", "Identity"})) {
      return std::nullopt;
    }
    name = node->inputs[0];
  }
  return std::nullopt;
}

bool KeepsCounting(const Node& node) {
  return HasTrait(node, OperatorTrait::kReorders) || HasTrait(node, OperatorTrait::kCasts) ||
         IsOneOf(node, {"Expand", "Tile", "Slice"});
}

}  // namespace

std::optional<TracedSize> CountsUpTo(const GraphScope& scope, absl::string_view name) {
  bool cut = false;  // its end is no longer known
  for (int depth = 0; depth < kMostHops; ++depth) {
    if (const Tensor* constant = ConstantIn(scope, name)) {
      const std::optional<TracedSize> size = OfConstant(*constant);
      return size.has_value() && cut ? TracedSize() : size;
    }
    const Node* node = ProducerIn(scope, name);
    if (node == nullptr || node->inputs.empty()) return std::nullopt;
    if (IsOneOf(*node, {"Range"}) && node->inputs.size() > 1) {
      return cut ? TracedSize() : SizeThatIs(scope, node->inputs[1]).value_or(TracedSize());
    }
    const Node* maker = ProducerIn(scope, node->inputs[0]);
    if (IsOneOf(*node, {"NonZero", "CumSum"}) && maker != nullptr &&
        IsOneOf(*maker, {"ConstantOfShape", "Expand"})) {
      return SizeThatIs(scope, maker->inputs.empty() ? "" : maker->inputs[0])
          .value_or(TracedSize());
    }
    if (IsOneOf(*node, {"Add", "Sub"}) && node->inputs.size() == 2 &&
        NumberOf(ConstantIn(scope, node->inputs[1])).has_value()) {
      name = node->inputs[0];
      continue;
    }
    if (!KeepsCounting(*node)) return std::nullopt;
    cut |= node->op_type == "Slice";
    name = node->inputs[0];
  }
  return std::nullopt;
}

}  // namespace onnxcmp
