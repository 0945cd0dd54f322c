#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernel.h"
#include "evaluator/op_registry.h"
#include "ops/common/movement.h"

namespace onnxcmp {
namespace {

// Where each of the values goes in the dense tensor, as linear indices.
absl::StatusOr<std::vector<int64_t>> Positions(const KernelContext& ctx,
                                               const SparseTensor& sparse) {
  const int64_t count = sparse.values.num_elements();
  const Tensor& indices = sparse.indices;
  const auto rank = static_cast<int64_t>(sparse.dims.size());
  const bool linear = indices.rank() == 1;
  const bool valid = indices.dtype() == DType::kInt64 &&
                     indices.num_elements() == count * (linear ? 1 : rank) &&
                     (linear || (indices.rank() == 2 && indices.dim(1) == rank));
  const std::optional<int64_t> total = NumElements(sparse.dims);
  if (!valid || !total.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("sparse_value has ", count, " values, indices ",
                                                   indices.TypeString(), " and the shape [",
                                                   absl::StrJoin(sparse.dims, ","), "]"));
  }
  OC_ASSIGN_OR_RETURN(Tensor contiguous, ctx.Contiguous(indices));
  const auto* from = contiguous.data<int64_t>();
  std::vector<int64_t> positions(static_cast<size_t>(count), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t& position = positions[static_cast<size_t>(i)];
    for (int64_t axis = 0; axis < (linear ? 1 : rank); ++axis) {
      const int64_t size = linear ? *total : sparse.dims[static_cast<size_t>(axis)];
      const int64_t index = *from++;
      if (index < 0 || index >= size) {
        return absl::InvalidArgumentError(
            absl::StrCat("an index of sparse_value is ", index, ", not in a dimension of ", size));
      }
      position = position * size + index;
    }
  }
  return positions;
}

absl::StatusOr<Tensor> Dense(const KernelContext& ctx, const SparseTensor& sparse) {
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> positions, Positions(ctx, sparse));
  OC_ASSIGN_OR_RETURN(Tensor values, ctx.Contiguous(sparse.values));
  const DType dtype = values.dtype();
  if (dtype == DType::kString) {
    OC_ASSIGN_OR_RETURN(Tensor dense, ctx.Allocate(dtype, sparse.dims));
    std::string* to = dense.mutable_string_data();
    for (size_t i = 0; i < positions.size(); ++i) to[positions[i]] = values.string_data()[i];
    return dense;
  }
  const bool packed = IsSubByte(dtype);
  if (packed) {
    OC_ASSIGN_OR_RETURN(values, UnpackToBytes(ctx, values));
  }
  OC_ASSIGN_OR_RETURN(Tensor dense, ctx.Allocate(values.dtype(), sparse.dims));
  const int64_t size = BitWidth(values.dtype()) / 8;
  std::byte* to = dense.mutable_raw_data();
  std::fill_n(to, dense.byte_size(), std::byte{0});
  for (size_t i = 0; i < positions.size(); ++i) {
    std::copy_n(values.raw_data() + static_cast<int64_t>(i) * size, size, to + positions[i] * size);
  }
  return packed ? PackFromBytes(ctx, dense, dtype) : dense;
}

// The value_* attributes that the node carries, as tensors.
std::vector<Tensor> Values(const KernelInit& node) {
  std::vector<Tensor> values;
  auto list = [&values](const auto& elements) {
    values.push_back(Tensor::Of({static_cast<int64_t>(elements.size())}, elements));
  };
  if (std::optional<Tensor> value = node.TensorAttribute("value")) values.push_back(*value);
  if (node.Has("value_float")) values.push_back(Tensor::Scalar(node.Float("value_float")));
  if (node.Has("value_floats")) list(node.Floats("value_floats"));
  if (node.Has("value_int")) values.push_back(Tensor::Scalar(node.Int("value_int")));
  if (node.Has("value_ints")) list(node.Ints("value_ints"));
  if (node.Has("value_string")) values.push_back(Tensor::Scalar(node.String("value_string")));
  if (node.Has("value_strings")) list(node.Strings("value_strings"));
  return values;
}

// Constant (ai.onnx 1, 9, 11, 12, 13, 19, 21, 23, 24, 25): the attribute that is given: value, from
// version 11 on sparse_value (made dense), from version 12 on value_float(s), value_int(s) and
// value_string(s), which are a scalar or of one dimension.
Kernel Constant(const KernelInit& node) {
  std::vector<Tensor> values = Values(node);
  const std::optional<SparseTensor> sparse = node.SparseAttribute("sparse_value");
  const size_t given = values.size() + (sparse.has_value() ? 1 : 0);
  if (given != 1) {
    return node.Fail(absl::InvalidArgumentError(absl::StrCat("one value is needed, not ", given)));
  }
  if (!sparse.has_value()) {
    return [value = std::move(values[0])](KernelContext& ctx) { return ctx.SetOutput(0, value); };
  }
  return [value = *sparse](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor dense, Dense(ctx, value));
    return ctx.SetOutput(0, std::move(dense));
  };
}

}  // namespace

void RegisterConstant(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Constant", {1, 9, 11, 12, 13, 19, 21, 23, 24, 25}, Constant);
}

}  // namespace onnxcmp
