// Any range of a tensor's elements in row-major order, whatever its strides.
#ifndef ONNXCMP_COMPARE_ELEMENT_READER_H_
#define ONNXCMP_COMPARE_ELEMENT_READER_H_

#include <cstdint>

#include "evaluator/tensor.h"

namespace onnxcmp {

// Reads numeric tensors strip by strip, so that looking at a view needs no contiguous copy of it.
class ElementReader {
 public:
  // The tensor must outlive the reader and must not hold strings.
  explicit ElementReader(const Tensor& tensor);

  // Elements [first, first + count) as C: one of the classes of evaluator/convert.h.
  template <typename C>
  void Read(int64_t first, int64_t count, C* out) const;

 private:
  const Tensor& tensor_;
  // The tensor's dimensions and strides with neighbours that lie one behind the other merged.
  Shape sizes_;
  Shape strides_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ELEMENT_READER_H_
