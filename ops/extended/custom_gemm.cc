#include <array>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/products/matmul.h"
#include "ops/extended/domains.h"

namespace onnxcmp {
namespace {

enum InputIndex { kA, kB, kC, kScaleA, kScaleB, kScaleY };

struct Options {
  float alpha = 1;
  float beta = 0;
  bool transpose_a = false;
  bool transpose_b = false;
};

// A matrix in C, times its scale if it has one, transposed if asked.
template <typename C>
absl::StatusOr<Tensor> Factor(const KernelContext& ctx, int index, int scale, bool transpose) {
  const Tensor& given = ctx.Input(index);
  if (given.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", index, " must be a matrix, it is ", given.TypeString()));
  }
  OC_ASSIGN_OR_RETURN(Tensor x, LoadTensor<C>(ctx, given));
  if (ctx.HasInput(scale)) {
    OC_ASSIGN_OR_RETURN(const C factor, ctx.ScalarInput<C>(scale));
    OC_ASSIGN_OR_RETURN(x, Elementwise(Classes<C>{}, ctx, std::array<const Tensor*, 1>{&x},
                                       kDTypeOf<C>, [factor](auto v) { return v * factor; }));
  }
  if (!transpose) return x;
  return x.Strided({x.dim(1), x.dim(0)}, {x.strides()[1], x.strides()[0]}, x.offset());
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  if (ctx.HasInput(kScaleY)) {
    OC_ASSIGN_OR_RETURN(const C scale, ctx.ScalarInput<C>(kScaleY));
    if (scale != 1) return absl::UnimplementedError("a scale of Y other than 1");
  }
  OC_ASSIGN_OR_RETURN(const Tensor a, Factor<C>(ctx, kA, kScaleA, options.transpose_a));
  OC_ASSIGN_OR_RETURN(const Tensor b, Factor<C>(ctx, kB, kScaleB, options.transpose_b));
  OC_ASSIGN_OR_RETURN(Tensor y, MatMulTensors(ctx, a, b, options.alpha));
  if (options.beta != 0 && ctx.HasInput(kC)) {
    if (ctx.Input(kC).shape() != y.shape()) {
      return absl::InvalidArgumentError(absl::StrCat("C is ", ctx.Input(kC).TypeString(),
                                                     ", the product has shape [",
                                                     ShapeToString(y.shape()), "]"));
    }
    OC_ASSIGN_OR_RETURN(const Tensor c, LoadTensor<C>(ctx, ctx.Input(kC)));
    const C beta = static_cast<C>(options.beta);
    OC_ASSIGN_OR_RETURN(
        y, Elementwise(Classes<C>{}, ctx, std::array<const Tensor*, 2>{&y, &c}, kDTypeOf<C>,
                       [beta](auto p, auto v) { return p + v * beta; }));
  } else {
    ctx.IgnoreInput(kC);
  }
  const DType a_type = ctx.Input(kA).dtype();
  OC_ASSIGN_OR_RETURN(
      y, StoreTensor<C>(ctx, y, a_type == DType::kFloat8E4M3FN ? kDTypeOf<C> : a_type));
  return ctx.SetOutput(0, std::move(y));
}

// CustomGemmFloat, CustomGemmFloat16, CustomGemmFloat8E4M3FN (onnx_extended.ortops.tutorial.cpu and
// .cuda 1): Y = alpha * A' * B' + beta * C, where X' is X or its transpose; A and B are multiplied
// by their scales first, and Y is float if they are float8. computeType, smCount and
// fastAccumulationMode say how a GPU does it. Not supported: column-major matrices, activations
// (which the CPU kernel ignores), a scale of Y.
absl::StatusOr<Kernel> CustomGemm(const KernelInit& node) {
  for (const char* hint : {"smCount", "fastAccumulationMode"}) node.Ignore(hint);
  if (const std::string type = node.String("computeType");
      !absl::StartsWith(type, "CUBLAS_COMPUTE_")) {
    return absl::InvalidArgumentError(
        absl::StrCat("computeType \"", type, "\" is none of cuBLAS's"));
  }
  if (node.Int("rowMajor") != 1) {
    return absl::UnimplementedError("rowMajor must be 1");
  }
  // Sic: the kernels' own name of no activation.
  if (const std::string activation = node.String("activation"); activation != "DEFUALT") {
    return absl::UnimplementedError(absl::StrCat("the activation \"", activation, "\""));
  }
  const Options options = {.alpha = node.Float("alpha"),
                           .beta = node.Float("beta"),
                           .transpose_a = node.Flag("transA"),
                           .transpose_b = node.Flag("transB")};
  return FloatKernel(kA,
                     [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

// MaXMatMulFloat (onnx_extended.ortops.tutorial.cuda 1): the product of two matrices.
absl::Status MaXMatMulFloat(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(Tensor y, MatMulTensors(ctx, ctx.Input(0), ctx.Input(1)));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

void RegisterExtendedCustomGemm(OpRegistry& registry) {
  for (absl::string_view domain : {kTutorialCpuDomain, kTutorialCudaDomain}) {
    registry.Add(domain, "CustomGemmFloat", {1}, CustomGemm);
    registry.Add(domain, "CustomGemmFloat16", {1}, CustomGemm);
    registry.Add(domain, "CustomGemmFloat8E4M3FN", {1}, CustomGemm);
  }
  registry.Add(kTutorialCudaDomain, "MaXMatMulFloat", {1}, MaXMatMulFloat);
}

}  // namespace onnxcmp
