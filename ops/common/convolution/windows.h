// Windows that slide over the spatial dimensions of a tensor (N x C x D1 x ... x Dn): what
// convolutions and pools share.
#ifndef ONNXCMP_OPS_COMMON_CONVOLUTION_WINDOWS_H_
#define ONNXCMP_OPS_COMMON_CONVOLUTION_WINDOWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"

namespace onnxcmp {

// One spatial dimension. Window o covers the inputs o * stride - pad_begin + i * dilation for
// i < kernel, some of which may lie in the padding. All numbers were checked: such positions cannot
// overflow.
struct WindowDim {
  int64_t input;
  int64_t output;
  int64_t kernel;
  int64_t stride;
  int64_t dilation;
  int64_t pad_begin;  // negative: elements that are left out
  int64_t pad_end = 0;
};
using Windows = absl::InlinedVector<WindowDim, 3>;

// The attributes kernel_shape, strides, pads, dilations, auto_pad and ceil_mode of a node.
class WindowAttributes {
 public:
  // Reads those that the node's schema has. As onnxruntime does, `pads` beside another auto_pad
  // than NOTSET is not looked at: old exporters write both.
  static absl::StatusOr<WindowAttributes> FromNode(const KernelInit& node);

  // `input`: the spatial dimensions; `kernel`: of the weights, or empty to take kernel_shape, which
  // must agree if both are given. `excess`: of elements that no window of auto_pad SAME_* would
  // cover, since the stride is greater than the window.
  enum class Excess : uint8_t { kAtTheEnd, kAtBothEnds };
  absl::StatusOr<Windows> Resolve(absl::Span<const int64_t> input, absl::Span<const int64_t> kernel,
                                  Excess excess = Excess::kAtTheEnd) const;

 private:
  std::vector<int64_t> kernel_shape_;
  std::vector<int64_t> strides_;
  std::vector<int64_t> pads_;
  std::vector<int64_t> dilations_;
  std::string auto_pad_;
  bool ceil_mode_ = false;
};

// Product of the dimensions' outputs and kernels.
int64_t NumOutputs(const Windows& windows);
int64_t NumTaps(const Windows& windows);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_CONVOLUTION_WINDOWS_H_
