#include "ops/contrib/experts/experts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/products/gemm.h"
#include "ops/common/reduction/softmax.h"

namespace onnxcmp {
namespace {

using Fusion = ExpertAttributes::Fusion;

// rows x outputs of one expert, bias included.
template <typename C>
absl::StatusOr<Tensor> Apply(const KernelContext& ctx, const ExpertLayer<C>& layer, int64_t expert,
                             int64_t rows, const C* x) {
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, {rows, layer.outputs}));
  C* data = y.template mutable_data<C>();
  OC_RETURN_IF_ERROR(layer.Multiply(ctx, expert, rows, x, data));
  if (layer.bias.defined()) {
    const C* bias = layer.bias.template data<C>() + expert * layer.outputs;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < layer.outputs; ++j) data[i * layer.outputs + j] += bias[j];
    }
  }
  return y;
}

// The result of one expert's layers for `rows` tokens.
template <typename C>
absl::StatusOr<Tensor> RunExpert(const KernelContext& ctx, const ExpertAttributes& attributes,
                                 int64_t expert, int64_t rows, const C* x,
                                 const ExpertLayer<C>& fc1, const ExpertLayer<C>& fc2,
                                 const ExpertLayer<C>* fc3) {
  OC_ASSIGN_OR_RETURN(Tensor first, Apply(ctx, fc1, expert, rows, x));
  Tensor third;
  if (fc3 != nullptr) {
    OC_ASSIGN_OR_RETURN(third, Apply(ctx, *fc3, expert, rows, x));
  }
  const int64_t inner = fc2.inputs;
  if (attributes.gated()) {
    OC_ASSIGN_OR_RETURN(Tensor hidden, ctx.Allocate(kDTypeOf<C>, {rows, inner}));
    const bool interleaved = attributes.fusion == Fusion::kInterleaved;
    for (int64_t i = 0; i < rows; ++i) {
      const C* gate = first.data<C>() + i * fc1.outputs;
      const C* linear = third.defined() ? third.data<C>() + i * inner
                        : interleaved   ? gate + 1
                                        : gate + inner;
      C* h = hidden.template mutable_data<C>() + i * inner;
      const int64_t step = interleaved ? 2 : 1;
      if (attributes.swiglu) {
        ApplySwiGlu(attributes.gate, gate, linear, step, inner, h);
      } else {
        for (int64_t j = 0; j < inner; ++j) h[j] = gate[j * step];
        Activation::FastGelu().Apply(h, inner);
        for (int64_t j = 0; j < inner; ++j) h[j] *= linear[j * step];
      }
    }
    first = std::move(hidden);
  } else {
    C* h = first.template mutable_data<C>();
    attributes.activation.Apply(h, rows * inner);
    if (third.defined()) {
      for (int64_t i = 0; i < rows * inner; ++i) h[i] *= third.data<C>()[i];
    }
  }
  return Apply(ctx, fc2, expert, rows, first.data<C>());
}

absl::Status CheckWeights(const Tensor& weights, int index, int64_t experts, int64_t outputs,
                          int64_t inputs, bool reversed) {
  const Shape want = reversed ? Shape{experts, inputs, outputs} : Shape{experts, outputs, inputs};
  if (weights.shape() == want) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("weights, input ", index, ", are ",
                                                 weights.TypeString(), ", but must be [",
                                                 ShapeToString(want), "]"));
}

}  // namespace

absl::StatusOr<ExpertAttributes> ReadExpertAttributes(const KernelInit& node, bool knows_swiglu) {
  ExpertAttributes attributes;
  attributes.k = node.Int("k");
  attributes.normalize = node.Flag("normalize_routing_weights");
  const bool sparse_mixer = node.Flag("use_sparse_mixer");
  const std::string activation = node.String("activation_type");
  if (activation == "relu") {
    attributes.activation = Activation::Relu();
  } else if (activation == "gelu") {
    attributes.activation = Activation::FastGelu();
  } else if (activation == "silu") {
    attributes.activation = Activation::Silu();
  } else if (activation == "swiglu" && knows_swiglu) {
    attributes.swiglu = true;
  } else if (activation == "geglu" && knows_swiglu) {
    attributes.geglu = true;
  } else if (activation == "relu2" && knows_swiglu) {
    attributes.activation = Activation::SquaredRelu();
  } else if (activation != "identity") {
    return absl::InvalidArgumentError(
        absl::StrCat("activation_type \"", activation, "\" is not known"));
  }
  if (attributes.k < 1) return absl::InvalidArgumentError(absl::StrCat("k is ", attributes.k));
  if (sparse_mixer && attributes.k != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("use_sparse_mixer needs k = 2, not ", attributes.k));
  }
  if (!knows_swiglu) return attributes;
  attributes.gate.alpha = node.Float("activation_alpha");
  attributes.gate.beta = node.Float("activation_beta");
  attributes.gate.limit = node.Float("swiglu_limit", std::numeric_limits<float>::infinity());
  attributes.gate.clamps_result = node.Flag("swiglu_limit_after_activation");
  if (attributes.gate.clamps_result && !attributes.swiglu) {
    return absl::InvalidArgumentError(absl::StrCat(
        "swiglu_limit_after_activation is set, but activation_type is \"", activation, "\""));
  }
  const int64_t fusion = node.Int("swiglu_fusion");
  if (fusion < 0 || fusion > 2) {
    return absl::InvalidArgumentError(absl::StrCat("swiglu_fusion is ", fusion, ", not 0 to 2"));
  }
  attributes.fusion = static_cast<Fusion>(fusion);
  if (attributes.geglu && !attributes.fused()) {
    return absl::InvalidArgumentError("geglu needs swiglu_fusion 1 or 2, not 0");
  }
  return attributes;
}

