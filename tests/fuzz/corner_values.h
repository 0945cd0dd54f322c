// Values that models are changed to.
#ifndef ONNXCMP_TESTS_FUZZ_CORNER_VALUES_H_
#define ONNXCMP_TESTS_FUZZ_CORNER_VALUES_H_

#include <cstdint>

#include "absl/types/span.h"

namespace onnx {
class TensorProto;
}  // namespace onnx

namespace onnxcmp::fuzz {

absl::Span<const int64_t> CornerIntegers();
absl::Span<const float> CornerFloats();
// Texts that attributes and strings of the operators may hold, and some that they may not.
absl::Span<const char* const> CornerTexts();

// Bits that an element of this TensorProto::DataType takes; 0 for strings and what is no type.
int64_t BitsOf(int32_t type);

// Gives a tensor the bytes, or strings, that its type and dimensions ask for: what is there, over
// and over. Nothing happens if that would be thousands.
void FillTensor(onnx::TensorProto* tensor);

}  // namespace onnxcmp::fuzz

#endif  // ONNXCMP_TESTS_FUZZ_CORNER_VALUES_H_
