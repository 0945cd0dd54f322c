#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

absl::Status CheckBlock(const Tensor& x, int64_t block) {
  if (x.rank() != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("the input must have four dimensions, not ", x.TypeString()));
  }
  // Also keeps block * block from overflowing.
  if (block < 1 || block > int64_t{1} << 20) {
    return absl::InvalidArgumentError(absl::StrCat("blocksize ", block));
  }
  return absl::OkStatus();
}

// x as a tensor of six dimensions, in another order, as one of `shape`.
absl::Status EmitRearranged(KernelContext& ctx, const Shape& split, absl::Span<const int> order,
                            const Shape& shape) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  const Tensor cut = x.Reshaped(split);
  Shape sizes;
  Shape strides;
  for (int axis : order) {
    sizes.push_back(cut.dim(axis));
    strides.push_back(cut.strides()[static_cast<size_t>(axis)]);
  }
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), sizes));
  CopyIntoBlock(cut.Strided(sizes, strides, cut.offset()), y.strides(), 0, ctx.pool(), &y);
  return ctx.SetOutput(0, y.Reshaped(shape));
}

absl::StatusOr<bool> IsCrd(const KernelInit& node) {
  const std::string mode = node.String("mode", "DCR");
  if (mode == "DCR" || mode == "CRD") return mode == "CRD";
  return absl::InvalidArgumentError(absl::StrCat("mode must be DCR or CRD, not \"", mode, "\""));
}

// DepthToSpace (ai.onnx 1, 11, 13, 28): channels become blocks of b * b positions. Mode DCR (the
// only one of version 1) takes a block's positions from channels C / b^2 apart, CRD from
// neighbours.
absl::StatusOr<Kernel> DepthToSpace(const KernelInit& node) {
  const int64_t b = node.Int("blocksize");
  OC_ASSIGN_OR_RETURN(const bool is_crd, IsCrd(node));
  return [b, is_crd](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    OC_RETURN_IF_ERROR(CheckBlock(x, b));
    if (x.dim(1) % (b * b) != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(x.dim(1), " channels cannot be cut into blocks of ", b, "x", b));
    }
    const int64_t depth = x.dim(1) / (b * b);
    const int64_t h = x.dim(2);
    const int64_t w = x.dim(3);
    const Shape shape = {x.dim(0), depth, h * b, w * b};
    return is_crd ? EmitRearranged(ctx, {x.dim(0), depth, b, b, h, w}, {0, 1, 4, 2, 5, 3}, shape)
                  : EmitRearranged(ctx, {x.dim(0), b, b, depth, h, w}, {0, 3, 4, 1, 5, 2}, shape);
  };
}

// SpaceToDepth (ai.onnx 1, 13, 28): the inverse of DepthToSpace in the same mode, of which the
// versions before 28 have DCR alone.
absl::StatusOr<Kernel> SpaceToDepth(const KernelInit& node) {
  const int64_t b = node.Int("blocksize");
  OC_ASSIGN_OR_RETURN(const bool is_crd, IsCrd(node));
  return [b, is_crd](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    OC_RETURN_IF_ERROR(CheckBlock(x, b));
    if (x.dim(2) % b != 0 || x.dim(3) % b != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(x.dim(2), "x", x.dim(3), " cannot be cut into blocks of ", b, "x", b));
    }
    const int64_t h = x.dim(2) / b;
    const int64_t w = x.dim(3) / b;
    const Shape split = {x.dim(0), x.dim(1), h, b, w, b};
    const Shape shape = {x.dim(0), x.dim(1) * b * b, h, w};
    return is_crd ? EmitRearranged(ctx, split, {0, 1, 3, 5, 2, 4}, shape)
                  : EmitRearranged(ctx, split, {0, 3, 5, 1, 2, 4}, shape);
  };
}

}  // namespace

void RegisterDepthToSpace(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "DepthToSpace", {1, 11, 13, 28}, DepthToSpace);
  registry.Add(kOnnxDomain, "SpaceToDepth", {1, 13, 28}, SpaceToDepth);
}

}  // namespace onnxcmp
