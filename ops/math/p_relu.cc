#include <cstdint>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/functions/if_negative.h"

namespace onnxcmp {
namespace {

// `slope` as a view that stretches to the shape of X.
absl::StatusOr<Tensor> AlignSlope(const Tensor& x, const Tensor& slope, bool per_channel) {
  if (!per_channel) {
    OC_RETURN_IF_ERROR(CheckBroadcastsTo(slope.shape(), x.shape()));
    return slope;
  }
  if (slope.num_elements() == 1) {
    return slope.Strided({}, {}, slope.offset());
  }
  if (slope.rank() != 1 || x.rank() < 2 || slope.dim(0) != x.dim(1)) {
    return absl::InvalidArgumentError(absl::StrCat("slope is ", slope.TypeString(),
                                                   ", not one element or one for each channel of ",
                                                   x.TypeString()));
  }
  Shape shape(static_cast<size_t>(x.rank() - 1), 1);
  Shape strides(shape.size(), 0);
  shape[0] = slope.dim(0);
  strides[0] = slope.strides()[0];
  return slope.Strided(shape, strides, slope.offset());
}

// PRelu (ai.onnx 1, 6, 7, 9, 16): Y = X for X >= 0, else slope * X. Before 7 slope has one element,
// or one for each channel (dimension 1 of X); afterwards it broadcasts to X. Integers wrap around.
Kernel PRelu(const KernelInit& node) {
  const bool per_channel = node.version() < 7;
  return [=](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    OC_ASSIGN_OR_RETURN(const Tensor slope, AlignSlope(x, ctx.Input(1), per_channel));
    return EmitBinary<Numbers>(ctx, x, slope, [](auto v, auto s) {
      using T = typename decltype(v)::Scalar;
      if constexpr (std::is_floating_point_v<T>) {
        return IfNegative(v, v * s);
      } else {
        return v.binaryExpr(s, [](T a, T b) {
          return a < 0 ? static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)) : a;
        });
      }
    });
  };
}

}  // namespace

void RegisterPRelu(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "PRelu", AllVersions(1, 16), PRelu);
}

}  // namespace onnxcmp
