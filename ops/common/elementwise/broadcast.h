// Shapes that are stretched to each other, and how to walk over a stretched or strided operand.
#ifndef ONNXCMP_OPS_COMMON_ELEMENTWISE_BROADCAST_H_
#define ONNXCMP_OPS_COMMON_ELEMENTWISE_BROADCAST_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// NumPy's rule ("multidirectional" in ONNX): aligned at the last dimension, 1 stretches to any size
// (also to 0). InvalidArgument if they do not fit.
absl::StatusOr<Shape> BroadcastShapes(absl::Span<const int64_t> a, absl::Span<const int64_t> b);
absl::StatusOr<Shape> BroadcastShapes(absl::Span<const Tensor* const> tensors);

// OK if `from` stretches to exactly `to` ("unidirectional").
absl::Status CheckBroadcastsTo(absl::Span<const int64_t> from, absl::Span<const int64_t> to);

// Strides of `tensor` in an iteration over `shape`, 0 where it is stretched. Requires
// CheckBroadcastsTo(tensor.shape(), shape).
Shape BroadcastStrides(const Tensor& tensor, absl::Span<const int64_t> shape);

// The attributes of binary operators before opset 7: the second input has the shape of a contiguous
// part of the first one's, from `axis` on (by default its end), or one element.
struct LegacyBroadcast {
  bool broadcast = false;
  bool has_axis = false;
  int64_t axis = 0;

  // Reads the attributes, also consumed_inputs of opset 1, which says nothing.
  static LegacyBroadcast FromNode(const KernelInit& node);
  // `b` as a view that NumPy's rule stretches to the shape of `a`.
  absl::StatusOr<Tensor> Align(const Tensor& a, const Tensor& b) const;
};

// Walks over the elements of an operand in the row-major order of an iteration space, in runs of
// equal stride that are as long as possible.
class StridedRuns {
 public:
  struct Run {
    int64_t offset;  // of the first element, counted from that of element 0
    int64_t stride;
    int64_t count;
  };

  // `shape` must not hold a 0.
  StridedRuns(absl::Span<const int64_t> shape, absl::Span<const int64_t> strides);

  // The next run starts at this element of the iteration.
  void Seek(int64_t element);
  // The next run of at most `limit` elements.
  Run Next(int64_t limit);

  // One run with stride 1 covers everything.
  bool is_contiguous() const { return dims_.size() == 1 && (strides_[0] == 1 || dims_[0] == 1); }
  // Every element is element 0.
  bool is_one_element() const { return dims_.size() == 1 && (strides_[0] == 0 || dims_[0] == 1); }
  // Between neighbours in the innermost run.
  int64_t inner_stride() const { return strides_.back(); }

 private:
  Shape dims_;  // at least one
  Shape strides_;
  Shape index_;
  int64_t offset_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_ELEMENTWISE_BROADCAST_H_
