#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/quantized/quantization.h"
#include "ops/common/reduction/softmax.h"
#include "ops/contrib/block_quantized/block_quantization.h"
#include "ops/contrib/experts/experts.h"

namespace onnxcmp {
namespace {

enum InputIndex : int {
  kWeights = 2,  // and scales, bias after them; three inputs for each layer
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
  int64_t prepacked = 0;
  bool documented_routes = false;  // MoE's; else the softmax of the chosen experts' numbers
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
    if (inputs % 8 * bits_ % 8 != 0) {
      return absl::InvalidArgumentError(absl::StrCat(LayerName(layer), " has ", inputs,
                                                     " inputs of ", bits_,
                                                     " bits, which do not fill bytes"));
    }
    row_bytes_ = inputs / 8 * bits_ + inputs % 8 * bits_ / 8;
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
    if (bits_ == 3) return WidenCodes(ctx, layer, experts);
    if (!ctx.HasInput(kZeroPoints + layer)) return absl::OkStatus();
    // Packed along the blocks of a row, or, without blocks, along the rows.
    const int64_t per_byte = 8 / bits_;
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
  // Codes of 3 bits, a row being one stream of bits, as bytes with the zero point 128 in place of
  // 4, which their own zero points have to be.
  absl::Status WidenCodes(const KernelContext& ctx, int layer, int64_t experts) {
    const auto code_at = [](const uint8_t* row, int64_t index) {
      const int64_t bit = 3 * index;
      const int high = bit % 8 > 5 ? row[bit / 8 + 1] << 8 : 0;
      return (row[bit / 8] | high) >> (bit % 8) & 7;
    };
    if (ctx.HasInput(kZeroPoints + layer)) {
      OC_ASSIGN_OR_RETURN(const Tensor zeros, ctx.ContiguousInput(kZeroPoints + layer));
      const int64_t bytes = (3 * blocks_ + 7) / 8;
      const Shape shape = {experts, this->outputs, bytes};
      if (zeros.dtype() != DType::kUint8 || zeros.shape() != shape) {
        return BadShape(layer, "zero points of uint8", zeros, shape);
      }
      for (int64_t i = 0; i < experts * this->outputs * blocks_; ++i) {
        const int zero = code_at(zeros.data<uint8_t>() + i / blocks_ * bytes, i % blocks_);
        if (zero == 4) continue;
        return absl::InvalidArgumentError(
            absl::StrCat(LayerName(layer), " has a zero point of ", zero, ", not 4, of 3 bits"));
      }
    }
    OC_ASSIGN_OR_RETURN(Tensor wide,
                        ctx.Allocate(DType::kUint8, {experts, this->outputs, this->inputs}));
    for (int64_t i = 0; i < wide.num_elements(); ++i) {
      const uint8_t* row = codes_.data<uint8_t>() + i / this->inputs * row_bytes_;
      wide.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(code_at(row, i % this->inputs) + 124);
    }
    codes_ = std::move(wide);
    bits_ = 8;
    row_bytes_ = this->inputs;
    return absl::OkStatus();
  }

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
    OC_ASSIGN_OR_RETURN(Tensor bytes, ctx.ContiguousInput(index));
    const Shape shape = {experts, outputs, fp8 ? inputs : inputs / 2};
    const Shape by_inputs = {experts, inputs, outputs / 2};
    if (options.format == Format::kNvFp4 && bytes.shape() == by_inputs && outputs % 2 == 0 &&
        bytes.dtype() == DType::kUint8) {
      if (options.prepacked != 1) {
        OC_ASSIGN_OR_RETURN(bytes, PackedByInputs(ctx, bytes, experts));
      }
      bytes = bytes.Reshaped(shape);
    }
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
    if (options.format == Format::kMxFp4 && !ctx.HasInput(kGlobalScale + layer)) {
      return absl::OkStatus();
    }
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
  // Two codes a byte along the inputs, from two along the outputs: inputs x outputs / 2.
  absl::StatusOr<Tensor> PackedByInputs(const KernelContext& ctx, const Tensor& bytes,
                                        int64_t experts) const {
    const int64_t outputs = this->outputs;
    const int64_t inputs = this->inputs;
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kUint8, {experts, outputs, inputs / 2}));
    const uint8_t* from = bytes.data<uint8_t>();
    const auto code_at = [&](int64_t expert, int64_t n, int64_t k) {
      return from[(expert * inputs + k) * (outputs / 2) + n / 2] >> (4 * (n % 2)) & 15;
    };
    for (int64_t i = 0; i < result.num_elements(); ++i) {
      const int64_t k = i % (inputs / 2) * 2;
      const int64_t n = i / (inputs / 2) % outputs;
      const int64_t expert = i / (inputs / 2) / outputs;
      result.mutable_data<uint8_t>()[i] =
          static_cast<uint8_t>(code_at(expert, n, k) | code_at(expert, n, k + 1) << 4);
    }
    return result;
  }

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

// The router's numbers choose the experts; the weights are the softmax of those k numbers or MoE's,
// or what router_weights has for them.
template <typename C>
absl::StatusOr<Routes<C>> RoutesOf(const KernelContext& ctx, const ExpertSizes& sizes,
                                   const Options& options) {
  const ExpertAttributes& attributes = options.experts;
  if (options.documented_routes && !ctx.HasInput(kRouterWeights)) {
    return SoftmaxRoutes<C>(ctx, sizes, attributes);
  }
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

// How many inputs the second layer has; nothing if there are too many.
absl::StatusOr<std::optional<int64_t>> InnerSize(const Options& options, const Tensor& second,
                                                 const ExpertSizes& sizes) {
  if (second.dtype() != DType::kUint8) return std::optional<int64_t>(second.dim(2));
  if (options.format == Format::kNvFp4 && second.dim(1) != sizes.hidden) {
    return std::optional<int64_t>(second.dim(1));  // inputs x outputs / 2
  }
  const int64_t bits = options.bits[1];
  const std::optional<int64_t> all = NumElements(Shape{second.dim(2), 8});
  if (all.has_value() && *all % bits != 0) {
    return absl::InvalidArgumentError(absl::StrCat("fc2's weights are ", second.TypeString(),
                                                   ", whose rows are not whole codes of ", bits,
                                                   " bits"));
  }
  return all.has_value() ? std::optional<int64_t>(*all / bits) : std::nullopt;
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(const ExpertSizes sizes, CheckExpertInputs(ctx, options.experts.k));
  const Tensor& second = ctx.Input(kWeights + 3);
  if (second.rank() != 3) {
    return absl::InvalidArgumentError(
        absl::StrCat("fc2's weights are ", second.TypeString(), ", not of rank 3"));
  }
  OC_ASSIGN_OR_RETURN(const std::optional<int64_t> inner, InnerSize(options, second, sizes));
  const std::optional<int64_t> outer =
      NumElements(Shape{inner.value_or(-1), options.experts.fused() ? 2 : 1});
  if (!outer.has_value()) return absl::InvalidArgumentError("fc2 has too many inputs");
  OC_ASSIGN_OR_RETURN(const Routes<C> routes, RoutesOf<C>(ctx, sizes, options));
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

// Checks the demands of onnxruntime on weights of 3 bits.
absl::StatusOr<Options> CheckThreeBits(const KernelInit& node, const Options& options) {
  const bool block =
      options.block_size == 32 || options.block_size == 64 || options.block_size == 128;
  if (!block || options.prepacked != 0 || !options.experts.swiglu ||
      options.experts.fusion != ExpertAttributes::Fusion::kInterleaved ||
      options.bits[2] != options.bits[0] || node.HasInput(kWeights + 6)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "weights of 3 bits need activation_type swiglu, swiglu_fusion 1, weights_prepacked 0, a ",
        "block_size of 32, 64 or 128 and no fc3, but block_size is ", options.block_size,
        ", weights_prepacked ", options.prepacked));
  }
  return options;
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
    if (options.format == Format::kInt && own != 3) OC_RETURN_IF_ERROR(CodeType(own).status());
    if (options.format == Format::kMxFp4 || options.format == Format::kNvFp4) own = 4;
  }
  if (options.format == Format::kInt && options.block_size > 0) {
    OC_RETURN_IF_ERROR(CheckBlockSize(options.block_size));
  }
  options.prepacked = node.Int("weights_prepacked");
  if (options.prepacked < -1 || options.prepacked > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("weights_prepacked is ", options.prepacked, ", not -1, 0 or 1"));
  }
  if (options.format == Format::kInt && options.prepacked == 1) {
    return absl::UnimplementedError(
        "weights_prepacked is 1: layouts of processors are not supported");
  }
  const bool three_bits =
      options.format == Format::kInt && std::count(options.bits.begin(), options.bits.end(), 3) > 0;
  options.documented_routes = options.format != Format::kInt || three_bits;
  return three_bits ? CheckThreeBits(node, options) : options;
}

