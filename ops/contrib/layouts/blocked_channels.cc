#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ops/common/convolution/conv_family.h"
#include "ops/common/convolution/pooling.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/movement/inner_kernel.h"
#include "ops/common/movement/movement.h"
#include "ops/common/movement/resize.h"
#include "ops/common/shapes/views.h"
#include "ops/contrib/layouts/layouts.h"

// com.microsoft.nchwc is what onnxruntime writes for its own convolutions. A tensor of shape
// (N, C, H, W) holds [N][C / block][H][W][block], C being padded with zeros to whole blocks. The
// block is 16 where the model was optimized on a processor with AVX-512, 8 on others, and nothing
// in the file says which. Who knows gives it (OperatorOptions). Otherwise channels that are no
// multiple of 16 tell that it is 8; without such evidence it is taken to be 16.
namespace onnxcmp {
namespace {

constexpr int64_t kLargeBlock = 16;
constexpr int64_t kSmallBlock = 8;

// The block of `count` padded channels; `given` is 0 if unknown.
absl::StatusOr<int64_t> BlockOf(int64_t count, int64_t given) {
  for (const int64_t block : {kLargeBlock, kSmallBlock}) {
    if ((given == 0 || given == block) && count % block == 0) return block;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(count, " channels are not a whole number of blocks"));
}

absl::Status CheckRank(const Tensor& x) {
  if (x.rank() == 4) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("X must have rank 4, not ", x.TypeString()));
}

// The elements of `view` in its order, as a tensor of another shape.
absl::StatusOr<Tensor> Rearranged(const KernelContext& ctx, const Tensor& view,
                                  absl::Span<const int64_t> shape) {
  OC_ASSIGN_OR_RETURN(const Tensor contiguous, ctx.Contiguous(view));
  return contiguous.Reshaped(shape);
}

// [N][C / block][H][W][block] as (N, C, H, W), and back.
absl::StatusOr<Tensor> FromBlocks(const KernelContext& ctx, const Tensor& blocked, int64_t block) {
  const Shape& shape = blocked.shape();
  OC_ASSIGN_OR_RETURN(
      const Tensor blocks,
      Rearranged(ctx, blocked, {shape[0], shape[1] / block, shape[2], shape[3], block}));
  return Rearranged(ctx, Permuted(blocks, {0, 1, 4, 2, 3}), shape);
}
absl::StatusOr<Tensor> ToBlocks(const KernelContext& ctx, const Tensor& x, int64_t block) {
  const Shape& shape = x.shape();
  OC_ASSIGN_OR_RETURN(const Tensor blocks,
                      Rearranged(ctx, x, {shape[0], shape[1] / block, block, shape[2], shape[3]}));
  return Rearranged(ctx, Permuted(blocks, {0, 1, 3, 4, 2}), shape);
}

// An operator on blocks of X and Y: the kernel between two changes of layout.
Kernel OnBlocks(Kernel kernel, int64_t given) {
  return [kernel = std::move(kernel), given](KernelContext& ctx) -> absl::Status {
    OC_RETURN_IF_ERROR(CheckRank(ctx.Input(0)));
    OC_ASSIGN_OR_RETURN(const int64_t block, BlockOf(ctx.Input(0).dim(1), given));
    OC_ASSIGN_OR_RETURN(const Tensor x, FromBlocks(ctx, ctx.Input(0), block));
    OC_ASSIGN_OR_RETURN(std::vector<Value> outputs, RunInner(ctx, kernel, {x}));
    OC_ASSIGN_OR_RETURN(Tensor y, ToBlocks(ctx, outputs[0].tensor(), block));
    return ctx.SetOutput(0, std::move(y));
  };
}

// ReorderInput (com.microsoft.nchwc 1): Y = X in blocks; X is (N, C, H, W), or (N, H, W, C) with
// channels_last.
Kernel ReorderInput(const KernelInit& node, int64_t given) {
  const bool channels_last = node.Flag("channels_last");
  return [=](KernelContext& ctx) -> absl::Status {
    OC_RETURN_IF_ERROR(CheckRank(ctx.Input(0)));
    const Tensor x = channels_last ? ChannelsFirst(ctx.Input(0)) : ctx.Input(0);
    const int64_t channels = x.dim(1);
    const int64_t block = given == 0 ? kLargeBlock : given;
    Shape shape = x.shape();
    shape[1] = channels / block * block + (channels % block == 0 ? 0 : block);
    OC_ASSIGN_OR_RETURN(Tensor padded, ctx.Allocate(x.dtype(), shape));
    FillWithZeros(&padded);
    CopyIntoBlock(x, padded.strides(), 0, ctx.pool(), &padded);
    OC_ASSIGN_OR_RETURN(Tensor y, ToBlocks(ctx, padded, block));
    return ctx.SetOutput(0, std::move(y));
  };
}

// ReorderOutput (com.microsoft.nchwc 1): Y = the first `channels` channels of X, which is in
// blocks, as (N, C, H, W), or (N, H, W, C) with channels_last.
Kernel ReorderOutput(const KernelInit& node, int64_t given) {
  const int64_t channels = node.Int("channels");
  const bool channels_last = node.Flag("channels_last");
  return [=](KernelContext& ctx) -> absl::Status {
    OC_RETURN_IF_ERROR(CheckRank(ctx.Input(0)));
    const int64_t padded = ctx.Input(0).dim(1);
    OC_ASSIGN_OR_RETURN(const int64_t block, BlockOf(padded, given));
    if (channels < 1 || channels > padded || padded - channels >= block) {
      return absl::InvalidArgumentError(absl::StrCat(channels, " channels do not fill the ", padded,
                                                     " of X in blocks of ", block));
    }
    OC_ASSIGN_OR_RETURN(const Tensor x, FromBlocks(ctx, ctx.Input(0), block));
    const Tensor y = Narrowed(x, 1, 0, channels);
    return ctx.SetOutput(0, channels_last ? ChannelsLast(y) : y);
  };
}

// The blocks of a convolution.
struct ConvBlocks {
  int64_t block;
  bool of_input;   // X is in blocks, not (N, C, H, W)
  bool of_weight;  // W has blocks of input channels too
};

absl::StatusOr<ConvBlocks> ConvBlocksOf(const Tensor& x, const Tensor& w, int64_t group,
                                        int64_t given) {
  OC_RETURN_IF_ERROR(CheckRank(x));
  if (w.rank() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("W must have rank 4, not ", w.TypeString()));
  }
  const int64_t outputs = w.dim(0);
  const int64_t inputs = w.dim(1);
  const bool depthwise = group > 1 && inputs == 1 && outputs == group;
  OC_ASSIGN_OR_RETURN(int64_t block, BlockOf(outputs, given));
  const bool grouped = group > 1 && !depthwise;  // each group has whole blocks, in and out
  const bool of_small_blocks =
      ((depthwise || grouped || inputs > kLargeBlock) && x.dim(1) % kLargeBlock != 0) ||
      (grouped && (inputs % kLargeBlock != 0 || outputs / group % kLargeBlock != 0));
  if (given == 0 && of_small_blocks) block = kSmallBlock;
  const ConvBlocks blocks = {block, depthwise || inputs >= block, inputs >= block};
  if (outputs % block != 0 || (blocks.of_input && x.dim(1) % block != 0) ||
      (blocks.of_weight && inputs % block != 0)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "X, ", x.TypeString(), ", and W, ", w.TypeString(), ", are not whole blocks of ", block));
  }
  return blocks;
}

