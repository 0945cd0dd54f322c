#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/shapes/axes.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

// Calls add(first, size) for every piece of an axis of size `dim`.
template <typename F>
absl::Status ForEachPiece(const KernelContext& ctx, int64_t dim, const F& add) {
  int64_t size = 1;
  if (ctx.HasInput(1)) {
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> split, ctx.IntsInput(1));
    if (ctx.Input(1).rank() > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("split has rank ", ctx.Input(1).rank(), ", not 0 or 1"));
    }
    if (ctx.Input(1).rank() == 1) {
      int64_t first = 0;
      for (const int64_t piece : split) {
        if (piece < 0 || piece > dim - first) {
          return absl::InvalidArgumentError(absl::StrCat("cannot take a piece of ", piece,
                                                         " from the ", dim - first,
                                                         " entries that are left"));
        }
        add(first, piece);
        first += piece;
      }
      if (first == dim) return absl::OkStatus();
      return absl::InvalidArgumentError(
          absl::StrCat("the pieces have ", first, " entries in all, the axis has ", dim));
    }
    size = split[0];
    if (size <= 0) {
      return absl::InvalidArgumentError(absl::StrCat("split is ", size, ", not positive"));
    }
  }
  // A tensor without elements can have an axis of any size, but not any number of pieces.
  constexpr int64_t kElementsPerPiece = 16;
  OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kComplex128, {dim / size + 1, kElementsPerPiece}));
  for (int64_t first = 0; first < dim; first += std::min(size, dim - first)) {
    add(first, std::min(size, dim - first));
  }
  return absl::OkStatus();
}

// SplitToSequence (ai.onnx 11, 24): the input cut along `axis` into views: of the sizes that
// `split` lists, or of the one size that a scalar `split` is (the last may be smaller), or of size
// 1; only in the last case keepdims = 0 removes the axis.
Kernel SplitToSequence(const KernelInit& node) {
  const int64_t attribute = node.Int("axis");
  const bool squeeze = node.Int("keepdims") == 0 && !node.HasInput(1);
  return [attribute, squeeze](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(attribute, x.rank()));
    Sequence sequence = {.element_dtype = x.dtype(), .elements = {}};
    OC_RETURN_IF_ERROR(ForEachPiece(ctx, x.dim(axis), [&](int64_t first, int64_t size) {
      Tensor piece = Narrowed(x, axis, first, size);
      if (squeeze) {
        Shape shape = piece.shape();
        Shape strides = piece.strides();
        shape.erase(shape.begin() + axis);
        strides.erase(strides.begin() + axis);
        piece = WithShape(piece, shape, strides);
      }
      sequence.elements.emplace_back(std::move(piece));
    }));
    return ctx.SetOutput(0, std::move(sequence));
  };
}

}  // namespace

void RegisterSplitToSequence(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "SplitToSequence", {11, 24}, SplitToSequence);
}

}  // namespace onnxcmp
