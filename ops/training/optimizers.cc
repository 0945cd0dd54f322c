#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/elementwise/elementwise.h"
#include "ops/common/reduction/lanes.h"

namespace onnxcmp {
namespace {

// The optimizers of onnxruntime's training. They write in place there; here the inputs keep their
// values, and the outputs hold the new ones.

// 1 - rate^step, by which an average that began with 0 is too small; 1 before the first step.
double BiasCorrection(float rate, int64_t step) {
  return step > 0 ? 1 - std::pow(double{rate}, static_cast<double>(step)) : 1;
}

absl::StatusOr<bool> UpdateSignal(const KernelContext& ctx, int index) {
  if (!ctx.HasInput(index)) return true;
  return ctx.ScalarInput<bool>(index);
}

// weights - rate * gradients.
absl::StatusOr<Tensor> Descended(const KernelContext& ctx, const Tensor& weights,
                                 const Tensor& gradients, double rate) {
  if (weights.shape() != gradients.shape()) {
    return absl::InvalidArgumentError(
        absl::StrCat("weights are ", weights.TypeString(), ", gradients ", gradients.TypeString()));
  }
  return Elementwise(
      Floats{}, ctx, std::array<const Tensor*, 2>{&weights, &gradients}, weights.dtype(),
      [rate](auto w, auto g) { return w - g * static_cast<typename decltype(w)::Scalar>(rate); });
}

// SGDOptimizer (com.microsoft 1): NG = -ETA * G, NW = W + NG.
absl::Status SGDOptimizer(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const double rate, ctx.ScalarInput<double>(0));
  OC_ASSIGN_OR_RETURN(Tensor weights, Descended(ctx, ctx.Input(1), ctx.Input(2), rate));
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(weights)));
  const Tensor& gradients = ctx.Input(2);
  OC_ASSIGN_OR_RETURN(
      Tensor update,
      Elementwise(Floats{}, ctx, std::array<const Tensor*, 1>{&gradients}, gradients.dtype(),
                  [rate](auto g) { return g * static_cast<typename decltype(g)::Scalar>(-rate); }));
  return ctx.SetOutput(1, std::move(update));
}

absl::StatusOr<std::vector<Tensor>> Tensors(const KernelContext& ctx, int index, size_t count) {
  OC_ASSIGN_OR_RETURN(const Sequence* sequence, ctx.SequenceInput(index));
  if (sequence->elements.size() != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("input ", index, " has ", sequence->elements.size(), " tensors, not ", count));
  }
  std::vector<Tensor> tensors;
  for (const Value& element : sequence->elements) tensors.push_back(element.tensor());
  return tensors;
}

absl::Status EmitSequence(KernelContext& ctx, int output, DType dtype,
                          std::vector<Tensor> tensors) {
  Sequence sequence{.element_dtype = dtype, .elements = {}};
  for (Tensor& tensor : tensors) sequence.elements.emplace_back(std::move(tensor));
  return ctx.SetOutput(output, std::move(sequence));
}

// SGDOptimizerV2 (com.microsoft 1): weights - lr * gradients for every tensor of the sequences,
// unless update_signal is false; and whether that was done.
absl::Status SGDOptimizerV2(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const double rate, ctx.ScalarInput<double>(0));
  OC_ASSIGN_OR_RETURN(const Sequence* sequence, ctx.SequenceInput(1));
  OC_ASSIGN_OR_RETURN(std::vector<Tensor> weights, Tensors(ctx, 1, sequence->elements.size()));
  OC_ASSIGN_OR_RETURN(const std::vector<Tensor> gradients, Tensors(ctx, 2, weights.size()));
  OC_ASSIGN_OR_RETURN(const bool update, UpdateSignal(ctx, 3));
  for (size_t i = 0; update && i < weights.size(); ++i) {
    OC_ASSIGN_OR_RETURN(weights[i], Descended(ctx, weights[i], gradients[i], rate));
  }
  OC_ASSIGN_OR_RETURN(Tensor done, ctx.Allocate(DType::kBool, ctx.Input(0).shape()));
  *done.mutable_data<bool>() = update;
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(done)));
  return EmitSequence(ctx, 1, sequence->element_dtype, std::move(weights));
}

