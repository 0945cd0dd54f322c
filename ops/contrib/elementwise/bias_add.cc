#include <array>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/contrib/elementwise/bias.h"

namespace onnxcmp {
namespace {

// BiasAdd (com.microsoft 1): Y = X + bias + skip, X and skip (N, S, C), bias (C). Narrow floats are
// added in float and rounded once.
absl::Status BiasAdd(KernelContext& ctx) {
  const Tensor& x = ctx.Input(0);
  const Tensor& skip = ctx.Input(2);
  if (x.rank() != 3) {
    return absl::InvalidArgumentError(absl::StrCat("X has rank ", x.rank(), ", not 3"));
  }
  OC_RETURN_IF_ERROR(CheckBias(x, ctx.Input(1)));
  if (skip.shape() != x.shape()) {
    return absl::InvalidArgumentError(absl::StrCat("skip is [", ShapeToString(skip.shape()),
                                                   "], but X [", ShapeToString(x.shape()), "]"));
  }
  OC_ASSIGN_OR_RETURN(Tensor y,
                      (Elementwise<Floats, 3>(Floats(), ctx, {&x, &ctx.Input(1), &skip}, x.dtype(),
                                              [](auto a, auto b, auto c) { return a + b + c; })));
  return ctx.SetOutput(0, std::move(y));
}

}  // namespace

void RegisterContribBiasAdd(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BiasAdd", {1}, BiasAdd);
}

}  // namespace onnxcmp
