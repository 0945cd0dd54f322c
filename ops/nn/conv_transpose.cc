#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/convolution/add_windows.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/products/gemm.h"

namespace onnxcmp {
namespace {

using Wide = __int128;  // sums and products of two int64 do not overflow it

// Nothing that is larger can be held in memory; below it, positions do not overflow.
constexpr int64_t kLimit = int64_t{1} << 40;

// Elements of the columns that are held at a time, about: what stays in a cache. But products of
// fewer rows are not made for that.
constexpr int64_t kColumns = int64_t{1} << 16;
constexpr int64_t kLeastRows = 64;

struct Attributes {
  std::vector<int64_t> kernel_shape;
  std::vector<int64_t> strides;
  std::vector<int64_t> pads;
  std::vector<int64_t> dilations;
  std::vector<int64_t> output_padding;
  std::vector<int64_t> output_shape;
  std::string auto_pad;
  int64_t group;
  bool has_pads_input;  // input 2, and B is input 3
};

absl::Status CheckSize(absl::string_view name, const std::vector<int64_t>& values, size_t want,
                       int64_t least) {
  if (values.empty()) return absl::OkStatus();
  if (values.size() != want) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has ", values.size(), " values, not ", want));
  }
  for (int64_t value : values) {
    if (value < least || value > kLimit) {
      return absl::InvalidArgumentError(absl::StrCat(name, " holds ", value));
    }
  }
  return absl::OkStatus();
}

int64_t At(const std::vector<int64_t>& values, size_t i, int64_t fallback) {
  return values.empty() ? fallback : values[i];
}

// The windows of the convolution that this one transposes: they slide over Y, one for each element
// of X.
absl::StatusOr<Windows> Plan(const Attributes& attributes, absl::Span<const int64_t> input,
                             absl::Span<const int64_t> kernel) {
  const size_t rank = input.size();
  OC_RETURN_IF_ERROR(CheckSize("strides", attributes.strides, rank, 1));
  OC_RETURN_IF_ERROR(CheckSize("dilations", attributes.dilations, rank, 1));
  OC_RETURN_IF_ERROR(CheckSize("output_padding", attributes.output_padding, rank, 0));
  std::vector<int64_t> wanted = attributes.output_shape;
  if (wanted.size() == rank + 2) wanted.erase(wanted.begin(), wanted.begin() + 2);
  OC_RETURN_IF_ERROR(CheckSize("output_shape", wanted, rank, 0));
  const bool is_padded = attributes.auto_pad == "NOTSET" && wanted.empty();
  if (is_padded) OC_RETURN_IF_ERROR(CheckSize("pads", attributes.pads, 2 * rank, 0));
  if (!attributes.kernel_shape.empty() && kernel != absl::MakeConstSpan(attributes.kernel_shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel_shape ", absl::StrJoin(attributes.kernel_shape, "x"),
                     " is not the weights' ", absl::StrJoin(kernel, "x")));
  }
  Windows windows;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t stride = At(attributes.strides, i, 1);
    const int64_t dilation = At(attributes.dilations, i, 1);
    // Without any padding.
    const Wide whole = input[i] == 0
                           ? Wide{0}
                           : Wide{input[i] - 1} * stride + Wide{kernel[i] - 1} * dilation + 1 +
                                 At(attributes.output_padding, i, 0);
    Wide begin = 0;
    Wide output = whole;
    if (!wanted.empty() || attributes.auto_pad == "SAME_UPPER" ||
        attributes.auto_pad == "SAME_LOWER") {
      output = wanted.empty() ? Wide{input[i]} * stride : Wide{wanted[i]};
      if (attributes.has_pads_input) output = std::min(output, whole);
      Wide total = whole - output;
      if (!wanted.empty()) total = std::max<Wide>(0, total);
      const Wide half = (total - (total < 0 ? 1 : 0)) / 2;  // rounded down
      begin = attributes.auto_pad == "SAME_UPPER" ? half : total - half;
    } else if (is_padded && !attributes.pads.empty()) {
      begin = attributes.pads[i];
      output = whole - begin - attributes.pads[i + rank];
    }
    if (kernel[i] < 1 || whole > kLimit || output < 0 || output > kLimit) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a kernel of ", kernel[i], " with stride ", stride, " and dilation ", dilation, " over ",
          input[i], " elements gives no output in spatial dimension ", i));
    }
    windows.push_back({static_cast<int64_t>(output), input[i], kernel[i], stride, dilation,
                       static_cast<int64_t>(begin)});
  }
  return windows;
}