// InplaceClipGradNorm (com.microsoft 1): all gradients times max_norm / (norm + 1e-6), if that is
// below 1, where the norm is that of all their elements together.
absl::StatusOr<Kernel> InplaceClipGradNorm(const KernelInit& node) {
  if (const std::string type = node.String("norm_type"); type != "fro") {
    return absl::UnimplementedError(absl::StrCat("norm_type \"", type, "\""));
  }
  return [max_norm = node.Float("max_norm")](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Sequence* sequence, ctx.SequenceInput(0));
    OC_ASSIGN_OR_RETURN(std::vector<Tensor> gradients, Tensors(ctx, 0, sequence->elements.size()));
    double squares = 0;
    for (const Tensor& gradient : gradients) {
      OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<double>(ctx, gradient));
      squares += LaneSquaredDeviations(x.data<double>(), x.num_elements(), 0.0);
    }
    const double factor = std::min(double{max_norm} / (std::sqrt(squares) + 1e-6), 1.0);
    for (Tensor& gradient : gradients) {
      OC_ASSIGN_OR_RETURN(
          gradient, Elementwise(Floats{}, ctx, std::array<const Tensor*, 1>{&gradient},
                                gradient.dtype(), [factor](auto g) {
                                  return g * static_cast<typename decltype(g)::Scalar>(factor);
                                }));
    }
    return EmitSequence(ctx, 0, sequence->element_dtype, std::move(gradients));
  };
}

struct AdamOptions {
  float alpha, beta, epsilon, decay;
  bool correct_bias;
  int64_t mode;  // 0: as PyTorch's AdamW; 1: as that of Hugging Face's transformers
};

// Weights, first and second moments after one step.
using AdamState = std::array<Tensor, 3>;

// m1 = alpha * m1 + (1 - alpha) * g, m2 = beta * m2 + (1 - beta) * g * g, and
//   mode 0: w = w - rate * decay * w - rate * (m1 / c1) / (sqrt(m2 / c2) + epsilon)
//   mode 1: w = w - rate * sqrt(c2) / c1 * m1 / (sqrt(m2) + epsilon), then w = w - rate * decay * w
// where c1 and c2 correct the moments' bias.
template <typename C>
absl::StatusOr<AdamState> AdamStep(const KernelContext& ctx, const AdamOptions& options,
                                   double rate, int64_t step, const AdamState& state,
                                   const Tensor& gradient) {
  AdamState next;
  for (size_t i = 0; i < state.size(); ++i) {
    if (state[i].shape() != gradient.shape()) {
      return absl::InvalidArgumentError(absl::StrCat("the gradient is ", gradient.TypeString(),
                                                     ", what belongs to it is ",
                                                     state[i].TypeString()));
    }
    OC_ASSIGN_OR_RETURN(next[i], ctx.Allocate(kDTypeOf<C>, gradient.shape()));
  }
  OC_ASSIGN_OR_RETURN(const Tensor g, LoadTensor<C>(ctx, gradient));
  OC_ASSIGN_OR_RETURN(const Tensor w, LoadTensor<C>(ctx, state[0]));
  OC_ASSIGN_OR_RETURN(const Tensor m1, LoadTensor<C>(ctx, state[1]));
  OC_ASSIGN_OR_RETURN(const Tensor m2, LoadTensor<C>(ctx, state[2]));
  const auto c1 = static_cast<C>(options.correct_bias ? BiasCorrection(options.alpha, step) : 1);
  const auto c2 = static_cast<C>(options.correct_bias ? BiasCorrection(options.beta, step) : 1);
  const auto eta = static_cast<C>(rate);
  const C alpha = options.alpha;
  const C beta = options.beta;
  const C decay = options.decay;
  const C epsilon = options.epsilon;
  C* weight = next[0].mutable_data<C>();
  C* first = next[1].mutable_data<C>();
  C* second = next[2].mutable_data<C>();
  for (int64_t i = 0; i < g.num_elements(); ++i) {
    const C slope = g.data<C>()[i];
    const C old = w.data<C>()[i];
    first[i] = alpha * m1.data<C>()[i] + (1 - alpha) * slope;
    second[i] = beta * m2.data<C>()[i] + (1 - beta) * slope * slope;
    if (options.mode == 0) {
      weight[i] =
          old - eta * decay * old - eta * (first[i] / c1) / (std::sqrt(second[i] / c2) + epsilon);
    } else {
      const C moved = old - eta * std::sqrt(c2) / c1 * first[i] / (std::sqrt(second[i]) + epsilon);
      weight[i] = moved - eta * decay * moved;
    }
  }
  return next;
}

