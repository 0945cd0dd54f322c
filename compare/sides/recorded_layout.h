// The layout in which a recorded result is shown.
#ifndef ONNXCMP_COMPARE_SIDES_RECORDED_LAYOUT_H_
#define ONNXCMP_COMPARE_SIDES_RECORDED_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

struct RecordedLayout {
  // By axis of the shown value before it is reshaped: the recorded axis. Empty: in their order.
  std::vector<int> axes;
  // By entry of the first axis of the shown value: the recorded entry. Empty: in their order.
  std::vector<int64_t> rows;
  Shape shape;  // the shown value's
  // Channels in a block, of values of four axes, or of five with one for the block: positive if the
  // recorded value has its channels in blocks, negative if the shown one has. Zeros fill the last
  // block.
  int block = 0;

  friend bool operator==(const RecordedLayout&, const RecordedLayout&) = default;
};

// A recorded value in that layout. InvalidArgument if it does not fit.
absl::StatusOr<Value> InLayout(const Value& value, const RecordedLayout& layout);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_RECORDED_LAYOUT_H_
