// Values in files without a type or a shape, as devices dump them.
#ifndef ONNXCMP_RECORD_RECORDINGS_PLAIN_VALUES_H_
#define ONNXCMP_RECORD_RECORDINGS_PLAIN_VALUES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// The numbers of a .txt file, flat, or a matrix if all lines have as many. Lines that begin with #
// are comments. InvalidArgument if it is no such file or has anything else.
absl::StatusOr<Tensor> NumbersInText(const std::string& path);

// Those, or the bytes of a .raw file: floats if nearly all of them are of a usual size, else bytes.
absl::StatusOr<Tensor> ReadPlain(const std::string& path, int64_t max_tensor);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RECORDINGS_PLAIN_VALUES_H_
