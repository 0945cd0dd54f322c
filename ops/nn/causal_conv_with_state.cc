#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernel.h"
#include "evaluator/op_registry.h"
#include "ops/common/load_store.h"
#include "ops/common/vector_math.h"

namespace onnxcmp {
namespace {

enum InputIndex { kInput, kWeight, kBias, kPastState };

absl::Status CheckShapes(const KernelContext& ctx) {
  const Tensor& x = ctx.Input(kInput);
  const Tensor& w = ctx.Input(kWeight);
  if (x.rank() != 3 || w.rank() != 3 || w.dim(0) != x.dim(1) || w.dim(1) != 1 || w.dim(2) < 1) {
    return absl::InvalidArgumentError(absl::StrCat("input ", x.TypeString(), " and weight ",
                                                   w.TypeString(), " are not (N, C, L) and ",
                                                   "(C, 1, K)"));
  }
  if (ctx.HasInput(kBias) && ctx.Input(kBias).shape() != Shape{x.dim(1)}) {
    return absl::InvalidArgumentError(absl::StrCat("bias ", ctx.Input(kBias).TypeString(),
                                                   " does not fit ", x.dim(1), " channels"));
  }
  const Shape state = {x.dim(0), x.dim(1), w.dim(2) - 1};
  if (ctx.HasInput(kPastState) && ctx.Input(kPastState).shape() != state) {
    return absl::InvalidArgumentError(absl::StrCat("past_state has shape [",
                                                   ShapeToString(ctx.Input(kPastState).shape()),
                                                   "], not [", ShapeToString(state), "]"));
  }
  return absl::OkStatus();
}

// CausalConvWithState (ai.onnx 27), for every channel c, with x' = past_state (or K - 1 zeros) and
// the input behind each other:
//   output[t] = f(sum over j < K of weight[c, 0, j] * x'[t + j] + bias[c])
// f is the identity, or silu (swish): y * sigmoid(y). present_state: the last K - 1 of x'. Narrow
// floats are computed in float and rounded once.
Kernel CausalConvWithState(const KernelInit& node) {
  const std::string activation = node.String("activation");
  const bool silu = activation == "silu" || activation == "swish";
  if (!silu && activation != "none") {
    return node.Fail(absl::InvalidArgumentError(
        absl::StrCat("activation \"", activation, "\" is none of silu, swish and none")));
  }
  return [silu](KernelContext& ctx) -> absl::Status {
    OC_RETURN_IF_ERROR(CheckShapes(ctx));
    OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<float>(ctx, ctx.Input(kInput)));
    OC_ASSIGN_OR_RETURN(const Tensor w, LoadTensor<float>(ctx, ctx.Input(kWeight)));
    Tensor bias;
    Tensor past;
    if (ctx.HasInput(kBias)) {
      OC_ASSIGN_OR_RETURN(bias, LoadTensor<float>(ctx, ctx.Input(kBias)));
    }
    if (ctx.HasInput(kPastState)) {
      OC_ASSIGN_OR_RETURN(past, LoadTensor<float>(ctx, ctx.Input(kPastState)));
    }
    const int64_t channels = x.dim(1);
    const int64_t length = x.dim(2);
    const int64_t taps = w.dim(2);
    const int64_t kept = taps - 1;
    OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(DType::kFloat, x.shape()));
    OC_ASSIGN_OR_RETURN(Tensor state, ctx.Allocate(DType::kFloat, {x.dim(0), channels, kept}));
    float* outs = out.mutable_data<float>();
    float* states = state.mutable_data<float>();
    // Without elements there may be any number of rows.
    const bool empty = out.num_elements() == 0 && state.num_elements() == 0;
    ctx.pool().ParallelFor(empty ? 0 : x.dim(0) * channels, [&](int64_t lane) {
      std::vector<float> row(static_cast<size_t>(kept + length), 0.0f);
      if (past.defined()) std::copy_n(past.data<float>() + lane * kept, kept, row.data());
      std::copy_n(x.data<float>() + lane * length, length, row.data() + kept);
      std::copy_n(row.data() + length, kept, states + lane * kept);
      const int64_t channel = lane % channels;
      const float* weights = w.data<float>() + channel * taps;
      Eigen::Map<Eigen::ArrayXf> y(outs + lane * length, length);
      y.setZero();
      for (int64_t j = 0; j < taps; ++j) {
        y += weights[j] * Eigen::Map<const Eigen::ArrayXf>(row.data() + j, length);
      }
      if (bias.defined()) y += bias.data<float>()[channel];
      if (silu) {
        vec::Sigmoid(y.data(), length, row.data());
        y *= Eigen::Map<const Eigen::ArrayXf>(row.data(), length);
      }
    });
    const DType dtype = ctx.Input(kInput).dtype();
    OC_ASSIGN_OR_RETURN(Tensor y, StoreTensor<float>(ctx, out, dtype));
    OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(y)));
    OC_ASSIGN_OR_RETURN(Tensor present, StoreTensor<float>(ctx, state, dtype));
    return ctx.SetOutput(1, std::move(present));
  };
}

}  // namespace

void RegisterCausalConvWithState(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "CausalConvWithState", {27}, CausalConvWithState);
}

}  // namespace onnxcmp
