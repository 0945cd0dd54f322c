#include "prove/field/residue_array.h"

#include <cstdint>
#include <utility>

namespace onnxcmp {

ResidueArray::ResidueArray(size_t size, const Workspace* workspace)
    : workspace_(workspace), size_(size) {
  absl::StatusOr<std::shared_ptr<Buffer>> buffer =
      Buffer::Allocate(static_cast<int64_t>(size * sizeof(Residue)),
                       workspace == nullptr ? nullptr : workspace->memory());
  OC_CHECK(buffer.ok());
  buffer_ = *std::move(buffer);
  data_ = reinterpret_cast<const Residue*>(buffer_->data());
}

ResidueArray::ResidueArray(const Tensor& tensor)
    : buffer_(tensor.buffer()),
      data_(tensor.data<Residue>()),
      size_(static_cast<size_t>(tensor.num_elements())),
      borrowed_(buffer_ != nullptr && (buffer_->borrowed() || buffer_->stored())) {}

void ResidueArray::Detach() {
  ResidueArray copy(size_, workspace_);
  ForRanges(workspace_, static_cast<int64_t>(size_), [&](int64_t first, int64_t last) {
    std::copy(data_ + first, data_ + last, copy.owned_data() + first);
  });
  *this = std::move(copy);
}

absl::StatusOr<Tensor> ResidueArray::AsTensor(absl::Span<const int64_t> shape) const {
  if (buffer_ == nullptr) return Tensor::Allocate(DType::kInt64, shape);
  const auto* const first = reinterpret_cast<const Residue*>(buffer_->data());
  return Tensor::FromBuffer(DType::kInt64, shape, buffer_,
                            (data_ - first) * static_cast<int64_t>(sizeof(Residue)));
}

}  // namespace onnxcmp
