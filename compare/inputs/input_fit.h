// Whether one model's input can take what another one's takes, and values made to fit.
#ifndef ONNXCMP_COMPARE_INPUTS_INPUT_FIT_H_
#define ONNXCMP_COMPARE_INPUTS_INPUT_FIT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

enum class Fit : uint8_t {
  kNone,   // another kind, another rank, element types that no cast joins
  kSizes,  // numbered dimensions disagree
  kCast,   // element types differ, integers both or floats both
  kExact,
};

// Free dimensions and what is unknown fit all.
Fit FitOf(const TypeInfo& left, const TypeInfo& right);

TypeInfo TypeOfTensor(const Tensor& tensor);

// The value as something of this type: of its element type, its numbered dimensions being checked.
// A note says if elements were cast; floats beyond the range of a narrower type become its greatest
// (a mask's -3.4e38 must not become an infinity). InvalidArgument if it does not fit, or if an
// integer is out of the range of a narrower type.
struct FittedValue {
  Value value;
  std::string note;  // "float cast to float16"
};
absl::StatusOr<FittedValue> FitValue(const Value& value, const TypeInfo& type);

// The same type, shape and bits; both contiguous.
bool SameBits(const Tensor& left, const Tensor& right);

// One is the other once it has the element type of that one.
bool HoldTheSame(const Tensor& left, const Tensor& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_INPUT_FIT_H_
