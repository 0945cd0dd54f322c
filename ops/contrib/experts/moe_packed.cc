#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/gemm.h"
#include "ops/common/reduction/softmax.h"
#include "ops/contrib/block_quantized/packed_format.h"
#include "ops/contrib/experts/experts.h"

namespace onnxcmp {
namespace {

enum InputIndex : int { kInput, kScores, kGateWeights, kUpWeights, kDownWeights, kMixing };

struct Options {
  ExpertAttributes experts;
  const PackedFormat* gate = nullptr;
  const PackedFormat* up = nullptr;  // null: there is none
  const PackedFormat* down = nullptr;
  float scaling = 1;
  float epsilon = 0;
};

// Weights that are made floats when an expert is used.
class PackedExpertLayer final : public ExpertLayer<float> {
 public:
  PackedExpertLayer(const PackedFormat& format, Tensor data, int64_t outputs, int64_t inputs)
      : format_(format), data_(std::move(data)) {
    this->outputs = outputs;
    this->inputs = inputs;
  }
  absl::Status Multiply(const KernelContext& ctx, int64_t expert, int64_t rows, const float* x,
                        float* y) const override {
    const uint8_t* own = data_.data<uint8_t>() + expert * outputs * data_.dim(2);
    OC_ASSIGN_OR_RETURN(const Tensor weights,
                        DecodePackedRows<float>(ctx, format_, own, outputs, inputs, DType::kFloat));
    Gemm<float>(ctx.pool(), {rows, outputs, inputs}, {x, inputs},
                {weights.data<float>(), 1, inputs}, {y, outputs});
    return absl::OkStatus();
  }