// [O / block][I / block][h][w][block of I][block of O], or [O / block][I][h][w][block of O], as
// (O, I, h, w).
absl::StatusOr<Tensor> WeightFromBlocks(const KernelContext& ctx, const Tensor& w,
                                        const ConvBlocks& blocks) {
  const Shape& shape = w.shape();
  const int64_t block = blocks.block;
  if (!blocks.of_weight) {
    OC_ASSIGN_OR_RETURN(
        const Tensor outer,
        Rearranged(ctx, w, {shape[0] / block, shape[1], shape[2], shape[3], block}));
    return Rearranged(ctx, Permuted(outer, {0, 4, 1, 2, 3}), shape);
  }
  OC_ASSIGN_OR_RETURN(
      const Tensor outer,
      Rearranged(ctx, w, {shape[0] / block, shape[1] / block, shape[2], shape[3], block, block}));
  return Rearranged(ctx, Permuted(outer, {0, 5, 1, 4, 2, 3}), shape);
}

// Conv (com.microsoft.nchwc 1): Y = activation(conv(X, W) + B + Sum), Sum and Y in blocks. X is in
// blocks too, unless it has fewer channels than a block; W as WeightFromBlocks says, with blocks of
// input channels if each group has a block of them or more.
absl::StatusOr<Kernel> Conv(const KernelInit& node, const KernelMaker& fused_conv, int64_t given) {
  const int64_t group = node.Int("group");
  OC_ASSIGN_OR_RETURN(Kernel conv, fused_conv(node));
  return [group, given, conv = std::move(conv)](KernelContext& ctx) -> absl::Status {
    constexpr int kSum = 3;
    std::vector<Value> inputs = InputValues(ctx);
    const Tensor& x = ctx.Input(0);
    const Tensor& w = ctx.Input(1);
    OC_ASSIGN_OR_RETURN(const ConvBlocks blocks, ConvBlocksOf(x, w, group, given));
    if (blocks.of_input) {
      OC_ASSIGN_OR_RETURN(inputs[0], FromBlocks(ctx, x, blocks.block));
    }
    OC_ASSIGN_OR_RETURN(inputs[1], WeightFromBlocks(ctx, w, blocks));
    if (ctx.HasInput(kSum)) {
      const Tensor& sum = ctx.Input(kSum);
      if (sum.rank() != 4 || sum.dim(1) != w.dim(0)) {
        return absl::InvalidArgumentError(absl::StrCat(
            "Sum is ", sum.TypeString(), ", but there are ", w.dim(0), " output channels"));
      }
      OC_ASSIGN_OR_RETURN(inputs[kSum], FromBlocks(ctx, sum, blocks.block));
    }
    OC_ASSIGN_OR_RETURN(std::vector<Value> outputs, RunInner(ctx, conv, inputs));
    OC_ASSIGN_OR_RETURN(Tensor y, ToBlocks(ctx, outputs[0].tensor(), blocks.block));
    return ctx.SetOutput(0, std::move(y));
  };
}

