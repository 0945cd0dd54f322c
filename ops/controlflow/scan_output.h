// One output of a Loop or Scan that is stacked from what the iterations yield.
#ifndef ONNXCMP_OPS_CONTROLFLOW_SCAN_OUTPUT_H_
#define ONNXCMP_OPS_CONTROLFLOW_SCAN_OUTPUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Elements are copied as they come, so that an iteration's values can die with it, into memory that
// doubles: nothing is allocated for iterations that may never happen.
class ScanOutput {
 public:
  // `declared`: the subgraph's output. `most`: no more elements than this will come.
  ScanOutput(const KernelContext& context, const ValueInfo& declared, int64_t most)
      : context_(&context), declared_(&declared), most_(most) {}

  // InvalidArgument unless it is a tensor of the same dtype and shape as those before.
  absl::Status Append(const Value& value);
  // Appends `count` elements of zeros (empty strings).
  absl::Status AppendZeros(int64_t count);

  // All elements along a new dimension `axis` of the result, which may be negative; `backwards`:
  // the last one first. Without any element, type and shape are those that are declared, unknown
  // dimensions being 0, and a rank that is unknown too gives the shape (0).
  absl::StatusOr<Tensor> Finish(int64_t axis = 0, bool backwards = false);

 private:
  // Makes room for `count` more elements.
  absl::Status Grow(int64_t count);
  absl::StatusOr<Shape> StackShape(int64_t count) const;

  const KernelContext* context_;
  const ValueInfo* declared_;
  int64_t most_;
  bool known_ = false;  // dtype_ and shape_ are, from the first element
  DType dtype_ = DType::kUndefined;
  Shape shape_;       // of one element
  int64_t size_ = 0;  // elements of the tensor in one element
  Tensor memory_;     // capacity_ elements; packed types are kept as uint8
  int64_t capacity_ = 0;
  int64_t count_ = 0;
  int64_t pending_zeros_ = 0;  // came before the type was known
};

// The sub-tensor of rank one less at `index` of `axis`: a view, but a copy for packed types.
absl::StatusOr<Tensor> SubTensor(const KernelContext& context, const Tensor& tensor, int axis,
                                 int64_t index);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTROLFLOW_SCAN_OUTPUT_H_
