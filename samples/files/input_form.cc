#include "samples/files/input_form.h"

#include <utility>
#include <vector>

#include "evaluator/base/status_macros.h"

namespace onnxcmp {

std::optional<int64_t> RankOf(const ValueInfo& input) {
  if (input.type.kind != TypeInfo::Kind::kTensor || !input.type.shape.has_value()) {
    return std::nullopt;
  }
  return static_cast<int64_t>(input.type.shape->size());
}

std::optional<int64_t> SizeOf(const ValueInfo& input, int64_t axis) {
  const std::optional<int64_t> rank = RankOf(input);
  if (!rank.has_value()) return std::nullopt;
  if (axis < 0) axis += *rank;
  if (axis < 0 || axis >= *rank) return std::nullopt;
  return (*input.type.shape)[static_cast<size_t>(axis)].value;
}

absl::StatusOr<Tensor> InRankOf(const ValueInfo& input, const Tensor& tensor) {
  const std::optional<int64_t> rank = RankOf(input);
  if (!rank.has_value()) return tensor;
  Shape shape = tensor.shape();
  if (tensor.rank() + 1 == *rank) {
    shape.insert(shape.begin(), 1);
  } else if (tensor.rank() == *rank + 1 && tensor.dim(0) == 1) {
    shape.erase(shape.begin());
  } else {
    return tensor;
  }
  OC_ASSIGN_OR_RETURN(const Tensor contiguous, tensor.Contiguous());
  return contiguous.Reshaped(shape);
}

absl::StatusOr<NamedValue> InFormOfInputs(const Graph& graph, NamedValue value) {
  if (!value.value.is_tensor()) return value;
  const std::vector<const ValueInfo*> required = RequiredInputs(graph);
  const ValueInfo* input = FindValueInfo(graph.inputs, value.name);
  if (input == nullptr && required.size() == 1) {
    input = required[0];
    value.name = input->name;
  }
  if (input == nullptr) return value;
  OC_ASSIGN_OR_RETURN(value.value, InRankOf(*input, value.value.tensor()));
  return value;
}

}  // namespace onnxcmp
