#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/activation.h"
#include "ops/common/products/gemm_family.h"
#include "ops/common/products/matmul.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/reduction/softmax.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {

struct FactorOptions {
  bool batch = false;   // the first axis moves to before the last
  bool matrix = false;  // then the last two are swapped
};

struct ProductOptions {
  float alpha = 1;
  FactorOptions a;
  FactorOptions b;
};

ProductOptions ReadOptions(const KernelInit& node) {
  return {node.Float("alpha"),
          {node.Flag("transBatchA"), node.Flag("transA")},
          {node.Flag("transBatchB"), node.Flag("transB")}};
}

// The view of a factor that is multiplied. A vector has no axes to swap.
absl::StatusOr<Tensor> Transposed(const Tensor& x, const FactorOptions& options) {
  if (options.batch && x.rank() < 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("transBatchA and transBatchB need batches, but a factor is ", x.TypeString()));
  }
  if (x.rank() < 2) return x;
  Shape shape = x.shape();
  Shape strides = x.strides();
  const auto last = shape.size() - 1;
  if (options.batch) {
    std::rotate(shape.begin(), shape.begin() + 1, shape.end() - 1);
    std::rotate(strides.begin(), strides.begin() + 1, strides.end() - 1);
  }
  if (options.matrix) {
    std::swap(shape[last], shape[last - 1]);
    std::swap(strides[last], strides[last - 1]);
  }
  return x.Strided(shape, strides, x.offset());
}

absl::StatusOr<Tensor> Product(const KernelContext& ctx, const ProductOptions& options,
                               const Tensor& a, const Tensor& b) {
  OC_ASSIGN_OR_RETURN(const Tensor left, Transposed(a, options.a));
  OC_ASSIGN_OR_RETURN(const Tensor right, Transposed(b, options.b));
  return MatMulTensors(ctx, left, right, options.alpha);
}

Kernel ProductKernel(const ProductOptions& options) {
  return [options](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor y, Product(ctx, options, ctx.Input(0), ctx.Input(1)));
    return ctx.SetOutput(0, std::move(y));
  };
}

// FusedMatMul (com.microsoft 1): Y = alpha * matmul(A', B'). transA and transB swap the last two
// axes; transBatchA and transBatchB move the first axis to before the last one first.
Kernel FusedMatMul(const KernelInit& node) { return ProductKernel(ReadOptions(node)); }

// TransposeMatMul (com.microsoft 1): FusedMatMul before it knew transBatchA and transBatchB.
Kernel TransposeMatMul(const KernelInit& node) {
  return ProductKernel(
      {node.Float("alpha"), {.matrix = node.Flag("transA")}, {.matrix = node.Flag("transB")}});
}

// y = f(y), rounded once.
template <typename C>
absl::StatusOr<Tensor> Activate(const KernelContext& ctx, const Activation& activation,
                                const Tensor& y) {
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(kDTypeOf<C>, y.shape()));
  C* to = result.template mutable_data<C>();
  ctx.pool().ParallelRanges(y.num_elements(), 8192, [&](int64_t begin, int64_t end) {
    std::copy(y.data<C>() + begin, y.data<C>() + end, to + begin);
    activation.Apply(to + begin, end - begin);
  });
  return result;
}

template <typename C>
absl::StatusOr<Tensor> SoftmaxAlong(const KernelContext& ctx, int64_t axis, const Tensor& y) {
  OC_ASSIGN_OR_RETURN(const int along, NormalizeAxis(axis, y.rank()));
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(kDTypeOf<C>, y.shape()));
  const LaneShape lanes = LanesAlong(y.shape(), along);
  if (y.num_elements() == 0) return result;
  TransformLanes<C>(ctx.pool(), y, lanes, result,
                    [&](int64_t, const C* from, C* to) { SoftmaxLane(from, lanes.length, to); });
  return result;
}

// FusedMatMulActivation (com.microsoft 1): f(FusedMatMul(A, B)). f is Softmax along
// activation_axis (the last one by default), which is what onnxruntime's optimizer writes, or one
// of the activations of FusedGemm. Narrow floats are rounded once, after f.
absl::StatusOr<Kernel> FusedMatMulActivation(const KernelInit& node) {
  const ProductOptions options = ReadOptions(node);
  const std::string name = node.String("activation");
  const bool softmax = name == "Softmax";
  const int64_t axis = softmax ? node.Int("activation_axis", -1) : 0;
  OC_ASSIGN_OR_RETURN(const Activation activation,
                      softmax ? Activation() : ReadActivation(node, name));
  return [options, softmax, axis, activation](KernelContext& ctx) -> absl::Status {
    const DType dtype = ctx.Input(0).dtype();
    return DispatchFloat(dtype, [&]<typename C>() -> absl::Status {
      OC_ASSIGN_OR_RETURN(const Tensor a, LoadStridedTensor<C>(ctx, ctx.Input(0)));
      OC_ASSIGN_OR_RETURN(const Tensor b, LoadStridedTensor<C>(ctx, ctx.Input(1)));
      OC_ASSIGN_OR_RETURN(Tensor y, Product(ctx, options, a, b));
      OC_ASSIGN_OR_RETURN(
          y, softmax ? SoftmaxAlong<C>(ctx, axis, y) : Activate<C>(ctx, activation, y));
      OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
      return ctx.SetOutput(0, std::move(y));
    });
  };
}

}  // namespace

void RegisterContribFusedMatMul(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "FusedMatMul", {1}, FusedMatMul);
  registry.Add(kMicrosoftDomain, "TransposeMatMul", {1}, TransposeMatMul);
  registry.Add(kMicrosoftDomain, "FusedMatMulActivation", {1}, FusedMatMulActivation);
}

}  // namespace onnxcmp