template <typename C>
DenseExpertLayer<C>::DenseExpertLayer(Tensor weights, int64_t outputs, int64_t inputs,
                                      bool inputs_first)
    : weights_(std::move(weights)), inputs_first_(inputs_first) {
  this->outputs = outputs;
  this->inputs = inputs;
}

template <typename C>
absl::Status DenseExpertLayer<C>::Multiply(const KernelContext& ctx, int64_t expert, int64_t rows,
                                           const C* x, C* y) const {
  const int64_t outputs = this->outputs;
  const int64_t inputs = this->inputs;
  const int64_t size = outputs * inputs;
  const C* weights = nullptr;
  Tensor loaded;
  if (weights_.dtype() == kDTypeOf<C>) {
    weights = weights_.template data<C>() + expert * size;
  } else {
    OC_ASSIGN_OR_RETURN(loaded, ctx.Allocate(kDTypeOf<C>, {size}));
    weights = LoadRow(weights_, expert, size, loaded.template mutable_data<C>());
  }
  const GemmFactor<C> factor =
      inputs_first_ ? GemmFactor<C>{weights, outputs, 1} : GemmFactor<C>{weights, 1, inputs};
  Gemm<C>(ctx.pool(), {rows, outputs, inputs}, {x, inputs}, factor, {y, outputs});
  return absl::OkStatus();
}

template <typename C>
absl::Status LoadExpertBias(const KernelContext& ctx, int index, int64_t experts,
                            ExpertLayer<C>* layer) {
  if (!ctx.HasInput(index)) return absl::OkStatus();
  const Tensor& bias = ctx.Input(index);
  if (bias.shape() != Shape{experts, layer->outputs}) {
    return absl::InvalidArgumentError(absl::StrCat("the bias, input ", index, ", is ",
                                                   bias.TypeString(), ", but there are ", experts,
                                                   " experts with ", layer->outputs, " outputs"));
  }
  OC_ASSIGN_OR_RETURN(layer->bias, LoadTensor<C>(ctx, bias));
  return absl::OkStatus();
}

absl::StatusOr<ExpertSizes> CheckExpertInputs(const KernelContext& ctx, int64_t k) {
  const Tensor& x = ctx.Input(0);
  const Tensor& router = ctx.Input(1);
  if (x.rank() != 2 && x.rank() != 3) {
    return absl::InvalidArgumentError(absl::StrCat("input is ", x.TypeString(), ", not (tokens, ",
                                                   "hidden) or (batch, sequence, hidden)"));
  }
  const absl::Span<const int64_t> dims = x.shape();
  ExpertSizes sizes = {.hidden = dims.back()};
  sizes.tokens = x.num_elements() == 0 ? 0 : x.num_elements() / sizes.hidden;
  // Without elements the tokens have to be counted by their dimensions.
  if (x.num_elements() == 0) sizes.tokens = NumElements(dims.first(dims.size() - 1)).value_or(0);
  if (router.rank() != 2 || router.dim(0) != sizes.tokens) {
    return absl::InvalidArgumentError(absl::StrCat("router_probs is ", router.TypeString(),
                                                   ", not (", sizes.tokens, " tokens, experts)"));
  }
  sizes.experts = router.dim(1);
  if (k > sizes.experts) {
    return absl::InvalidArgumentError(
        absl::StrCat("k is ", k, ", but there are ", sizes.experts, " experts"));
  }
  return sizes;
}

