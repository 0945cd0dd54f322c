#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/shapes/axes.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

// The axes that go: those given, which must have size 1.
absl::StatusOr<std::vector<bool>> Named(const Tensor& data, absl::Span<const int64_t> axes) {
  std::vector<bool> removed(data.shape().size());
  for (int64_t given : axes) {
    OC_ASSIGN_OR_RETURN(int axis, NormalizeAxis(given, data.rank()));
    if (data.dim(axis) != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("cannot squeeze axis ", given, ": its size is ", data.dim(axis), ", not 1"));
    }
    removed[static_cast<size_t>(axis)] = true;
  }
  return removed;
}

std::vector<bool> AllOfSizeOne(const Tensor& data) {
  std::vector<bool> removed(data.shape().size());
  for (size_t i = 0; i < removed.size(); ++i) removed[i] = data.shape()[i] == 1;
  return removed;
}

absl::Status Without(KernelContext& ctx, const std::vector<bool>& removed) {
  const Tensor& data = ctx.Input(0);
  Shape shape;
  Shape strides;
  for (size_t i = 0; i < removed.size(); ++i) {
    if (removed[i]) continue;
    shape.push_back(data.shape()[i]);
    strides.push_back(data.strides()[i]);
  }
  return ctx.SetOutput(0, WithShape(data, shape, strides));
}

// Squeeze (ai.onnx 1, 11, 13, 21, 23, 24, 25): without the axes given, all of size 1; without axes,
// without all of size 1. A view. Axes are an input from version 13 on.
Kernel Squeeze(const KernelInit& node) {
  const bool by_input = node.version() >= 13;
  const bool all = by_input ? !node.HasInput(1) : !node.Has("axes");
  std::vector<int64_t> attribute = by_input ? std::vector<int64_t>() : node.Ints("axes");
  return [=, attribute = std::move(attribute)](KernelContext& ctx) -> absl::Status {
    if (all) return Without(ctx, AllOfSizeOne(ctx.Input(0)));
    std::vector<int64_t> axes = attribute;
    if (by_input) {
      OC_ASSIGN_OR_RETURN(axes, ctx.IntsInput(1));
    }
    OC_ASSIGN_OR_RETURN(std::vector<bool> removed, Named(ctx.Input(0), axes));
    return Without(ctx, removed);
  };
}

}  // namespace

void RegisterSqueeze(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Squeeze", {1, 11, 13, 21, 23, 24, 25}, Squeeze);
}

}  // namespace onnxcmp
