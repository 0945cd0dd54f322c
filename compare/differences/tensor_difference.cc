#include "compare/differences/tensor_difference.h"

#include "compare/differences/value_walk.h"

namespace onnxcmp {
namespace {

// Out of its file for as long as it is measured.
Value FromFile(const Value& value, const ThreadPool* pool) {
  if (!value.is_tensor() || !value.tensor().stored()) return value;
  return value.tensor().InMemory(pool).value_or(value.tensor());
}

}  // namespace

TensorDifference TensorDifferenceOf(const Value& left, const Value& right,
                                    const DifferenceOptions& options, const ThreadPool* pool) {
  const auto tolerance = [&](DType a, DType b) { return options.tolerance.For(a, b); };
  return WalkValues(FromFile(left, pool), FromFile(right, pool),
                    {false, tolerance, options.worst, options.parts}, pool);
}

}  // namespace onnxcmp