absl::Status CheckMode(int64_t mode) {
  if (mode == 0 || mode == 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("there is no mode ", mode, " of Adam"));
}

// AdamOptimizer (com.microsoft 1): one step of Adam with weight decay, of one tensor. Outputs: the
// next step's number, the moments, the new weights, their difference to the old ones as
// new_gradients, and the new weights in a narrow type. Not supported: a loss scale, clipping by a
// global norm (onnxruntime's CPU kernel ignores both).
absl::StatusOr<Kernel> AdamOptimizer(const KernelInit& node) {
  const AdamOptions options = {.alpha = node.Float("alpha"),
                               .beta = node.Float("beta"),
                               .epsilon = node.Float("epsilon"),
                               .decay = node.Float("lambda"),
                               .correct_bias = node.Flag("do_bias_correction"),
                               .mode = node.Int("weight_decay_mode")};
  OC_RETURN_IF_ERROR(CheckMode(options.mode));
  node.Ignore("max_norm_clip");
  if (node.HasInput(7) || node.HasInput(8)) {
    return absl::UnimplementedError("a loss scale or a global norm of the gradients");
  }
  return [options](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const double rate, ctx.ScalarInput<double>(0));
    OC_ASSIGN_OR_RETURN(const int64_t step, ctx.ScalarInput<int64_t>(1));
    OC_ASSIGN_OR_RETURN(const bool update, UpdateSignal(ctx, 9));
    const Tensor& weights = ctx.Input(2);
    const Tensor& gradients = ctx.Input(3);
    ctx.IgnoreInput(6);
    return DispatchFloat(weights.dtype(), [&]<typename C>() -> absl::Status {
      AdamState next = {weights, ctx.Input(4), ctx.Input(5)};
      const AdamState old = next;
      if (update) {
        OC_ASSIGN_OR_RETURN(next, AdamStep<C>(ctx, options, rate, step, old, gradients));
      } else {
        for (Tensor& tensor : next) {
          OC_ASSIGN_OR_RETURN(tensor, LoadTensor<C>(ctx, tensor));
        }
      }
      const int64_t next_step = step == INT64_MAX ? step : step + (update ? 1 : 0);
      OC_ASSIGN_OR_RETURN(Tensor counter, ctx.Allocate(DType::kInt64, ctx.Input(1).shape()));
      *counter.mutable_data<int64_t>() = next_step;
      OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(counter)));
      const auto emit = [&](int output, const Tensor& value, DType dtype) -> absl::Status {
        if (!ctx.HasOutput(output)) return absl::OkStatus();
        OC_ASSIGN_OR_RETURN(Tensor stored, StoreTensor<C>(ctx, value, dtype));
        return ctx.SetOutput(output, std::move(stored));
      };
      OC_RETURN_IF_ERROR(emit(1, next[1], old[1].dtype()));
      OC_RETURN_IF_ERROR(emit(2, next[2], old[2].dtype()));
      OC_RETURN_IF_ERROR(emit(3, next[0], weights.dtype()));
      if (ctx.HasOutput(4)) {
        OC_ASSIGN_OR_RETURN(
            Tensor difference,
            Elementwise(Classes<C>{}, ctx, std::array<const Tensor*, 2>{&next[0], &old[0]},
                        gradients.dtype(), [](auto a, auto b) { return a - b; }));
        OC_RETURN_IF_ERROR(ctx.SetOutput(4, std::move(difference)));
      }
      return emit(5, next[0], ctx.HasInput(6) ? ctx.Input(6).dtype() : DType::kFloat16);
    });
  };
}

