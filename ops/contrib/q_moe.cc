#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/op_registry.h"
#include "ops/common/block_quantization.h"
#include "ops/common/compute_class.h"
#include "ops/common/experts.h"
#include "ops/common/load_store.h"
#include "ops/common/quantization.h"
#include "ops/common/softmax.h"

namespace onnxcmp {
namespace {

enum InputIndex : int {
  kWeights = 2,  // and scales, bias behind them; three inputs for each layer
  kZeroPoints = 11,
  kRouterWeights = 14,
  kGlobalScale = 15,
};
enum class Format : uint8_t { kInt, kFp8, kMxFp4, kNvFp4 };

struct Options {
  ExpertAttributes experts;
  Format format = Format::kInt;
  int64_t block_size = 0;  // 0: none
  std::array<int64_t, 3> bits = {};
};

std::string LayerName(int layer) { return absl::StrCat("fc", layer + 1); }

absl::Status BadShape(int layer, absl::string_view what, const Tensor& tensor, const Shape& want) {
  return absl::InvalidArgumentError(absl::StrCat(LayerName(layer), "'s ", what, " are ",
                                                 tensor.TypeString(), ", but must be [",
                                                 ShapeToString(want), "]"));
}

// Weights of whole numbers.
template <typename C>
class IntegerLayer final : public ExpertLayer<C> {
 public:
  absl::Status Load(const KernelContext& ctx, const Options& options, int layer, int64_t experts,
                    int64_t outputs, int64_t inputs) {
    this->outputs = outputs;
    this->inputs = inputs;
    bits_ = options.bits[static_cast<size_t>(layer)];
    const int64_t per_byte = 8 / bits_;
    if (inputs % per_byte != 0) {
      return absl::InvalidArgumentError(absl::StrCat(LayerName(layer), " has ", inputs,
                                                     " inputs of ", bits_,
                                                     " bits, which do not fill bytes"));
    }
    row_bytes_ = inputs / per_byte;
    const int index = kWeights + 3 * layer;
    OC_ASSIGN_OR_RETURN(codes_, ctx.ContiguousInput(index));
    if (codes_.dtype() != DType::kUint8 || codes_.shape() != Shape{experts, outputs, row_bytes_}) {
      return BadShape(layer, "weights of uint8", codes_, {experts, outputs, row_bytes_});
    }
    if (!ctx.HasInput(index + 1)) {
      return absl::InvalidArgumentError(absl::StrCat(LayerName(layer), " has no scales"));
    }
    block_size_ = options.block_size > 0 ? options.block_size : std::max<int64_t>(inputs, 1);
    blocks_ = inputs / block_size_ + (inputs % block_size_ != 0 ? 1 : 0);
    const Tensor& scales = ctx.Input(index + 1);
    const Shape shape =
        options.block_size > 0 ? Shape{experts, outputs, blocks_} : Shape{experts, outputs};
    // A single block may have an axis of its own or none, as in onnxruntime.
    const bool one_block = blocks_ == 1 && (scales.shape() == Shape{experts, outputs} ||
                                            scales.shape() == Shape{experts, outputs, 1});
    if (scales.shape() != shape && !one_block) return BadShape(layer, "scales", scales, shape);
    OC_ASSIGN_OR_RETURN(scales_, LoadTensor<C>(ctx, scales));
    if (!ctx.HasInput(kZeroPoints + layer)) return absl::OkStatus();
    // Packed along the blocks of a row, or, without blocks, along the rows.
    const Tensor& zeros = ctx.Input(kZeroPoints + layer);
    Shape packed = shape;
    packed.back() = (shape.back() + per_byte - 1) / per_byte;
    if (zeros.dtype() != DType::kUint8 || zeros.shape() != packed) {
      return BadShape(layer, "zero points of uint8", zeros, packed);
    }
    OC_ASSIGN_OR_RETURN(const DType type, CodeType(bits_));
    OC_ASSIGN_OR_RETURN(
        zeros_, LoadCodes<C>(ctx, zeros, type, options.block_size > 0 ? experts * outputs : experts,
                             shape.back()));
    return absl::OkStatus();
  }

