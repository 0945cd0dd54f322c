#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/normalization/layer_norm.h"
#include "ops/common/products/matmul.h"
#include "ops/common/shapes/check_shape.h"
#include "ops/contrib/hyper_connections/branches.h"

namespace onnxcmp {
namespace {

enum InputIndex : int { kStreams, kNormScale, kDown, kUp, kInject, kBlockOutput, kPostGate };
enum OutputIndex : int { kPreOutput, kNextGate, kStreamsOut };

struct Options {
  int64_t num_branches = 0;
  float epsilon = 0, silu_alpha = 1, reduction_scale = 1, gate_div = 1, gate_mul = 1;
};

// The steps of one run, each of whose results is rounded to the type of the streams.
template <typename C>
class LowRankMix {
 public:
  LowRankMix(KernelContext& ctx, const Options& options)
      : ctx_(ctx), options_(options), dtype_(ctx.Input(kStreams).dtype()) {}

  absl::Status Run() {
    OC_ASSIGN_OR_RETURN(branches_, BranchesOf(ctx_.Input(kStreams), options_.num_branches));
    if (branches_.size < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("streams are ", ctx_.Input(kStreams).TypeString(),
                       ", without an element for ", "each of ", branches_.count, " branches"));
    }
    OC_ASSIGN_OR_RETURN(const Tensor streams, Streams());
    OC_ASSIGN_OR_RETURN(const Tensor normalized, Normalized(streams));
    OC_RETURN_IF_ERROR(EmitGate(normalized));
    OC_RETURN_IF_ERROR(EmitPreOutput(normalized));
    OC_ASSIGN_OR_RETURN(Tensor out, StoreTensor<C>(ctx_, streams, dtype_));
    return ctx_.SetOutput(kStreamsOut, out.Reshaped(ctx_.Input(kStreams).shape()));
  }

 private:
  int64_t row() const { return branches_.count * branches_.size; }

  // y[i] = f(i), rounded.
  template <typename F>
  absl::StatusOr<Tensor> Each(const Shape& shape, const F& f) {
    OC_ASSIGN_OR_RETURN(Tensor y, ctx_.Allocate(kDTypeOf<C>, shape));
    C* to = y.template mutable_data<C>();
    ctx_.pool().ParallelRanges(y.num_elements(), 16384, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = f(i);
    });
    return RoundTensor<C>(ctx_, y, dtype_);
  }

  absl::StatusOr<Tensor> Sigmoid(const Tensor& x) {
    OC_ASSIGN_OR_RETURN(Tensor y, ctx_.Allocate(kDTypeOf<C>, x.shape()));
    vec::Sigmoid(x.data<C>(), x.num_elements(), y.template mutable_data<C>());
    return RoundTensor<C>(ctx_, y, dtype_);
  }

  // rows x columns, from rows x inputs.
  absl::StatusOr<Tensor> Product(const Tensor& x, int index, absl::string_view name,
                                 int64_t columns) {
    OC_RETURN_IF_ERROR(CheckShape(name, ctx_.Input(index), {x.dim(1), columns}));
    OC_ASSIGN_OR_RETURN(const Tensor w, LoadTensor<C>(ctx_, ctx_.Input(index)));
    OC_ASSIGN_OR_RETURN(const Tensor y, MatMulTensors(ctx_, x, w));
    return RoundTensor<C>(ctx_, y, dtype_);
  }

  absl::StatusOr<Tensor> Streams() {
    const Shape flat = {branches_.rows, row()};
    OC_ASSIGN_OR_RETURN(const Tensor streams, LoadTensor<C>(ctx_, ctx_.Input(kStreams)));
    if (ctx_.HasInput(kBlockOutput) != ctx_.HasInput(kPostGate)) {
      return absl::InvalidArgumentError(
          "prev_block_output and prev_post_gate come together or not");
    }
    if (!ctx_.HasInput(kBlockOutput)) return streams.Reshaped(flat);
    const int64_t size = branches_.size;
    OC_RETURN_IF_ERROR(
        CheckShape("prev_block_output", ctx_.Input(kBlockOutput), branches_.WithOuter({size})));
    OC_RETURN_IF_ERROR(CheckShape("prev_post_gate", ctx_.Input(kPostGate),
                                  branches_.WithOuter({branches_.count})));
    OC_ASSIGN_OR_RETURN(const Tensor block, LoadTensor<C>(ctx_, ctx_.Input(kBlockOutput)));
    OC_ASSIGN_OR_RETURN(const Tensor gate, LoadTensor<C>(ctx_, ctx_.Input(kPostGate)));
    return Each(flat, [&](int64_t i) {
      return streams.data<C>()[i] +
             gate.data<C>()[i / size] * block.data<C>()[i / row() * size + i % size];
    });
  }