template <typename C>
Routes<C> ChooseExperts(const C* scores, const ExpertSizes& sizes, int64_t k, ExpertTies ties) {
  const bool higher_first = ties == ExpertTies::kHigherFirst;
  Routes<C> routes;
  std::vector<int64_t> order(static_cast<size_t>(sizes.experts));
  for (int64_t token = 0; token < sizes.tokens; ++token, scores += sizes.experts) {
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(), [&](int64_t a, int64_t b) {
      const C x = scores[a];
      const C y = scores[b];
      if (std::isnan(x) != std::isnan(y)) return std::isnan(x) == higher_first;
      if (x == y || std::isnan(x)) return higher_first ? a > b : a < b;
      return x > y;
    });
    for (int64_t j = 0; j < k; ++j) {
      routes.experts.push_back(order[static_cast<size_t>(j)]);
      routes.weights.push_back(scores[order[static_cast<size_t>(j)]]);
    }
  }
  return routes;
}

template <typename C>
void NormalizeRoutes(int64_t k, Routes<C>* routes) {
  const auto step = static_cast<size_t>(k);
  for (size_t first = 0; first < routes->weights.size(); first += step) {
    C sum = 0;
    for (size_t j = 0; j < step; ++j) sum += routes->weights[first + j];
    for (size_t j = 0; j < step; ++j) {
      C& weight = routes->weights[first + j];
      weight = sum == 0 ? C{0} : weight / sum;
    }
  }
}

template <typename C>
absl::StatusOr<Routes<C>> SoftmaxRoutes(const KernelContext& ctx, const ExpertSizes& sizes,
                                        const ExpertAttributes& attributes) {
  OC_ASSIGN_OR_RETURN(const Tensor logits, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(Tensor scores, ctx.Allocate(kDTypeOf<C>, logits.shape()));
  for (int64_t token = 0; token < sizes.tokens; ++token) {
    SoftmaxLane(logits.data<C>() + token * sizes.experts, sizes.experts,
                scores.template mutable_data<C>() + token * sizes.experts);
  }
  Routes<C> routes = ChooseExperts(scores.data<C>(), sizes, attributes.k);
  if (attributes.normalize) NormalizeRoutes(attributes.k, &routes);
  return routes;
}

template <typename C>
absl::Status RunExperts(KernelContext& ctx, const ExpertAttributes& attributes,
                        const ExpertSizes& sizes, const Routes<C>& routes,
                        const ExpertLayer<C>& fc1, const ExpertLayer<C>& fc2,
                        const ExpertLayer<C>* fc3) {
  if (attributes.fused() && fc3 != nullptr) {
    return absl::InvalidArgumentError("fc3 is given, but swiglu_fusion says that fc1 holds it");
  }
  if (attributes.swiglu && !attributes.fused() && fc3 == nullptr) {
    return absl::InvalidArgumentError("swiglu without swiglu_fusion needs fc3");
  }
  const int64_t hidden = sizes.hidden;
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  std::vector<std::vector<int64_t>> routes_of(static_cast<size_t>(sizes.experts));
  for (size_t route = 0; route < routes.experts.size(); ++route) {
    routes_of[static_cast<size_t>(routes.experts[route])].push_back(static_cast<int64_t>(route));
  }
  // A row for each route.
  OC_ASSIGN_OR_RETURN(
      Tensor results,
      ctx.Allocate(kDTypeOf<C>, {static_cast<int64_t>(routes.experts.size()), hidden}));
  C* result = results.template mutable_data<C>();
  for (int64_t expert = 0; expert < sizes.experts; ++expert) {
    const std::vector<int64_t>& own = routes_of[static_cast<size_t>(expert)];
    const auto rows = static_cast<int64_t>(own.size());
    if (rows == 0) continue;
    OC_ASSIGN_OR_RETURN(Tensor tokens, ctx.Allocate(kDTypeOf<C>, {rows, hidden}));
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t token = own[static_cast<size_t>(i)] / attributes.k;
      std::copy_n(x.data<C>() + token * hidden, hidden,
                  tokens.template mutable_data<C>() + i * hidden);
    }
    OC_ASSIGN_OR_RETURN(const Tensor y, RunExpert<C>(ctx, attributes, expert, rows,
                                                     tokens.data<C>(), fc1, fc2, fc3));
    for (int64_t i = 0; i < rows; ++i) {
      std::copy_n(y.data<C>() + i * hidden, hidden, result + own[static_cast<size_t>(i)] * hidden);
    }
  }
  OC_ASSIGN_OR_RETURN(Tensor sum, ctx.Allocate(kDTypeOf<C>, ctx.Input(0).shape()));
  C* total = sum.template mutable_data<C>();
  std::fill_n(total, sum.num_elements(), C{0});
  for (size_t route = 0; route < routes.experts.size(); ++route) {
    const C weight = routes.weights[route];
    const C* row = result + static_cast<int64_t>(route) * hidden;
    C* to = total + static_cast<int64_t>(route) / attributes.k * hidden;
    for (int64_t j = 0; j < hidden; ++j) to[j] += weight * row[j];
  }
  OC_ASSIGN_OR_RETURN(sum, StoreTensor<C>(ctx, sum, ctx.Input(0).dtype()));
  return ctx.SetOutput(0, std::move(sum));
}

