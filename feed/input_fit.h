// Tells if one model's input can take the values of another one's, and makes values fit.
#ifndef ONNXCMP_FEED_INPUT_FIT_H_
#define ONNXCMP_FEED_INPUT_FIT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

enum class Fit : uint8_t {
  kNone,   // another kind, another rank, element types without a cast
  kSizes,  // numbered dimensions disagree
  kCast,   // element types differ, integers both or floats both
  kExact,
};

// Free dimensions and unknown types fit all others.
Fit FitOf(const TypeInfo& left, const TypeInfo& right);

TypeInfo TypeOfTensor(const Tensor& tensor);

// Converts the value to this element type and checks numbered dimensions. A note says if elements
// were cast; floats beyond the range of a narrower type become its greatest (a mask's -3.4e38 must
// not become an infinity). InvalidArgument if it does not fit, or if an integer is out of the range
// of a narrower type.
struct FittedValue {
  Value value;
  std::string note;  // "float cast to float16"
};
absl::StatusOr<FittedValue> FitValue(const Value& value, const TypeInfo& type);

// True for the same type, shape and bits; both must be contiguous.
bool SameBits(const Tensor& left, const Tensor& right);

// True if one equals the other after a cast to its element type.
bool HoldTheSame(const Tensor& left, const Tensor& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_INPUT_FIT_H_
