#include "record/differences/tensor_difference.h"

#include "record/differences/value_walk.h"

namespace onnxcmp {

TensorDifference TensorDifferenceOf(const Value& left, const Value& right,
                                    const DifferenceOptions& options, const ThreadPool* pool) {
  const auto tolerance = [&](DType a, DType b) { return options.tolerance.For(a, b); };
  return WalkValues(left, right, {false, tolerance, options.worst, options.parts}, pool);
}

}  // namespace onnxcmp