// AdamWOptimizer (com.microsoft 1): the same step for every tensor of the sequences, unless
// update_signal is false; and whether that was done.
absl::StatusOr<Kernel> AdamWOptimizer(const KernelInit& node) {
  const AdamOptions options = {.alpha = node.Float("alpha"),
                               .beta = node.Float("beta"),
                               .epsilon = node.Float("epsilon"),
                               .decay = node.Float("weight_decay"),
                               .correct_bias = node.Flag("correct_bias"),
                               .mode = node.Int("adam_mode")};
  OC_RETURN_IF_ERROR(CheckMode(options.mode));
  return [options](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const double rate, ctx.ScalarInput<double>(0));
    OC_ASSIGN_OR_RETURN(const int64_t step, ctx.ScalarInput<int64_t>(1));
    OC_ASSIGN_OR_RETURN(const Sequence* sequence, ctx.SequenceInput(2));
    const size_t count = sequence->elements.size();
    std::array<std::vector<Tensor>, 3> states;
    OC_ASSIGN_OR_RETURN(states[0], Tensors(ctx, 2, count));
    OC_ASSIGN_OR_RETURN(const std::vector<Tensor> gradients, Tensors(ctx, 3, count));
    OC_ASSIGN_OR_RETURN(states[1], Tensors(ctx, 4, count));
    OC_ASSIGN_OR_RETURN(states[2], Tensors(ctx, 5, count));
    OC_ASSIGN_OR_RETURN(const bool update, UpdateSignal(ctx, 6));
    for (size_t i = 0; update && i < count; ++i) {
      const AdamState old = {states[0][i], states[1][i], states[2][i]};
      const absl::Status status = DispatchFloat(old[0].dtype(), [&]<typename C>() -> absl::Status {
        OC_ASSIGN_OR_RETURN(const AdamState next,
                            AdamStep<C>(ctx, options, rate, step, old, gradients[i]));
        for (size_t s = 0; s < next.size(); ++s) {
          OC_ASSIGN_OR_RETURN(states[s][i], StoreTensor<C>(ctx, next[s], old[s].dtype()));
        }
        return absl::OkStatus();
      });
      OC_RETURN_IF_ERROR(status);
    }
    OC_ASSIGN_OR_RETURN(Tensor done, ctx.Allocate(DType::kBool, ctx.Input(1).shape()));
    *done.mutable_data<bool>() = update;
    OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(done)));
    for (int s = 0; s < 3; ++s) {
      OC_ASSIGN_OR_RETURN(const Sequence* given, ctx.SequenceInput(s == 0 ? 2 : 3 + s));
      OC_RETURN_IF_ERROR(EmitSequence(ctx, 1 + s, given->element_dtype,
                                      std::move(states[static_cast<size_t>(s)])));
    }
    return absl::OkStatus();
  };
}

}  // namespace

void RegisterTrainingOptimizers(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "AdamOptimizer", {1}, AdamOptimizer);
  registry.Add(kMicrosoftDomain, "AdamWOptimizer", {1}, AdamWOptimizer);
  registry.Add(kMicrosoftDomain, "InplaceClipGradNorm", {1}, InplaceClipGradNorm);
  registry.Add(kMicrosoftDomain, "SGDOptimizer", {1}, SGDOptimizer);
  registry.Add(kMicrosoftDomain, "SGDOptimizerV2", {1}, SGDOptimizerV2);
}

}  // namespace onnxcmp