  absl::Status Multiply(const KernelContext& ctx, int64_t expert, int64_t rows, const C* x,
                        C* y) const override {
    const int64_t parameters = expert * this->outputs * blocks_;
    BlockWeights<C> weights = {
        .rows = this->outputs,
        .columns = this->inputs,
        .bits = bits_,
        .block_size = block_size_,
        .blocks = blocks_,
        .codes = codes_.data<uint8_t>() + expert * this->outputs * row_bytes_,
        .row_bytes = row_bytes_,
        .scales = scales_.data<C>() + parameters};
    if (zeros_.defined()) weights.zeros = zeros_.data<C>() + parameters;
    MultiplyByWeights<C>(ctx.pool(), rows, x, weights, y);
    return absl::OkStatus();
  }

 private:
  int64_t bits_ = 0;
  int64_t block_size_ = 0;
  int64_t blocks_ = 0;
  int64_t row_bytes_ = 0;
  Tensor codes_;
  Tensor scales_;
  Tensor zeros_;
};

// Weights of float8 or float4, which are made floats when an expert is used.
template <typename C>
class FloatLayer final : public ExpertLayer<C> {
 public:
  absl::Status Load(const KernelContext& ctx, const Options& options, int layer, int64_t experts,
                    int64_t outputs, int64_t inputs) {
    this->outputs = outputs;
    this->inputs = inputs;
    const bool fp8 = options.format == Format::kFp8;
    const int index = kWeights + 3 * layer;
    OC_ASSIGN_OR_RETURN(const Tensor bytes, ctx.ContiguousInput(index));
    const Shape shape = {experts, outputs, fp8 ? inputs : inputs / 2};
    if (bytes.shape() != shape || bytes.dtype() != (fp8 ? DType::kFloat8E4M3FN : DType::kUint8) ||
        (!fp8 && inputs % 2 != 0)) {
      return BadShape(layer, fp8 ? "weights of float8e4m3fn" : "weights of uint8", bytes, shape);
    }
    OC_ASSIGN_OR_RETURN(codes_, ViewBytesAs(ctx, bytes, fp8 ? bytes.dtype() : DType::kFloat4E2M1,
                                            {experts, outputs, inputs}));
    block_size_ = options.format == Format::kMxFp4   ? 32
                  : options.format == Format::kNvFp4 ? 16
                                                     : options.block_size;
    if (block_size_ > 0) {
      OC_RETURN_IF_ERROR(LoadScales(ctx, options, layer, index + 1, experts));
    }
    if (fp8 && block_size_ > 0) return absl::OkStatus();
    if (layer == 2 || !ctx.HasInput(kGlobalScale + layer) ||
        ctx.Input(kGlobalScale + layer).shape() != Shape{experts}) {
      return absl::InvalidArgumentError(absl::StrCat(
          LayerName(layer), " needs a global scale for each of ", experts, " experts"));
    }
    OC_ASSIGN_OR_RETURN(global_, LoadTensor<C>(ctx, ctx.Input(kGlobalScale + layer)));
    return absl::OkStatus();
  }

  absl::Status Multiply(const KernelContext& ctx, int64_t expert, int64_t rows, const C* x,
                        C* y) const override {
    const int64_t outputs = this->outputs;
    const int64_t inputs = this->inputs;
    const int64_t bytes = codes_.byte_size() / codes_.dim(0);
    OC_ASSIGN_OR_RETURN(
        const Tensor codes,
        Tensor::FromBuffer(codes_.dtype(), {outputs, inputs}, codes_.buffer(),
                           codes_.raw_data() - codes_.buffer()->data() + expert * bytes));
    OC_ASSIGN_OR_RETURN(const Tensor scales, ScalesOf(ctx, expert));
    OC_ASSIGN_OR_RETURN(const Tensor weights,
                        DequantizeTensor(ctx, codes, scales, nullptr,
                                         {1, block_size_ > 0 ? block_size_ : inputs}, kDTypeOf<C>));
    Gemm<C>(ctx.pool(), {rows, outputs, inputs}, {x, inputs}, {weights.data<C>(), 1, inputs},
            {y, outputs});
    return absl::OkStatus();
  }

