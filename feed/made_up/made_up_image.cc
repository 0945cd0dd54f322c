#include "feed/made_up/made_up_image.h"

#include <cstdint>
#include <cstring>
#include <string>

#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {
namespace {

void Little(std::string* to, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) to->push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

}  // namespace

absl::StatusOr<Tensor> MadeUpImage(const Shape& shape, RandomNumbers* random) {
  constexpr uint32_t kWidth = 9;
  constexpr uint32_t kHeight = 7;
  constexpr uint32_t kRow = (3 * kWidth + 3) / 4 * 4;
  constexpr uint32_t kHeader = 54;
  std::string file = "BM";
  Little(&file, kHeader + kRow * kHeight, 4);
  Little(&file, 0, 4);
  Little(&file, kHeader, 4);
  Little(&file, 40, 4);
  Little(&file, kWidth, 4);
  Little(&file, kHeight, 4);
  Little(&file, 1, 2);
  Little(&file, 24, 2);
  Little(&file, 0, 4);
  Little(&file, kRow * kHeight, 4);
  for (int i = 0; i < 4; ++i) Little(&file, 0, 4);
  for (uint32_t i = 0; i < kRow * kHeight; ++i) {
    file.push_back(i % kRow < 3 * kWidth ? static_cast<char>(random->Below(256)) : '\0');
  }
  // Its size is the file's, unless the model declares another one.
  Shape bytes = shape;
  if (bytes.size() != 1 || bytes[0] < static_cast<int64_t>(file.size())) {
    bytes = {static_cast<int64_t>(file.size())};
  }
  OC_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(DType::kUint8, bytes));
  std::memset(tensor.mutable_raw_data(), 0, static_cast<size_t>(tensor.byte_size()));
  std::memcpy(tensor.mutable_raw_data(), file.data(), file.size());
  return tensor;
}

}  // namespace onnxcmp