// Y += W^T X, not empty: columns, group by group, which are added up. A plane of Y begins with
// start(plane).
template <typename C, typename Start>
absl::Status AddProducts(KernelContext& ctx, const Windows& windows, int64_t groups,
                         const Tensor& x, const Tensor& w, const Start& start, Tensor* y) {
  const int64_t in_channels = x.dim(1) / groups;
  const int64_t out_channels = w.dim(1);  // of a group
  const int64_t inputs = NumOutputs(windows);
  const int64_t taps = NumTaps(windows);
  const int64_t pixels = y->num_elements() / (x.dim(0) * groups * out_channels);
  const std::optional<int64_t> of_group = NumElements({out_channels, taps, inputs});
  if (!of_group.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(out_channels, " channels of ", taps, " taps over ", inputs, " elements"));
  }
  // Parts of a group's channels, or several whole groups.
  const int64_t parts = std::clamp<int64_t>(*of_group / kColumns, 1,
                                            std::max<int64_t>(1, out_channels * taps / kLeastRows));
  const int64_t part_channels = (out_channels + parts - 1) / parts;
  const int64_t total = x.dim(0) * groups;
  const int64_t at_once = std::clamp<int64_t>(kColumns / *of_group, 1, total);
  OC_ASSIGN_OR_RETURN(Tensor columns,
                      ctx.Allocate(kDTypeOf<C>, {at_once, part_channels, taps, inputs}));
  for (int64_t begin = 0; begin < total; begin += at_once) {
    const int64_t count = std::min(at_once, total - begin);
    for (int64_t channel = 0; channel < out_channels; channel += part_channels) {
      std::vector<int64_t> w_offsets(static_cast<size_t>(count));
      for (int64_t i = 0; i < count; ++i) {
        w_offsets[static_cast<size_t>(i)] =
            ((begin + i) % groups * in_channels * out_channels + channel) * taps;
      }
      const int64_t planes = std::min(part_channels, out_channels - channel);
      const int64_t rows = planes * taps;
      Gemm<C>(ctx.pool(), {rows, inputs, in_channels, count},
              {w.data<C>(), 1, out_channels * taps, 0, w_offsets},
              {x.data<C>() + begin * in_channels * inputs, inputs, 1, in_channels * inputs, {}},
              {columns.mutable_data<C>(), inputs, rows * inputs, {}, false});
      const int64_t first = begin * out_channels + channel;
      AddWindows(ctx.pool(), windows, count * planes, columns.data<C>(),
                 y->mutable_data<C>() + first * pixels,
                 [&](int64_t plane) { return start(first + plane); });
    }
  }
  return absl::OkStatus();
}

