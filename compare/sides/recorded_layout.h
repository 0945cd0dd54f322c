// In which layout a recorded result is shown.
#ifndef ONNXCMP_COMPARE_SIDES_RECORDED_LAYOUT_H_
#define ONNXCMP_COMPARE_SIDES_RECORDED_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

struct RecordedLayout {
  // By axis of what is shown before it is reshaped: the recorded axis. Empty: in their order.
  std::vector<int> axes;
  // By entry of the first axis of what is shown: the recorded entry. Empty: in their order.
  std::vector<int64_t> rows;
  Shape shape;  // of what is shown

  friend bool operator==(const RecordedLayout&, const RecordedLayout&) = default;
};

// A recorded value as it is shown. InvalidArgument if it does not fit.
absl::StatusOr<Value> InLayout(const Value& value, const RecordedLayout& layout);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_RECORDED_LAYOUT_H_
