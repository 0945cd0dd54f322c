#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/activation.h"
#include "ops/common/products/matmul.h"
#include "ops/common/quantized/quantization.h"

namespace onnxcmp {
namespace {

struct Options {
  float alpha = 1;
  float beta = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  Activation activation;
  DType output = DType::kFloat;
};

Tensor Transposed(const Tensor& x) {
  return x.Strided({x.dim(1), x.dim(0)}, {x.strides()[1], x.strides()[0]}, x.offset());
}

// Input `index` as a matrix of C.
template <typename C>
absl::StatusOr<Tensor> Factor(const KernelContext& ctx, int index, bool transpose) {
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(index)));
  if (x.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", index, " is ", ctx.Input(index).TypeString(), ", not a matrix"));
  }
  return transpose ? Transposed(x) : x;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options, DType output) {
  OC_ASSIGN_OR_RETURN(const Tensor a, Factor<C>(ctx, 0, options.transpose_a));
  OC_ASSIGN_OR_RETURN(const Tensor b, Factor<C>(ctx, 1, options.transpose_b));
  C alpha = static_cast<C>(options.alpha);
  C scale_y = 1;
  for (int i = 3; i < 5; ++i) {
    if (!ctx.HasInput(i)) continue;
    OC_ASSIGN_OR_RETURN(const C scale, ctx.ScalarInput<C>(i));
    alpha *= scale;
  }
  if (ctx.HasInput(5)) {
    OC_ASSIGN_OR_RETURN(scale_y, ctx.ScalarInput<C>(5));
  }
  OC_ASSIGN_OR_RETURN(Tensor y, MatMulTensors(ctx, a, b));
  Tensor c;
  if (ctx.HasInput(2)) {
    OC_ASSIGN_OR_RETURN(c, LoadTensor<C>(ctx, ctx.Input(2)));
    if (c.shape() != y.shape()) {
      return absl::InvalidArgumentError(
          absl::StrCat("C is ", c.TypeString(), ", but the product ", y.TypeString()));
    }
  }
  const C beta = static_cast<C>(options.beta);
  C* data = y.template mutable_data<C>();
  ctx.pool().ParallelRanges(y.num_elements(), 8192, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      data[i] *= alpha;
      // With beta 0 the values of C do not count, not even NaN.
      if (c.defined() && beta != 0) data[i] += beta * c.data<C>()[i];
    }
    options.activation.Apply(data + begin, end - begin);
    for (int64_t i = begin; i < end; ++i) data[i] *= scale_y;
  });
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, output, Overflow::kSaturate));
  return ctx.SetOutput(0, std::move(y));
}

// GemmFloat8 (com.microsoft 1), for float8 and wider floats:
//   Y = scaleY * activation(alpha * scaleA * scaleB * A' * B' + beta * C)
// The scales are where cuBLASLt applies them, which is the only implementation; GELU is its tanh
// form, as there. Computed in float and rounded once, to the type `dtype`; float8 saturates.
absl::StatusOr<Kernel> GemmFloat8(const KernelInit& node) {
  Options options = {node.Float("alpha"), node.Float("beta"), node.Flag("transA"),
                     node.Flag("transB"), Activation(),       DType::kFloat};
  const std::string activation = node.String("activation", "NONE");
  if (activation == "RELU") {
    options.activation = Activation::Relu();
  } else if (activation == "GELU") {
    options.activation = Activation::FastGelu();
  } else if (activation != "NONE") {
    return absl::InvalidArgumentError(
        absl::StrCat("activation \"", activation, "\" is none of RELU, GELU and NONE"));
  }
  OC_ASSIGN_OR_RETURN(options.output, DTypeFromNumber(node.Int("dtype")));
  switch (options.output) {
    case DType::kFloat:
    case DType::kFloat16:
    case DType::kBfloat16:
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E5M2:
      break;
    default:
      return absl::InvalidArgumentError(
          absl::StrCat("dtype is ", DTypeName(options.output), ", which Y cannot be"));
  }
  return [options](KernelContext& ctx) {
    const bool wide =
        ctx.Input(0).dtype() == DType::kDouble || ctx.Input(1).dtype() == DType::kDouble;
    return wide ? Run<double>(ctx, options, DType::kDouble)
                : Run<float>(ctx, options, options.output);
  };
}

}  // namespace

void RegisterContribGemmFloat8(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GemmFloat8", {1}, GemmFloat8);
}

}  // namespace onnxcmp
