#include "tests/support/recorded_arrays.h"

#include <utility>

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "record/recordings/npy.h"

namespace onnxcmp::testing {

std::string NpyOf(const Tensor& tensor) {
  std::string bytes;
  const absl::Status status = WriteNpy(tensor, [&](absl::string_view part) {
    absl::StrAppend(&bytes, part);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return bytes;
}

ArraysInMemory::ArraysInMemory(RecordedArrays arrays) : arrays_(std::move(arrays)) {
  for (const RecordedArray& array : arrays_) results_.emplace_back().name = array.first;
}

absl::StatusOr<RecordedValues::Read> ArraysInMemory::ReadValue(size_t index) {
  return Read{.value = Value(arrays_[index].second)};
}

}  // namespace onnxcmp::testing