 private:
  const PackedFormat& format_;
  Tensor data_;
};

absl::StatusOr<std::unique_ptr<PackedExpertLayer>> LayerOf(const KernelContext& ctx, int index,
                                                           absl::string_view name,
                                                           const PackedFormat& format,
                                                           int64_t experts, int64_t outputs,
                                                           int64_t inputs) {
  OC_ASSIGN_OR_RETURN(Tensor data, ctx.ContiguousInput(index));
  OC_RETURN_IF_ERROR(CheckPackedRows(name, data, format, {experts, outputs}, inputs));
  return std::make_unique<PackedExpertLayer>(format, std::move(data), outputs, inputs);
}

absl::StatusOr<ExpertSizes> SizesOf(const KernelContext& ctx, int64_t k) {
  const Tensor& x = ctx.Input(kInput);
  const Tensor& scores = ctx.Input(kScores);
  if (x.rank() < 1) return absl::InvalidArgumentError("input has no dimension");
  const absl::Span<const int64_t> dims = x.shape();
  ExpertSizes sizes = {.tokens = NumElements(dims.first(dims.size() - 1)).value_or(-1),
                       .hidden = dims.back()};
  if (scores.rank() != 2 || scores.dim(0) != sizes.tokens || scores.dim(1) < k) {
    return absl::InvalidArgumentError(absl::StrCat("router_probs is ", scores.TypeString(),
                                                   ", not (", sizes.tokens, " tokens, at least ", k,
                                                   " experts)"));
  }
  sizes.experts = scores.dim(1);
  return sizes;
}

// Mixing values of the chosen experts: of router_weights, or the softmax of all scores.
absl::StatusOr<Routes<float>> RoutesOf(const KernelContext& ctx, const Options& options,
                                       const ExpertSizes& sizes) {
  OC_ASSIGN_OR_RETURN(const Tensor scores, LoadTensor<float>(ctx, ctx.Input(kScores)));
  const int64_t k = options.experts.k;
  Routes<float> routes = ChooseExperts(scores.data<float>(), sizes, k, ExpertTies::kLowerFirst);
  Tensor mixing;
  if (ctx.HasInput(kMixing)) {
    if (ctx.Input(kMixing).shape() != scores.shape()) {
      return absl::InvalidArgumentError(
          absl::StrCat("router_weights is ", ctx.Input(kMixing).TypeString(), ", router_probs ",
                       ctx.Input(kScores).TypeString()));
    }
    OC_ASSIGN_OR_RETURN(mixing, LoadTensor<float>(ctx, ctx.Input(kMixing)));
  } else {
    OC_ASSIGN_OR_RETURN(mixing, ctx.Allocate(DType::kFloat, scores.shape()));
    for (int64_t token = 0; token < sizes.tokens; ++token) {
      const int64_t first = token * sizes.experts;
      SoftmaxLane(scores.data<float>() + first, sizes.experts,
                  mixing.mutable_data<float>() + first);
    }
  }
  for (size_t i = 0; i < routes.experts.size(); ++i) {
    const int64_t token = static_cast<int64_t>(i) / k;
    routes.weights[i] = mixing.data<float>()[token * sizes.experts + routes.experts[i]];
  }
  const auto step = static_cast<size_t>(k);
  for (size_t first = 0; first < routes.weights.size(); first += step) {
    float factor = options.scaling;
    if (options.experts.normalize) {
      float sum = 0;
      for (size_t j = 0; j < step; ++j) sum += routes.weights[first + j];
      sum += options.epsilon;
      factor = sum == 0 ? 0 : 1 / sum * options.scaling;
    }
    for (size_t j = 0; j < step; ++j) routes.weights[first + j] *= factor;
  }
  return routes;
}

absl::Status RunPacked(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(const ExpertSizes sizes, SizesOf(ctx, options.experts.k));
  const Tensor& gate_weights = ctx.Input(kGateWeights);
  if (gate_weights.rank() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("gate_experts_weights is ", gate_weights.TypeString(), ", not of rank 3"));
  }
  const int64_t inner = gate_weights.dim(1);
  OC_ASSIGN_OR_RETURN(const auto gate, LayerOf(ctx, kGateWeights, "gate_experts_weights",
                                               *options.gate, sizes.experts, inner, sizes.hidden));
  OC_ASSIGN_OR_RETURN(const auto down, LayerOf(ctx, kDownWeights, "down_experts_weights",
                                               *options.down, sizes.experts, sizes.hidden, inner));
  std::unique_ptr<PackedExpertLayer> up;
  if (options.up != nullptr) {
    OC_ASSIGN_OR_RETURN(up, LayerOf(ctx, kUpWeights, "up_experts_weights", *options.up,
                                    sizes.experts, inner, sizes.hidden));
  }
  OC_ASSIGN_OR_RETURN(const Routes<float> routes, RoutesOf(ctx, options, sizes));
  return RunExperts<float>(ctx, options.experts, sizes, routes, *gate, *down, up.get());
}

absl::StatusOr<Options> ReadOptions(const KernelInit& node) {
  Options options;
  const bool scored = node.HasInput(kMixing);
  options.experts.k = node.Int("k");
  options.experts.normalize = node.Flag("normalize_routing_weights");
  options.scaling = node.Float("routed_scaling_factor");
  options.epsilon = node.Float("routing_epsilon");
  const int64_t most = scored ? 32 : 16;
  if (options.experts.k < 1 || options.experts.k > most) {
    return absl::InvalidArgumentError(absl::StrCat("k is ", options.experts.k, ", not 1 to ", most,
                                                   scored ? "" : " without router_weights"));
  }
  if (!scored && (options.scaling != 1 || options.epsilon != 0)) {
    return absl::InvalidArgumentError(
        "routed_scaling_factor and routing_epsilon need router_weights");
  }
  const int64_t up = node.Int("up_type");
  OC_ASSIGN_OR_RETURN(options.gate, PackedFormatOf("gate_type", node.Int("gate_type")));
  OC_ASSIGN_OR_RETURN(options.down, PackedFormatOf("down_type", node.Int("down_type")));
  const std::string activation = node.String("activation_type");
  if (activation == "swiglu") {
    options.experts.swiglu = true;
    if (!node.HasInput(kUpWeights)) {
      return absl::InvalidArgumentError("swiglu needs up_experts_weights");
    }
    OC_ASSIGN_OR_RETURN(options.up, PackedFormatOf("up_type", up));
    return options;
  }
  if (activation != "relu2" && activation != "relu_squared") {
    return absl::InvalidArgumentError(
        absl::StrCat("activation_type \"", activation, "\" is neither swiglu nor relu2"));
  }
  options.experts.activation = Activation::SquaredRelu();
  if (node.HasInput(kUpWeights) || options.gate->name != "IQ2_XXS" ||
      options.down->name != "IQ2_XXS") {
    return absl::InvalidArgumentError(absl::StrCat(
        "relu2 needs weights of IQ2_XXS and no up_experts_weights, not ", options.gate->name,
        " and ", options.down->name, node.HasInput(kUpWeights) ? " with them" : ""));
  }
  return options;
}

// MoEPacked (com.microsoft 1): for every token the sum over its k experts of p * down(h),
//   h = silu(gate(x)) * up(x), or max(gate(x), 0)^2 (relu2)
// with weights in the formats gate_type, up_type and down_type (packed_format.h). router_probs
// chooses the experts, of equal numbers the first; p is what router_weights has for them, without
// it their softmax over all experts. It is divided by the sum of the k plus routing_epsilon
// (normalize_routing_weights; 0 if that is 0) and multiplied by routed_scaling_factor. All is
// computed in float, with weights as they are decoded, and rounded once.
absl::StatusOr<Kernel> MoePacked(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const Options options, ReadOptions(node));
  return [options](KernelContext& ctx) { return RunPacked(ctx, options); };
}

}  // namespace

void RegisterContribMoePacked(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "MoEPacked", {1}, MoePacked);
}

}  // namespace onnxcmp