 private:
  absl::Status LoadScales(const KernelContext& ctx, const Options& options, int layer, int index,
                          int64_t experts) {
    if (!ctx.HasInput(index)) {
      return absl::InvalidArgumentError(absl::StrCat(LayerName(layer), " has no scales"));
    }
    const Tensor& scales = ctx.Input(index);
    const DType dtype = options.format == Format::kMxFp4   ? DType::kFloat8E8M0
                        : options.format == Format::kNvFp4 ? DType::kFloat8E4M3FN
                                                           : scales.dtype();
    rows_per_scale_ = options.format == Format::kFp8 ? block_size_ : 1;
    blocks_ = (this->inputs + block_size_ - 1) / block_size_;
    const Shape want = {experts, (this->outputs + rows_per_scale_ - 1) / rows_per_scale_, blocks_};
    if (scales.shape() != want || scales.dtype() != dtype) {
      return BadShape(layer, absl::StrCat("scales of ", DTypeName(dtype)), scales, want);
    }
    OC_ASSIGN_OR_RETURN(scales_, LoadTensor<C>(ctx, scales));
    return absl::OkStatus();
  }

  // outputs x blocks.
  absl::StatusOr<Tensor> ScalesOf(const KernelContext& ctx, int64_t expert) const {
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(kDTypeOf<C>, {this->outputs, blocks_}));
    C* to = result.template mutable_data<C>();
    const C global = global_.defined() ? global_.data<C>()[expert] : C{1};
    for (int64_t n = 0; n < this->outputs; ++n) {
      for (int64_t block = 0; block < blocks_; ++block) {
        const C own =
            scales_.defined()
                ? scales_
                      .data<C>()[(expert * scales_.dim(1) + n / rows_per_scale_) * blocks_ + block]
                : C{1};
        to[n * blocks_ + block] = own * global;
      }
    }
    return result;
  }

  int64_t block_size_ = 0;  // 0: a row is one block
  int64_t blocks_ = 1;
  int64_t rows_per_scale_ = 1;
  Tensor codes_;
  Tensor scales_;  // undefined: global scales only
  Tensor global_;
};

template <typename C>
absl::StatusOr<std::unique_ptr<ExpertLayer<C>>> LayerOf(const KernelContext& ctx,
                                                        const Options& options, int layer,
                                                        int64_t experts, int64_t outputs,
                                                        int64_t inputs) {
  std::unique_ptr<ExpertLayer<C>> result;
  if (options.format == Format::kInt) {
    auto loaded = std::make_unique<IntegerLayer<C>>();
    OC_RETURN_IF_ERROR(loaded->Load(ctx, options, layer, experts, outputs, inputs));
    result = std::move(loaded);
  } else {
    auto loaded = std::make_unique<FloatLayer<C>>();
    OC_RETURN_IF_ERROR(loaded->Load(ctx, options, layer, experts, outputs, inputs));
    result = std::move(loaded);
  }
  OC_RETURN_IF_ERROR(LoadExpertBias<C>(ctx, kWeights + 3 * layer + 2, experts, result.get()));
  return result;
}

// The router's numbers choose the experts; the weights are the softmax of those k numbers, or what
// router_weights has for them.
template <typename C>
absl::StatusOr<Routes<C>> RoutesOf(const KernelContext& ctx, const ExpertSizes& sizes,
                                   const ExpertAttributes& attributes) {
  OC_ASSIGN_OR_RETURN(const Tensor router, LoadTensor<C>(ctx, ctx.Input(1)));
  Routes<C> routes = ChooseExperts(router.data<C>(), sizes, attributes.k);
  if (!ctx.HasInput(kRouterWeights)) {
    for (int64_t token = 0; token < sizes.tokens; ++token) {
      C* weights = routes.weights.data() + token * attributes.k;
      SoftmaxLane(weights, attributes.k, weights);
    }
    return routes;
  }
  OC_ASSIGN_OR_RETURN(const Tensor weights, LoadTensor<C>(ctx, ctx.Input(kRouterWeights)));
  if (weights.shape() != router.shape()) {
    return absl::InvalidArgumentError(absl::StrCat("router_weights is ", weights.TypeString(),
                                                   ", router_probs ", router.TypeString()));
  }
  for (size_t i = 0; i < routes.experts.size(); ++i) {
    const int64_t token = static_cast<int64_t>(i) / attributes.k;
    routes.weights[i] = weights.data<C>()[token * sizes.experts + routes.experts[i]];
  }
  if (attributes.normalize) NormalizeRoutes(attributes.k, &routes);
  return routes;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(const ExpertSizes sizes, CheckExpertInputs(ctx, options.experts.k));
  const Tensor& second = ctx.Input(kWeights + 3);
  if (second.rank() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("fc2's weights are ", second.TypeString(), ", not of rank 3"));
  }
  const int64_t per_element = second.dtype() == DType::kUint8 ? 8 / options.bits[1] : 1;
  const std::optional<int64_t> inner = NumElements(Shape{second.dim(2), per_element});
  const std::optional<int64_t> outer =
      NumElements(Shape{inner.value_or(-1), options.experts.fused() ? 2 : 1});
  if (!outer.has_value()) return absl::InvalidArgumentError("fc2 has too many inputs");
  OC_ASSIGN_OR_RETURN(const Routes<C> routes, RoutesOf<C>(ctx, sizes, options.experts));
  OC_ASSIGN_OR_RETURN(const auto fc1,
                      LayerOf<C>(ctx, options, 0, sizes.experts, *outer, sizes.hidden));
  OC_ASSIGN_OR_RETURN(const auto fc2,
                      LayerOf<C>(ctx, options, 1, sizes.experts, sizes.hidden, *inner));
  std::unique_ptr<ExpertLayer<C>> fc3;
  if (ctx.HasInput(kWeights + 6)) {
    OC_ASSIGN_OR_RETURN(fc3, LayerOf<C>(ctx, options, 2, sizes.experts, *inner, sizes.hidden));
  }
  return RunExperts<C>(ctx, options.experts, sizes, routes, *fc1, *fc2, fc3.get());
}

