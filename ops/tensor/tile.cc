#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

absl::StatusOr<Tensor> Tiled(const KernelContext& ctx, const Tensor& x,
                             absl::Span<const int64_t> repeats) {
  if (repeats.size() != x.shape().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(repeats.size(), " repeats are given for rank ", x.rank()));
  }
  Shape shape = x.shape();
  // The result as (repeats[0], dim 0, repeats[1], dim 1, ...), which x's elements stretch to.
  Shape split;
  Shape strides;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (repeats[i] < 0 || __builtin_mul_overflow(shape[i], repeats[i], &shape[i])) {
      return absl::InvalidArgumentError(absl::StrCat("cannot repeat axis ", i, " of size ",
                                                     x.shape()[i], ", ", repeats[i], " times"));
    }
    split.insert(split.end(), {repeats[i], x.shape()[i]});
    strides.insert(strides.end(), {0, x.strides()[i]});
  }
  OC_RETURN_IF_ERROR(ctx.CheckSize(x.dtype(), shape));
  if (NumElements(shape) == 0) return ctx.Allocate(x.dtype(), shape);
  OC_ASSIGN_OR_RETURN(const Tensor result, ctx.Contiguous(x.Strided(split, strides, x.offset())));
  return result.Reshaped(shape);
}

// A whole number in a tensor of floats.
absl::StatusOr<int64_t> WholeNumber(const KernelContext& ctx, int index) {
  OC_ASSIGN_OR_RETURN(const double value, ctx.ScalarInput<double>(index));
  if (!(std::abs(value) <= 0x1p53 && value == std::floor(value))) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", index, " is ", value, ", no whole number"));
  }
  return static_cast<int64_t>(value);
}

// Tile (ai.onnx 6, 13): the input, repeats[i] times along axis i.
absl::Status Tile(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> repeats, ctx.IntsInput(1));
  OC_ASSIGN_OR_RETURN(Tensor result, Tiled(ctx, ctx.Input(0), repeats));
  return ctx.SetOutput(0, std::move(result));
}

// Tile (ai.onnx 1): the input, `tiles` times along `axis`; both are inputs of the input's type.
absl::Status TileAlongAxis(KernelContext& ctx) {
  const Tensor& x = ctx.Input(0);
  OC_ASSIGN_OR_RETURN(const int64_t tiles, WholeNumber(ctx, 1));
  OC_ASSIGN_OR_RETURN(const int64_t given, WholeNumber(ctx, 2));
  OC_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(given, x.rank()));
  std::vector<int64_t> repeats(x.shape().size(), 1);
  repeats[static_cast<size_t>(axis)] = tiles;
  OC_ASSIGN_OR_RETURN(Tensor result, Tiled(ctx, x, repeats));
  return ctx.SetOutput(0, std::move(result));
}

}  // namespace

void RegisterTile(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Tile", {6, 13}, Tile);
  registry.Add(kOnnxDomain, "Tile", {1}, TileAlongAxis);
}

}  // namespace onnxcmp
