// Reads any range of a tensor's elements in row-major order, whatever its strides.
#ifndef ONNXCMP_RECORD_DIFFERENCES_ELEMENT_READER_H_
#define ONNXCMP_RECORD_DIFFERENCES_ELEMENT_READER_H_

#include <cstdint>

#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/tensor_runs.h"

namespace onnxcmp {

// True if float represents all numbers of the type exactly.
bool FitsFloat(DType dtype);

// Reads numeric tensors strip by strip, so that a view needs no contiguous copy.
class ElementReader {
 public:
  // The tensor must outlive the reader and must not hold strings.
  explicit ElementReader(const Tensor& tensor) : tensor_(tensor), runs_(tensor) {}

  // Elements [first, first + count) as C: one of the classes of evaluator/tensor/convert.h.
  template <typename C>
  void Read(int64_t first, int64_t count, C* out) const;

 private:
  const Tensor& tensor_;
  TensorRuns runs_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_ELEMENT_READER_H_
