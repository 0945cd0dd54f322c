#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/conv_family.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/gemm.h"
#include "ops/common/shapes/check_shape.h"

namespace onnxcmp {
namespace {

constexpr size_t kMaxDims = 8;  // 2^dims elements make one sample

struct Attributes {
  ConvAttributes conv;
  int64_t offset_groups;
};

// The value of a plane at a position between its elements: multilinear, with zeros around it.
template <typename C>
C Sample(const C* plane, const Windows& windows, const std::array<C, kMaxDims>& position) {
  std::array<int64_t, kMaxDims> low;
  std::array<C, kMaxDims> fraction;
  const size_t dims = windows.size();
  for (size_t d = 0; d < dims; ++d) {
    if (position[d] != position[d]) return position[d];
    if (!(position[d] > -1 && position[d] < static_cast<C>(windows[d].input))) return 0;
    const C floor = std::floor(position[d]);
    low[d] = static_cast<int64_t>(floor);
    fraction[d] = position[d] - floor;
  }
  C sum = 0;
  for (size_t corner = 0; corner < size_t{1} << dims; ++corner) {
    C weight = 1;
    int64_t at = 0;
    bool inside = true;
    for (size_t d = 0; d < dims; ++d) {
      const int64_t high = static_cast<int64_t>(corner >> (dims - 1 - d) & 1);
      const int64_t i = low[d] + high;
      inside = inside && i >= 0 && i < windows[d].input;
      at = at * windows[d].input + i;
      weight *= high == 1 ? fraction[d] : 1 - fraction[d];
    }
    if (inside) sum += weight * plane[at];
  }
  return sum;
}

// Everything that the columns of one batch entry are made of.
template <typename C>
struct Deformation {
  const Windows& windows;
  int64_t channels;       // of X
  int64_t offset_groups;  // channels / offset_groups share offsets
  int64_t pixels;         // of a plane of X
  const C* x;
  const C* offset;  // [offset group][tap][dimension][output]
  const C* mask;    // [offset group][tap][output], or null
};

// columns[c, t, o] for one channel and tap.
template <typename C>
void SampleRow(const Deformation<C>& from, int64_t channel, int64_t tap, C* column) {
  const Windows& windows = from.windows;
  const size_t dims = windows.size();
  const int64_t outputs = NumOutputs(windows);
  const int64_t group = channel / (from.channels / from.offset_groups);
  const int64_t row = group * NumTaps(windows) + tap;
  const C* offset = from.offset + row * static_cast<int64_t>(dims) * outputs;
  std::array<C, kMaxDims> position;
  for (int64_t o = 0; o < outputs; ++o) {
    int64_t rest_output = o;
    int64_t rest_tap = tap;
    for (size_t d = dims; d-- > 0;) {
      const WindowDim& dim = windows[d];
      const int64_t regular = rest_output % dim.output * dim.stride - dim.pad_begin +
                              rest_tap % dim.kernel * dim.dilation;
      position[d] = static_cast<C>(regular) + offset[static_cast<int64_t>(d) * outputs + o];
      rest_output /= dim.output;
      rest_tap /= dim.kernel;
    }
    column[o] = Sample(from.x + channel * from.pixels, windows, position);
    if (from.mask != nullptr) column[o] *= from.mask[row * outputs + o];
  }
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Attributes& attributes) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor w, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const Tensor offset, LoadTensor<C>(ctx, ctx.Input(2)));
  Tensor bias;
  if (ctx.HasInput(3)) {
    OC_ASSIGN_OR_RETURN(bias, LoadTensor<C>(ctx, ctx.Input(3)));
  }
  Tensor mask;
  if (ctx.HasInput(4)) {
    OC_ASSIGN_OR_RETURN(mask, LoadTensor<C>(ctx, ctx.Input(4)));
  }
  OC_ASSIGN_OR_RETURN(const ConvPlan plan,
                      PlanConv(attributes.conv, x, w, bias.defined() ? &bias : nullptr));
  const ConvolutionShape& shape = plan.shape;
  const Windows& windows = shape.windows;
  if (windows.size() > kMaxDims) {
    return absl::UnimplementedError(
        absl::StrCat(windows.size(), " spatial dimensions; at most ", kMaxDims, " are supported"));
  }
  const int64_t channels = x.dim(1);
  const int64_t groups = attributes.offset_groups;
  const int64_t taps = NumTaps(windows);
  const int64_t outputs = NumOutputs(windows);
  if (groups < 1 || channels % groups != 0 || groups > channels) {
    return absl::InvalidArgumentError(
        absl::StrCat(channels, " channels cannot be cut into ", groups, " offset groups"));
  }
  Shape parameters = plan.output;
  parameters[1] = groups * taps;
  if (mask.defined()) OC_RETURN_IF_ERROR(CheckShape("mask", mask, parameters));
  parameters[1] *= static_cast<int64_t>(windows.size());
  OC_RETURN_IF_ERROR(CheckShape("offset", offset, parameters));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, plan.output));
  if (y.num_elements() > 0) {
    OC_ASSIGN_OR_RETURN(Tensor columns, ctx.Allocate(kDTypeOf<C>, {channels, taps, outputs}));
    C* column = columns.mutable_data<C>();
    C* out = y.mutable_data<C>();
    const int64_t depth = shape.in_channels * taps;
    const int64_t out_channels = shape.groups * shape.out_channels;
    for (int64_t n = 0; n < shape.batch; ++n) {
      const Deformation<C> from = {
          windows,
          channels,
          groups,
          x.num_elements() / (shape.batch * channels),
          x.data<C>() + n * (x.num_elements() / shape.batch),
          offset.data<C>() + n * (offset.num_elements() / shape.batch),
          mask.defined() ? mask.data<C>() + n * (mask.num_elements() / shape.batch) : nullptr};
      ctx.pool().ParallelRanges(channels * taps, std::max<int64_t>(1, 1024 / outputs),
                                [&](int64_t begin, int64_t end) {
                                  for (int64_t row = begin; row < end; ++row) {
                                    SampleRow(from, row / taps, row % taps, column + row * outputs);
                                  }
                                });
      C* image = out + n * out_channels * outputs;
      Gemm<C>(ctx.pool(), {shape.out_channels, outputs, depth, shape.groups},
              {w.data<C>(), depth, 1, shape.out_channels * depth, {}},
              {column, outputs, 1, depth * outputs, {}},
              {image, outputs, shape.out_channels * outputs, {}, false});
      for (int64_t m = 0; m < out_channels && bias.defined(); ++m) {
        for (int64_t o = 0; o < outputs; ++o) image[m * outputs + o] += bias.data<C>()[m];
      }
    }
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// DeformConv (ai.onnx 19, 22): a convolution whose taps are moved:
//   Y[n, m, o] = B[m] + sum over c, t of W[m, c, t] * mask[n, g, t, o] *
//                X[n, c] at (o * stride - pad + t * dilation + offset[n, g, t, :, o])
// where g is the offset group of c, X is interpolated multilinearly and zero outside of itself.
absl::StatusOr<Kernel> DeformConv(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const ConvAttributes conv, ConvAttributes::FromNode(node));
  const Attributes attributes = {conv, node.Int("offset_group")};
  return FloatKernel(
      0, [attributes]<typename C>(KernelContext& ctx) { return Run<C>(ctx, attributes); });
}

}  // namespace

void RegisterDeformConv(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "DeformConv", {19, 22}, DeformConv);
}

}  // namespace onnxcmp
