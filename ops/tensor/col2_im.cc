#include <algorithm>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/convolution/add_windows.h"
#include "ops/common/elements/compute_class.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Add(KernelContext& ctx, const Windows& windows, int64_t planes, const Shape& shape) {
  OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), shape));
  OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kComplex128, x.shape()));
  OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kComplex128, shape));
  if (y.num_elements() > 0) {
    std::vector<C> columns(static_cast<size_t>(x.num_elements()));
    std::vector<C> image(static_cast<size_t>(y.num_elements()));
    LoadElements(x.dtype(), x.raw_data(), 0, x.num_elements(), columns.data());
    AddWindows(ctx.pool(), windows, planes, columns.data(), image.data(),
               [](int64_t) { return C{}; });
    StoreElements(x.dtype(), image.data(), y.num_elements(), y.mutable_raw_data(), 0);
  }
  return ctx.SetOutput(0, std::move(y));
}

// Col2Im (ai.onnx 18): input (N x C * |block_shape| x L) holds the L blocks of an image of
// image_shape, row by row; they are added up where they overlap, and what lies in the padding is
// dropped. Integers wrap, booleans are or-ed.
absl::StatusOr<Kernel> Col2Im(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const WindowAttributes attributes, WindowAttributes::FromNode(node));
  return [attributes](KernelContext& ctx) -> absl::Status {
    const Tensor& input = ctx.Input(0);
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> image, ctx.IntsInput(1));
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> block, ctx.IntsInput(2));
    if (image.empty() || image.size() != block.size() || !NumElements(image).has_value()) {
      return absl::InvalidArgumentError(absl::StrCat("image_shape (", absl::StrJoin(image, ", "),
                                                     ") and block_shape (",
                                                     absl::StrJoin(block, ", "), ") do not fit"));
    }
    OC_ASSIGN_OR_RETURN(const Windows windows, attributes.Resolve(image, block));
    const int64_t taps = NumTaps(windows);
    if (input.rank() != 3 || input.dim(1) % taps != 0 || input.dim(2) != NumOutputs(windows)) {
      return absl::InvalidArgumentError(absl::StrCat("input is ", input.TypeString(),
                                                     ", but there are ", NumOutputs(windows),
                                                     " blocks of ", taps, " elements"));
    }
    Shape shape = {input.dim(0), input.dim(1) / taps};
    shape.insert(shape.end(), image.begin(), image.end());
    const int64_t planes = shape[0] * shape[1];
    if (input.dtype() == DType::kBool) return Add<uint64_t>(ctx, windows, planes, shape);
    using Addable = Classes<float, double, uint64_t, std::complex<double>>;
    return Dispatch<Addable>(input.dtype(),
                             [&]<typename C>() { return Add<C>(ctx, windows, planes, shape); });
  };
}

}  // namespace

void RegisterCol2Im(OpRegistry& registry) { registry.Add(kOnnxDomain, "Col2Im", {18}, Col2Im); }

}  // namespace onnxcmp
