#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernel.h"
#include "evaluator/op_registry.h"
#include "ops/common/movement.h"

namespace onnxcmp {
namespace {

absl::Status CheckShapes(const Tensor& data, const Tensor& indices, int64_t batch_dims) {
  const int64_t r = data.rank();
  const int64_t q = indices.rank();
  if (batch_dims < 0 || batch_dims >= std::min(q, r)) {
    return absl::InvalidArgumentError(absl::StrCat("batch_dims ", batch_dims,
                                                   " is out of range for data of rank ", r,
                                                   " and indices of rank ", q));
  }
  const auto b = static_cast<size_t>(batch_dims);
  if (!std::equal(data.shape().begin(), data.shape().begin() + batch_dims,
                  indices.shape().begin())) {
    return absl::InvalidArgumentError(
        absl::StrCat("data and indices differ in their first ", b, " dimensions"));
  }
  if (indices.shape().back() < 1 || indices.shape().back() > r - batch_dims) {
    return absl::InvalidArgumentError(absl::StrCat("the last dimension of indices is ",
                                                   indices.shape().back(), ", not in 1 to ",
                                                   r - batch_dims));
  }
  return absl::OkStatus();
}

// GatherND (ai.onnx 11, 12, 13): output[b..., i...] = data[b..., indices[b..., i..., :], ...]: the
// last dimension of indices is a tuple of indices into data's axes after its `batch_dims` first
// ones (0 in version 11), and selects an element or a slice.
Kernel GatherND(const KernelInit& node) {
  const int64_t batch_dims = node.version() == 11 ? 0 : node.Int("batch_dims");
  return [batch_dims](KernelContext& ctx) -> absl::Status {
    OC_RETURN_IF_ERROR(CheckShapes(ctx.Input(0), ctx.Input(1), batch_dims));
    OC_ASSIGN_OR_RETURN(Tensor data, ctx.ContiguousInput(0));
    OC_ASSIGN_OR_RETURN(std::vector<int64_t> indices, ctx.IntsInput(1));
    const absl::Span<const int64_t> dims = data.shape();
    const Shape& indices_shape = ctx.Input(1).shape();
    const int64_t tuple = indices_shape.back();
    const absl::Span<const int64_t> slice = dims.subspan(static_cast<size_t>(batch_dims + tuple));
    Shape shape(indices_shape.begin(), indices_shape.end() - 1);
    shape.insert(shape.end(), slice.begin(), slice.end());
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(data.dtype(), shape));

    const int64_t batches = *NumElements(dims.first(static_cast<size_t>(batch_dims)));
    const int64_t tuples = static_cast<int64_t>(indices.size()) / tuple;
    // Where each tuple's slice begins in data.
    std::vector<int64_t> offsets(static_cast<size_t>(tuples), 0);
    for (int64_t i = 0; i < tuples; ++i) {
      int64_t position = i / (tuples / batches);  // of the batch, then of the axes after it
      for (int64_t k = 0; k < tuple; ++k) {
        const int axis = static_cast<int>(batch_dims + k);
        OC_ASSIGN_OR_RETURN(
            int64_t index,
            NormalizeIndex(indices[static_cast<size_t>(i * tuple + k)], axis, data.dim(axis)));
        position = position * data.dim(axis) + index;
      }
      offsets[static_cast<size_t>(i)] = position * *NumElements(slice);
    }
    GatherBlocks(data, 1, 0, offsets, *NumElements(slice), ctx.pool(), &result);
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterGatherNd(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "GatherND", {11, 12, 13}, GatherND);
}

}  // namespace onnxcmp
