#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernels/kernel.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/views.h"
#include "ops/extended/domains.h"

namespace onnxcmp {
namespace {

// Rotary (onnx_extended.ortops.optim.cuda 1): the halves of the last axis exchanged, one of them
// negated: (-second, first) for side "right", (second, -first) for "left". `splits` are the sizes
// of the two halves, which must be the same.
absl::StatusOr<Kernel> Rotary(const KernelInit& node) {
  const std::string side = node.String("side");
  if (side != "left" && side != "right") {
    return absl::InvalidArgumentError(
        absl::StrCat("side must be \"left\" or \"right\", it is \"", side, "\""));
  }
  return [negate_second = side == "right"](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    const int64_t size = x.rank() == 0 ? 1 : x.shape().back();
    if (size % 2 != 0) {
      return absl::InvalidArgumentError(absl::StrCat(x.TypeString(), " has no two halves"));
    }
    const int64_t half = size / 2;
    if (ctx.HasInput(1)) {
      OC_ASSIGN_OR_RETURN(const std::vector<int64_t> splits, ctx.IntsInput(1));
      if (splits != std::vector<int64_t>{half, half}) {
        return absl::InvalidArgumentError(absl::StrCat("splits are (", absl::StrJoin(splits, ", "),
                                                       "), not the two halves of ",
                                                       x.TypeString()));
      }
    }
    const int axis = x.rank() - 1;
    const Tensor first = Narrowed(x, axis, 0, half);
    const Tensor second = Narrowed(x, axis, half, half);
    OC_ASSIGN_OR_RETURN(
        const Tensor negated,
        Elementwise(Floats{}, ctx, std::array<const Tensor*, 1>{negate_second ? &second : &first},
                    x.dtype(), [](auto v) { return v * typename decltype(v)::Scalar{-1}; }));
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(x.dtype(), x.shape()));
    const Shape strides = y.strides();
    CopyIntoBlock(negate_second ? negated : second, strides, 0, ctx.pool(), &y);
    CopyIntoBlock(negate_second ? first : negated, strides, half, ctx.pool(), &y);
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterExtendedRotary(OpRegistry& registry) { AddFusedKernel(registry, "Rotary", Rotary); }

}  // namespace onnxcmp
