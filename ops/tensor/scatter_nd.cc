#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernel.h"
#include "evaluator/op_registry.h"
#include "ops/common/movement.h"
#include "ops/common/scatter.h"

namespace onnxcmp {
namespace {

absl::Status CheckShapes(const Tensor& data, const Tensor& indices, const Tensor& updates) {
  if (data.rank() == 0 || indices.rank() == 0 || indices.shape().back() < 1 ||
      indices.shape().back() > data.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("indices ", indices.TypeString(),
                                                   " are not tuples of indices into data ",
                                                   data.TypeString()));
  }
  Shape expected(indices.shape().begin(), indices.shape().end() - 1);
  expected.insert(expected.end(), data.shape().begin() + indices.shape().back(),
                  data.shape().end());
  if (updates.shape() != expected) {
    return absl::InvalidArgumentError(absl::StrCat("updates have shape [",
                                                   ShapeToString(updates.shape()), "], not [",
                                                   ShapeToString(expected), "]"));
  }
  return absl::OkStatus();
}

// ScatterND (ai.onnx 11, 13, 16, 18): output = data, but
// output[indices[i..., :], ...] = f(output[...], updates[i..., ...]): the last dimension of indices
// is a tuple of indices into data's first axes and selects an element or a slice; f is the update
// alone, or add, mul (from 16 on), max, min (from 18 on). Without a reduction the last of several
// updates of an element stays (the text forbids them).
Kernel ScatterND(const KernelInit& node) {
  const absl::StatusOr<ScatterReduction> reduction = ReadScatterReduction(node);
  if (!reduction.ok()) return node.Fail(reduction.status());
  return [reduction = *reduction](KernelContext& ctx) -> absl::Status {
    const Tensor& data = ctx.Input(0);
    const Tensor& updates = ctx.Input(2);
    OC_RETURN_IF_ERROR(CheckShapes(data, ctx.Input(1), updates));
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> indices, ctx.IntsInput(1));
    const int64_t tuple = ctx.Input(1).shape().back();
    const absl::Span<const int64_t> dims = data.shape();
    const int64_t block = *NumElements(dims.subspan(static_cast<size_t>(tuple)));
    std::vector<int64_t> offsets(indices.size() / static_cast<size_t>(tuple), 0);
    for (size_t i = 0; i < offsets.size(); ++i) {
      for (int axis = 0; axis < tuple; ++axis) {
        const int64_t given = indices[i * static_cast<size_t>(tuple) + static_cast<size_t>(axis)];
        OC_ASSIGN_OR_RETURN(const int64_t index, NormalizeIndex(given, axis, data.dim(axis)));
        offsets[i] = offsets[i] * data.dim(axis) + index;
      }
      offsets[i] *= block;
    }
    OC_ASSIGN_OR_RETURN(Tensor result, Scattered(ctx, data, updates, offsets, block, reduction));
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterScatterNd(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ScatterND", {11, 13, 16, 18}, ScatterND);
}

}  // namespace onnxcmp
