#include "ops/common/convolution/windows.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace onnxcmp {
namespace {

using Wide = __int128;  // sums and products of two int64 do not overflow it

// Nothing that is larger can be held in memory; below it, positions do not overflow.
constexpr int64_t kLimit = int64_t{1} << 40;

Wide FloorDivide(Wide value, Wide divisor) {  // divisor > 0
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

absl::Status CheckSize(absl::string_view name, const std::vector<int64_t>& values, size_t want,
                       int64_t least) {
  if (!values.empty() && values.size() != want) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " has ", values.size(), " values, not ", want));
  }
  for (int64_t value : values) {
    if (value < least) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " must not hold values below ", least, ", but it holds ", value));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WindowAttributes> WindowAttributes::FromNode(const KernelInit& node) {
  WindowAttributes attributes;
  attributes.kernel_shape_ = node.Ints("kernel_shape");
  attributes.strides_ = node.Ints("strides");
  attributes.pads_ = node.Ints("pads");
  attributes.dilations_ = node.Ints("dilations");
  attributes.auto_pad_ = node.String("auto_pad", "NOTSET");
  attributes.ceil_mode_ = node.Int("ceil_mode", 0) != 0;
  const std::string& auto_pad = attributes.auto_pad_;
  if (auto_pad != "NOTSET" && auto_pad != "VALID" && auto_pad != "SAME_UPPER" &&
      auto_pad != "SAME_LOWER") {
    return absl::InvalidArgumentError(absl::StrCat(
        "auto_pad must be NOTSET, SAME_UPPER, SAME_LOWER or VALID, not \"", auto_pad, "\""));
  }
  return attributes;
}

absl::StatusOr<Windows> WindowAttributes::Resolve(absl::Span<const int64_t> input,
                                                  absl::Span<const int64_t> kernel,
                                                  Excess excess) const {
  const size_t rank = input.size();
  OC_RETURN_IF_ERROR(CheckSize("kernel_shape", kernel_shape_, rank, 1));
  OC_RETURN_IF_ERROR(CheckSize("strides", strides_, rank, 1));
  OC_RETURN_IF_ERROR(CheckSize("dilations", dilations_, rank, 1));
  if (auto_pad_ == "NOTSET") OC_RETURN_IF_ERROR(CheckSize("pads", pads_, 2 * rank, 0));
  if (kernel.empty()) kernel = kernel_shape_;
  if (kernel.size() != rank) {
    return absl::InvalidArgumentError(absl::StrCat("the kernel has ", kernel.size(),
                                                   " dimensions, but the input ", rank,
                                                   " spatial dimensions"));
  }
  if (!kernel_shape_.empty() && kernel != absl::MakeConstSpan(kernel_shape_)) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel_shape ", absl::StrJoin(kernel_shape_, "x"), " is not the weights' ",
                     absl::StrJoin(kernel, "x")));
  }

  Windows windows;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t stride = strides_.empty() ? 1 : strides_[i];
    const int64_t dilation = dilations_.empty() ? 1 : dilations_[i];
    const Wide extent = Wide{kernel[i] - 1} * dilation + 1;  // from the first to the last tap
    if (kernel[i] < 1 || extent > kLimit) {
      return absl::InvalidArgumentError(absl::StrCat("a kernel of ", kernel[i], " with dilation ",
                                                     dilation, " in spatial dimension ", i));
    }
    Wide begin = 0;
    Wide end = 0;
    Wide output = 0;
    if (auto_pad_ == "SAME_UPPER" || auto_pad_ == "SAME_LOWER") {
      output = (Wide{input[i]} + stride - 1) / stride;
      Wide total = (output - 1) * stride + extent - input[i];
      if (excess == Excess::kAtTheEnd) total = std::max<Wide>(0, total);
      begin = (auto_pad_ == "SAME_UPPER" ? total : total + 1) / 2;
      end = total - begin;
    } else {
      if (auto_pad_ == "NOTSET" && !pads_.empty()) {
        begin = pads_[i];
        end = pads_[i + rank];
      }
      const Wide slack = input[i] + begin + end - extent;
      output = FloorDivide(slack + (ceil_mode_ ? Wide{stride} - 1 : 0), stride) + 1;
      // A window that does not fit leaves 0 by the formula, which is an empty result, or less; with
      // ceil_mode it may be the only one.
      if (begin > kLimit || end > kLimit || output < 0) {
        return absl::InvalidArgumentError(absl::StrCat(
            "a window over ", static_cast<int64_t>(extent), " elements does not fit into ",
            input[i], " elements with pads ", static_cast<int64_t>(begin), " and ",
            static_cast<int64_t>(end), " in spatial dimension ", i));
      }
      // Windows that would begin in the padding after the input do not count.
      if (ceil_mode_ && (output - 1) * stride >= input[i] + begin) --output;
    }
    // A dilation has no meaning for a single tap, nor a stride for a single window; large ones
    // must not overflow any product.
    windows.push_back({input[i], static_cast<int64_t>(output), kernel[i], output > 1 ? stride : 1,
                       kernel[i] > 1 ? dilation : 1, static_cast<int64_t>(begin),
                       static_cast<int64_t>(end)});
  }
  Shape outputs;
  for (const WindowDim& dim : windows) outputs.push_back(dim.output);
  if (!NumElements(outputs).has_value() || !NumElements(kernel).has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("too many windows (", ShapeToString(outputs),
                                                   ") or too large ones (", ShapeToString(kernel),
                                                   ")"));
  }
  return windows;
}

int64_t NumOutputs(const Windows& windows) {
  int64_t count = 1;
  for (const WindowDim& dim : windows) count *= dim.output;
  return count;
}

int64_t NumTaps(const Windows& windows) {
  int64_t count = 1;
  for (const WindowDim& dim : windows) count *= dim.kernel;
  return count;
}

}  // namespace onnxcmp