// AveragePool (com.microsoft.nchwc 1): as ONNX's, but with count_include_pad the divisor is the
// size of the kernel, also where windows of ceil_mode reach beyond the padding.
absl::StatusOr<Kernel> AveragePool(const KernelInit& node, int64_t given) {
  const PoolDivisor divisor =
      node.Flag("count_include_pad") ? PoolDivisor::kTaps : PoolDivisor::kInputs;
  OC_ASSIGN_OR_RETURN(const WindowAttributes attributes, WindowAttributes::FromNode(node));
  return OnBlocks(
      [attributes, divisor](KernelContext& ctx) { return EmitAverages(ctx, attributes, divisor); },
      given);
}

// Upsample (com.microsoft.nchwc 1): Resize of H and W by the whole numbers scales[2] and scales[3].
absl::StatusOr<Kernel> Upsample(const KernelInit& node, int64_t given) {
  const std::vector<int64_t> scales = node.Ints("scales");
  const std::string mode = node.String("mode");
  const std::string coordinates = node.String("coordinate_transformation_mode");
  if (scales.size() != 4 || scales[0] != 1 || scales[1] != 1 || scales[2] < 1 || scales[3] < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "scales must be 1, 1 and two positive numbers, not [", ShapeToString(scales), "]"));
  }
  ResizeOptions options;
  options.nearest = Nearest::kFloor;
  if (mode == "linear") {
    options.interpolation = Interpolation::kLinear;
  } else if (mode != "nearest") {
    return absl::InvalidArgumentError(absl::StrCat("mode must be nearest or linear, not ", mode));
  }
  if (mode == "linear" && coordinates == "half_pixel") {
    options.coordinates = Coordinates::kHalfPixel;
  } else if (mode == "linear" && coordinates == "align_corners") {
    options.coordinates = Coordinates::kAlignCorners;
  } else if (coordinates != "asymmetric") {
    return absl::InvalidArgumentError(absl::StrCat(
        "the coordinate_transformation_mode of ", mode, " must be asymmetric",
        mode == "linear" ? ", half_pixel or align_corners" : "", ", not ", coordinates));
  }
  Kernel resize = [=](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    std::vector<ResizeAxis> axes;
    for (int axis : {2, 3}) {
      const int64_t scale = scales[static_cast<size_t>(axis)];
      int64_t output;
      if (__builtin_mul_overflow(x.dim(axis), scale, &output)) {
        return absl::InvalidArgumentError(absl::StrCat("scale ", scale, " is too large"));
      }
      axes.push_back({axis, output, static_cast<float>(scale), static_cast<float>(output)});
    }
    OC_ASSIGN_OR_RETURN(Tensor y, ResizeTensor(ctx, x, options, axes));
    return ctx.SetOutput(0, std::move(y));
  };
  return OnBlocks(std::move(resize), given);
}

// The operator of ONNX on blocks.
KernelMaker OnBlocks(const OpRegistry& registry, absl::string_view op_type, int version,
                     int64_t given) {
  const KernelMaker* maker = registry.FindKernel(kOnnxDomain, op_type, version);
  OC_CHECK(maker != nullptr);
  return [maker = *maker, given](const KernelInit& node) -> absl::StatusOr<Kernel> {
    OC_ASSIGN_OR_RETURN(Kernel kernel, maker(node));
    return OnBlocks(std::move(kernel), given);
  };
}

}  // namespace

void RegisterBlockedChannels(OpRegistry& registry, int64_t block) {
  const KernelMaker* fused_conv = registry.FindKernel(kMicrosoftDomain, "FusedConv", 1);
  OC_CHECK(fused_conv != nullptr);
  const auto add = [&](absl::string_view op_type, auto make) {
    registry.Add(kNchwcDomain, op_type, {1},
                 [make, block](const KernelInit& node) { return make(node, block); });
  };
  add("AveragePool", AveragePool);
  add("ReorderInput", ReorderInput);
  add("ReorderOutput", ReorderOutput);
  add("Upsample", Upsample);
  registry.Add(kNchwcDomain, "Conv", {1},
               [fused_conv = *fused_conv, block](const KernelInit& node) {
                 return Conv(node, fused_conv, block);
               });
  for (const char* op_type : {"GlobalAveragePool", "GlobalMaxPool", "MaxPool"}) {
    registry.Add(kNchwcDomain, op_type, {1}, OnBlocks(registry, op_type, 22, block));
  }
}

}  // namespace onnxcmp