template <typename C>
absl::Status Run(KernelContext& ctx, const Attributes& attributes) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor w, LoadTensor<C>(ctx, ctx.Input(1)));
  const int64_t groups = attributes.group;
  if (x.rank() < 3 || w.rank() != x.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("X and W must have one rank of at least 3, not ",
                                                   x.TypeString(), " and ", w.TypeString()));
  }
  if (groups < 1 || x.dim(1) % groups != 0 || w.dim(0) != x.dim(1)) {
    return absl::InvalidArgumentError(absl::StrCat("X, ", x.TypeString(), ", and W, ",
                                                   w.TypeString(), ", do not fit ", groups,
                                                   groups == 1 ? " group" : " groups"));
  }
  const int64_t out_channels = w.dim(1);  // of a group
  Tensor bias;
  const int bias_input = attributes.has_pads_input ? 3 : 2;
  if (ctx.HasInput(bias_input)) {
    OC_ASSIGN_OR_RETURN(bias, LoadTensor<C>(ctx, ctx.Input(bias_input)));
    if (bias.rank() != 1 || bias.dim(0) % groups != 0 || bias.dim(0) / groups != out_channels) {
      return absl::InvalidArgumentError(absl::StrCat("B is ", bias.TypeString(), ", but there are ",
                                                     groups, " times ", out_channels,
                                                     " output channels"));
    }
  }
  OC_ASSIGN_OR_RETURN(const Windows windows,
                      Plan(attributes, absl::MakeConstSpan(x.shape()).subspan(2),
                           absl::MakeConstSpan(w.shape()).subspan(2)));
  const std::optional<int64_t> channels = NumElements({groups, out_channels});
  if (!channels.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(groups, " times ", out_channels, " output channels"));
  }
  Shape shape = {x.dim(0), *channels};
  for (const WindowDim& dim : windows) shape.push_back(dim.input);
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, shape));
  C* out = y.mutable_data<C>();
  const auto start = [&](int64_t plane) {
    return bias.defined() ? bias.data<C>()[plane % *channels] : C{0};
  };
  if (y.num_elements() > 0 && x.num_elements() == 0) {
    const int64_t pixels = y.num_elements() / (x.dim(0) * *channels);
    for (int64_t p = 0; p < x.dim(0) * *channels; ++p)
      std::fill_n(out + p * pixels, pixels, start(p));
  } else if (y.num_elements() > 0) {
    OC_RETURN_IF_ERROR(AddProducts<C>(ctx, windows, groups, x, w, start, &y));
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, dtype));
  return ctx.SetOutput(0, std::move(y));
}

// ConvTranspose (ai.onnx 1, 11, 22): every element of X adds its multiple of W to the window of Y
// that it stands for, Y[n, m, o * stride - pad_begin + t * dilation] += W[c, m, t] * X[n, c, o],
// over the channels c of m's group; then B is added. With output_shape or auto_pad SAME_*, where Y
// has `input * stride` elements, the padding follows from Y's size, the odd element at the
// beginning but for SAME_UPPER. The text of version 1 has the halves the other way round; it was
// corrected in 11. Negative padding, where the stride is greater than the kernel, is split like
// that too, halves rounded down; beside output_shape it lies at the end.
//
// ConvTransposeWithDynamicPads (com.microsoft 1): the same with the pads in an input, and no
// output_shape. SAME_* does not make Y larger than it is without padding.
absl::StatusOr<Kernel> ConvTranspose(const KernelInit& node) {
  const bool has_pads_input = node.node().domain == kMicrosoftDomain;
  const auto pads = [&](absl::string_view name) {
    return has_pads_input ? std::vector<int64_t>() : node.Ints(name);
  };
  Attributes attributes = {
      node.Ints("kernel_shape"), node.Ints("strides"),        pads("pads"),
      node.Ints("dilations"),    node.Ints("output_padding"), pads("output_shape"),
      node.String("auto_pad"),   node.Int("group"),           has_pads_input};
  const std::string& pad = attributes.auto_pad;
  if (pad != "NOTSET" && pad != "VALID" && pad != "SAME_UPPER" && pad != "SAME_LOWER") {
    return absl::InvalidArgumentError(absl::StrCat(
        "auto_pad must be NOTSET, SAME_UPPER, SAME_LOWER or VALID, not \"", pad, "\""));
  }
  return [given = std::move(attributes)](KernelContext& ctx) -> absl::Status {
    Attributes attributes = given;
    if (given.has_pads_input && ctx.HasInput(2)) {
      OC_ASSIGN_OR_RETURN(attributes.pads, ctx.IntsInput(2));
    }
    return DispatchFloat(ctx.Input(0).dtype(),
                         [&]<typename C>() { return Run<C>(ctx, attributes); });
  };
}

}  // namespace

void RegisterConvTranspose(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "ConvTranspose", {1, 11, 22}, ConvTranspose);
  registry.Add(kMicrosoftDomain, "ConvTransposeWithDynamicPads", {1}, ConvTranspose);
}

}  // namespace onnxcmp