// QMoE (com.microsoft 1): MoE with quantized weights,
//   int:   (code - zero) * scale in MatMulNBits' layout, a scale for each row or each block of a
//          row, whose last may be shorter; the zero point is 2^(bits - 1) by default
//          By 3 bits a row is one stream of bits, and the zero point 4.
//   fp8:   float8e4m3fn * the scale of its square of block_size, or of its expert
//   fp4:   float4e2m1 * float8e8m0 scale of 32 in a row * global scale of its expert, if there is
//          one; nvfp4: * a float8e4m3fn scale of 16 * global scale. Two codes a byte along a row;
//          of nvfp4 weights (experts, inputs, outputs / 2) along the outputs, unless
//          weights_prepacked is 1
// Without router_weights the mixing weights are MoE's; of whole numbers of 2, 4 or 8 bits they are
// the softmax of the chosen experts' numbers, whatever normalize_routing_weights says, as in
// onnxruntime. Activations are never quantized; narrow floats are computed in float and rounded
// once.
absl::StatusOr<Kernel> QMoe(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const Options options, ReadOptions(node));
  return FloatKernel(0, [options]<typename C>(KernelContext& ctx) { return Run<C>(ctx, options); });
}

}  // namespace

void RegisterContribQMoe(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "QMoE", {1}, QMoe);
}

}  // namespace onnxcmp