absl::Status RunDenseExperts(KernelContext& ctx, const ExpertAttributes& attributes,
                             bool inputs_first) {
  enum { kFc1 = 2, kFc1Bias, kFc2, kFc2Bias, kFc3, kFc3Bias };
  OC_ASSIGN_OR_RETURN(const ExpertSizes sizes, CheckExpertInputs(ctx, attributes.k));
  const Tensor& weights1 = ctx.Input(kFc1);
  const Tensor& weights2 = ctx.Input(kFc2);
  if (weights1.rank() != 3 || weights2.rank() != 3) {
    return absl::InvalidArgumentError(absl::StrCat("weights are ", weights1.TypeString(), " and ",
                                                   weights2.TypeString(), ", not of rank 3"));
  }
  // Older models give MoE's dimensions in the other order, for the same bytes.
  const bool reversed =
      inputs_first || weights2.dim(1) != sizes.hidden ||
      (weights2.dim(2) == sizes.hidden && attributes.fused() && weights1.dim(1) == sizes.hidden);
  const int64_t inner = weights2.dim(reversed ? 1 : 2);
  const int64_t outer = weights1.dim(reversed ? 2 : 1);
  if (inner != (attributes.fused() ? outer / 2 : outer) || (attributes.fused() && outer % 2 != 0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "fc1 has ", outer, attributes.fused() ? " outputs, two for each of " : " outputs, but ",
        inner, " inputs of fc2"));
  }
  const auto check = [&](int index, int64_t outputs, int64_t inputs) {
    return CheckWeights(ctx.Input(index), index, sizes.experts, outputs, inputs, reversed);
  };
  OC_RETURN_IF_ERROR(check(kFc1, outer, sizes.hidden));
  OC_RETURN_IF_ERROR(check(kFc2, sizes.hidden, inner));
  if (ctx.HasInput(kFc3)) OC_RETURN_IF_ERROR(check(kFc3, inner, sizes.hidden));
  return DispatchFloat(ctx.Input(0).dtype(), [&]<typename C>() -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Routes<C> routes, SoftmaxRoutes<C>(ctx, sizes, attributes));
    const auto layer_of = [&](int index, int64_t outputs,
                              int64_t inputs) -> absl::StatusOr<std::unique_ptr<ExpertLayer<C>>> {
      OC_ASSIGN_OR_RETURN(Tensor weights, ctx.ContiguousInput(index));
      std::unique_ptr<ExpertLayer<C>> layer =
          std::make_unique<DenseExpertLayer<C>>(std::move(weights), outputs, inputs, inputs_first);
      OC_RETURN_IF_ERROR(LoadExpertBias<C>(ctx, index + 1, sizes.experts, layer.get()));
      return layer;
    };
    OC_ASSIGN_OR_RETURN(const auto fc1, layer_of(kFc1, outer, sizes.hidden));
    OC_ASSIGN_OR_RETURN(const auto fc2, layer_of(kFc2, sizes.hidden, inner));
    std::unique_ptr<ExpertLayer<C>> fc3;
    if (ctx.HasInput(kFc3)) {
      OC_ASSIGN_OR_RETURN(fc3, layer_of(kFc3, inner, sizes.hidden));
    }
    return RunExperts<C>(ctx, attributes, sizes, routes, *fc1, *fc2, fc3.get());
  });
}

template class DenseExpertLayer<float>;
template class DenseExpertLayer<double>;
template absl::Status LoadExpertBias(const KernelContext&, int, int64_t, ExpertLayer<float>*);
template absl::Status LoadExpertBias(const KernelContext&, int, int64_t, ExpertLayer<double>*);
template Routes<float> ChooseExperts(const float*, const ExpertSizes&, int64_t, ExpertTies);
template Routes<double> ChooseExperts(const double*, const ExpertSizes&, int64_t, ExpertTies);
template void NormalizeRoutes(int64_t, Routes<float>*);
template void NormalizeRoutes(int64_t, Routes<double>*);
template absl::StatusOr<Routes<float>> SoftmaxRoutes(const KernelContext&, const ExpertSizes&,
                                                     const ExpertAttributes&);
template absl::StatusOr<Routes<double>> SoftmaxRoutes(const KernelContext&, const ExpertSizes&,
                                                      const ExpertAttributes&);
template absl::Status RunExperts(KernelContext&, const ExpertAttributes&, const ExpertSizes&,
                                 const Routes<float>&, const ExpertLayer<float>&,
                                 const ExpertLayer<float>&, const ExpertLayer<float>*);
template absl::Status RunExperts(KernelContext&, const ExpertAttributes&, const ExpertSizes&,
                                 const Routes<double>&, const ExpertLayer<double>&,
                                 const ExpertLayer<double>&, const ExpertLayer<double>*);

}  // namespace onnxcmp