  absl::StatusOr<Tensor> Normalized(const Tensor& streams) {
    OC_RETURN_IF_ERROR(CheckShape("norm_scale", ctx_.Input(kNormScale), {row()}));
    OC_ASSIGN_OR_RETURN(const Tensor scale, LoadTensor<C>(ctx_, ctx_.Input(kNormScale)));
    OC_ASSIGN_OR_RETURN(Tensor y, ctx_.Allocate(kDTypeOf<C>, streams.shape()));
    const int64_t size = branches_.size;
    const LaneShape lanes = {branches_.rows * branches_.count, size, 1};
    TransformLanes<C>(ctx_.pool(), streams, lanes, y, [&](int64_t lane, const C* from, C* to) {
      const auto statistics = RootMeanSquareOf(from, size, static_cast<C>(options_.epsilon));
      Standardize<C>(from, size, statistics, scale.data<C>() + lane % branches_.count * size,
                     nullptr, to);
    });
    return RoundTensor<C>(ctx_, y, dtype_);
  }

  absl::Status EmitGate(const Tensor& normalized) {
    OC_ASSIGN_OR_RETURN(const Tensor inject,
                        Product(normalized, kInject, "inject_weight", branches_.count));
    const C divisor = static_cast<C>(options_.gate_div);
    const C factor = static_cast<C>(options_.gate_mul);
    OC_ASSIGN_OR_RETURN(const Tensor logits, Each(inject.shape(), [&](int64_t i) {
                          return inject.data<C>()[i] / divisor;
                        }));
    OC_ASSIGN_OR_RETURN(const Tensor sigmoid, Sigmoid(logits));
    OC_ASSIGN_OR_RETURN(const Tensor gate, Each(inject.shape(), [&](int64_t i) {
                          return sigmoid.data<C>()[i] * factor;
                        }));
    OC_ASSIGN_OR_RETURN(Tensor out, StoreTensor<C>(ctx_, gate, dtype_));
    return ctx_.SetOutput(kNextGate, out.Reshaped(branches_.WithOuter({branches_.count})));
  }

  absl::Status EmitPreOutput(const Tensor& normalized) {
    const Tensor& weights = ctx_.Input(kDown);
    const int64_t rank = weights.rank() == 2 ? weights.dim(1) : 0;
    OC_ASSIGN_OR_RETURN(const Tensor down, Product(normalized, kDown, "down_weight", rank));
    const C alpha = static_cast<C>(options_.silu_alpha);
    OC_ASSIGN_OR_RETURN(const Tensor scaled,
                        Each(down.shape(), [&](int64_t i) { return alpha * down.data<C>()[i]; }));
    OC_ASSIGN_OR_RETURN(const Tensor sigmoid, Sigmoid(scaled));
    OC_ASSIGN_OR_RETURN(const Tensor hidden, Each(down.shape(), [&](int64_t i) {
                          return scaled.data<C>()[i] * sigmoid.data<C>()[i];
                        }));
    OC_ASSIGN_OR_RETURN(const Tensor up, Product(hidden, kUp, "up_weight", row()));
    OC_ASSIGN_OR_RETURN(const Tensor gates, Sigmoid(up));
    const int64_t size = branches_.size;
    const C scale = static_cast<C>(options_.reduction_scale);
    OC_ASSIGN_OR_RETURN(const Tensor y, Each({branches_.rows, size}, [&](int64_t i) {
                          C sum = 0;
                          for (int64_t c = 0; c < branches_.count; ++c) {
                            const int64_t at = i / size * row() + c * size + i % size;
                            sum += normalized.data<C>()[at] * gates.data<C>()[at];
                          }
                          return scale * sum;
                        }));
    OC_ASSIGN_OR_RETURN(Tensor out, StoreTensor<C>(ctx_, y, dtype_));
    return ctx_.SetOutput(kPreOutput, out.Reshaped(branches_.WithOuter({size})));
  }

  KernelContext& ctx_;
  const Options& options_;
  const DType dtype_;
  Branches branches_;
};

// HyperConnectionLowRankMix (com.microsoft 1), with streams (..., C * H) of num_branches = C:
//   S[c]  = streams[c] + prev_post_gate[c] * prev_block_output, or streams alone: streams_out
//   hn[c] = S[c] / sqrt(mean over H of S[c]^2 + epsilon) * norm_scale[c]
//   z     = silu_alpha * (hn @ down_weight),   g = sigmoid((z * sigmoid(z)) @ up_weight)
//   pre_output = reduction_scale * sum over c of hn[c] * g[c]
//   post_gate  = sigmoid((hn @ inject_weight) / gate_div) * gate_mul
// Every one of these steps is computed in float and rounded to the type of the streams.
absl::StatusOr<Kernel> HyperConnectionLowRankMix(const KernelInit& node) {
  const Options options = {.num_branches = node.Int("num_branches"),
                           .epsilon = node.Float("epsilon"),
                           .silu_alpha = node.Float("silu_alpha"),
                           .reduction_scale = node.Float("reduction_scale"),
                           .gate_div = node.Float("gate_div"),
                           .gate_mul = node.Float("gate_mul")};
  if (options.num_branches < 1 || options.gate_div == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_branches is ", options.num_branches, ", gate_div ", options.gate_div));
  }
  return FloatKernel(kStreams, [options]<typename C>(KernelContext& ctx) {
    return LowRankMix<C>(ctx, options).Run();
  });
}

}  // namespace

void RegisterContribHyperConnectionLowRankMix(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "HyperConnectionLowRankMix", {1}, HyperConnectionLowRankMix);
}

}  // namespace onnxcmp
