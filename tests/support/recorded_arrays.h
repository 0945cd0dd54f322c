// Recordings that tests make up.
#ifndef ONNXCMP_TESTS_SUPPORT_RECORDED_ARRAYS_H_
#define ONNXCMP_TESTS_SUPPORT_RECORDED_ARRAYS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/tensor/tensor.h"
#include "record/recordings/recorded_values.h"

namespace onnxcmp::testing {

// The bytes of a .npy file.
std::string NpyOf(const Tensor& tensor);

using RecordedArray = std::pair<std::string, Tensor>;
using RecordedArrays = std::vector<RecordedArray>;

// An archive that is not on a disk.
class ArraysInMemory : public RecordedValues {
 public:
  explicit ArraysInMemory(RecordedArrays arrays);
  absl::StatusOr<Read> ReadValue(size_t index) override;

 private:
  RecordedArrays arrays_;
};

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_RECORDED_ARRAYS_H_
