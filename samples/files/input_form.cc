#include "samples/files/input_form.h"

#include <utility>
#include <vector>

#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"

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
  Tensor in_rank = tensor;
  Shape shape = tensor.shape();
  const bool lacks_batch = tensor.rank() + 1 == *rank;
  const bool has_batch = tensor.rank() == *rank + 1 && tensor.dim(0) == 1;
  if (lacks_batch) shape.insert(shape.begin(), 1);
  if (has_batch) shape.erase(shape.begin());
  if (lacks_batch || has_batch) {
    OC_ASSIGN_OR_RETURN(const Tensor contiguous, tensor.Contiguous());
    in_rank = contiguous.Reshaped(shape);
  }
  const int64_t batch = SizeOf(input, 0).value_or(1);
  if (*rank < 2 || batch < 2 || in_rank.rank() != *rank || in_rank.dim(0) != 1 ||
      in_rank.dtype() == DType::kString || IsSubByte(in_rank.dtype())) {
    return in_rank;
  }
  Shape strides = in_rank.strides();
  shape[0] = batch;
  strides[0] = 0;
  return in_rank.Strided(shape, strides, in_rank.offset()).Contiguous();
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
