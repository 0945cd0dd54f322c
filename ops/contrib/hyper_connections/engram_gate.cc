#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/normalization/layer_norm.h"
#include "ops/common/reduction/lanes.h"
#include "ops/common/shapes/check_shape.h"

namespace onnxcmp {
namespace {

enum InputIndex { kKey, kQuery, kValue, kKeyScale, kQueryScale, kConvScale };

template <typename C>
absl::StatusOr<Tensor> LoadShaped(const KernelContext& ctx, int index, const Shape& shape) {
  OC_RETURN_IF_ERROR(CheckShape(absl::StrCat("input ", index), ctx.Input(index), shape));
  return LoadTensor<C>(ctx, ctx.Input(index));
}

// Sigmoid(sign(dot) * sqrt(max(|dot|, 1e-6))); 0.5 for 0.
template <typename C>
C GateOf(C dot) {
  const C root = std::sqrt(std::max(std::abs(dot), static_cast<C>(1e-6f)));
  C gate = dot > 0 ? root : dot < 0 ? -root : dot;
  vec::Sigmoid(&gate, 1, &gate);
  return gate;
}

template <typename C>
absl::Status Run(KernelContext& ctx, C epsilon) {
  using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  const Shape shape = ctx.Input(kKey).shape();
  if (shape.size() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("key has rank ", shape.size(), ", not 4"));
  }
  const int64_t connections = shape[2];
  const int64_t hidden = shape[3];
  const Shape scale_shape = {connections, hidden};
  OC_ASSIGN_OR_RETURN(const Tensor key, LoadTensor<C>(ctx, ctx.Input(kKey)));
  OC_ASSIGN_OR_RETURN(const Tensor query, LoadShaped<C>(ctx, kQuery, shape));
  OC_ASSIGN_OR_RETURN(const Tensor value, LoadShaped<C>(ctx, kValue, {shape[0], shape[1], hidden}));
  OC_ASSIGN_OR_RETURN(const Tensor key_scale, LoadShaped<C>(ctx, kKeyScale, scale_shape));
  OC_ASSIGN_OR_RETURN(const Tensor query_scale, LoadShaped<C>(ctx, kQueryScale, scale_shape));
  Tensor conv_scale;
  if (ctx.HasInput(kConvScale)) {
    OC_ASSIGN_OR_RETURN(conv_scale, LoadShaped<C>(ctx, kConvScale, scale_shape));
  }
  Tensor outputs[2];  // output, gated_value_normed
  OC_ASSIGN_OR_RETURN(outputs[0], ctx.Allocate(kDTypeOf<C>, shape));
  C* gated = outputs[0].mutable_data<C>();
  C* normed = nullptr;
  if (ctx.HasOutput(1)) {
    if (!conv_scale.defined()) {
      return absl::InvalidArgumentError("gated_value_normed needs the input conv_norm_scale");
    }
    OC_ASSIGN_OR_RETURN(outputs[1], ctx.Allocate(kDTypeOf<C>, shape));
    normed = outputs[1].mutable_data<C>();
  }

  const int64_t rows = hidden == 0 ? 0 : key.num_elements() / hidden;
  const auto root = std::sqrt(static_cast<C>(hidden));
  ctx.pool().ParallelRanges(rows, LaneGrain(hidden, 8), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t at = row * hidden;
      const int64_t scale_at = row % connections * hidden;
      const C* keys = key.data<C>() + at;
      const C* queries = query.data<C>() + at;
      Row to(gated + at, hidden);
      // The products of the normalized keys and queries, in the place of the result.
      Standardize<C>(keys, hidden, RootMeanSquareOf(keys, hidden, epsilon),
                     key_scale.data<C>() + scale_at, nullptr, to.data());
      to *= ConstRow(queries, hidden) * RootMeanSquareOf(queries, hidden, epsilon).inv_std_dev *
            ConstRow(query_scale.data<C>() + scale_at, hidden);
      const C gate = GateOf<C>(LaneSum<C>(to.data(), hidden) / root);
      to = gate * ConstRow(value.data<C>() + row / connections * hidden, hidden);
      if (normed != nullptr) {
        Standardize<C>(to.data(), hidden, RootMeanSquareOf<C>(to.data(), hidden, epsilon),
                       conv_scale.data<C>() + scale_at, nullptr, normed + at);
      }
    }
  });
  for (int i = 0; i < 2; ++i) {
    if (!outputs[i].defined()) continue;
    OC_ASSIGN_OR_RETURN(outputs[i], StoreTensor<C>(ctx, outputs[i], ctx.Input(kKey).dtype()));
    OC_RETURN_IF_ERROR(ctx.SetOutput(i, std::move(outputs[i])));
  }
  return absl::OkStatus();
}

// EngramGate (com.microsoft 1), for every batch entry, position and hyper-connection:
//   dot = sum(RMSNorm(key) * RMSNorm(query)) / sqrt(hidden size)
//   output = Sigmoid(sign(dot) * sqrt(max(|dot|, 1e-6))) * value
//   gated_value_normed = RMSNorm(output)
// where RMSNorm(x) = x / sqrt(mean(x^2) + epsilon) * scale with the scale of that hyper-connection.
// Narrow floats are computed in float throughout.
Kernel EngramGate(const KernelInit& node) {
  const float epsilon = node.Float("epsilon");
  return FloatKernel(kKey,
                     [epsilon]<typename C>(KernelContext& ctx) { return Run<C>(ctx, epsilon); });
}

}  // namespace

void RegisterContribEngramGate(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "EngramGate", {1}, EngramGate);
}

}  // namespace onnxcmp