absl::StatusOr<Options> ReadOptions(const KernelInit& node) {
  Options options;
  OC_ASSIGN_OR_RETURN(options.experts, ReadExpertAttributes(node));
  node.Ignore("accuracy_level");  // allows less accuracy
  const std::string format = node.String("quant_type");
  if (format == "int") {
    options.format = Format::kInt;
  } else if (format == "fp8") {
    options.format = Format::kFp8;
  } else if (format == "fp4") {
    options.format = Format::kMxFp4;
  } else if (format == "nvfp4") {
    options.format = Format::kNvFp4;
  } else if (format == "wfp4afp8") {
    return absl::UnimplementedError(
        "quant_type \"wfp4afp8\" is not supported: how it rounds activations is not documented");
  } else {
    return absl::InvalidArgumentError(absl::StrCat("quant_type \"", format, "\" is not known"));
  }
  options.block_size = std::max<int64_t>(node.Int("block_size", 0), 0);
  const int64_t bits = node.Int("expert_weight_bits");
  for (int layer = 0; layer < 3; ++layer) {
    int64_t& own = options.bits[static_cast<size_t>(layer)];
    own = node.Int(absl::StrCat(LayerName(layer), "_expert_weight_bits"), bits);
    if (options.format == Format::kInt) OC_RETURN_IF_ERROR(CodeType(own).status());
    if (options.format == Format::kMxFp4 || options.format == Format::kNvFp4) own = 4;
  }
  if (options.format == Format::kInt && options.block_size > 0) {
    OC_RETURN_IF_ERROR(CheckBlockSize(options.block_size));
  }
  const int64_t prepacked = node.Int("weights_prepacked");
  if (prepacked != -1 && prepacked != 0) {
    return absl::UnimplementedError(absl::StrCat("weights_prepacked is ", prepacked,
                                                 ": layouts of processors are not supported"));
  }
  return options;
}

// QMoE (com.microsoft 1): MoE with quantized weights,
//   int:   (code - zero) * scale in MatMulNBits' layout, a scale for each row or each block of a
//          row, whose last may be shorter; the zero point is 2^(bits - 1) by default
//   fp8:   float8e4m3fn * the scale of its square of block_size, or of its expert
//   fp4:   float4e2m1 * float8e8m0 scale of 32 in a row * global scale of its expert; nvfp4: * a
//          float8e4m3fn scale of 16
// Without router_weights the mixing weights are the softmax of the chosen experts' numbers,
// whatever normalize_routing_weights says, as in onnxruntime. Activations are never quantized;
// narrow floats are computed in float and rounded once.
Kernel QMoe(const KernelInit& node) {
  const absl::StatusOr<Options> options = ReadOptions(node);
  if (!options.ok()) return node.Fail(options.status());
  return [options = *options](KernelContext& ctx) {
    return DispatchFloat(ctx.Input(0).dtype(), [&]<typename C>() { return Run<C>(ctx, options); });
  };
}

}  // namespace

void RegisterContribQMoe(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QMoE", {1}, QMoe);
}

}  // namespace onnxcmp
