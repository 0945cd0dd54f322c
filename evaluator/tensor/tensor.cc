#include "evaluator/tensor/tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/fresh_memory.h"
#include "evaluator/base/spare_memory.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/aligned_copies.h"
#include "evaluator/tensor/strided_copy.h"

namespace onnxcmp {
namespace {

bool IsRowMajor(absl::Span<const int64_t> shape, absl::Span<const int64_t> strides) {
  int64_t expected = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

}  // namespace

void FatalError(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: internal error: %s does not hold\n", file, line, what);
  std::abort();
}

std::optional<int64_t> NumElements(absl::Span<const int64_t> shape) {
  int64_t product = 1;
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0) return std::nullopt;
    if (dim == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, dim, &product)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

Shape RowMajorStrides(absl::Span<const int64_t> shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    // A dimension of 0 does not make the strides before it 0, so that they stay distinct.
    stride *= std::max<int64_t>(shape[i], 1);
  }
  return strides;
}

std::string ShapeToString(absl::Span<const int64_t> shape) { return absl::StrJoin(shape, "x"); }

absl::Status Buffer::Charge(int64_t bytes, std::shared_ptr<MemoryAccount> account) {
  account_ = std::move(account);
  return ChargeMore(bytes);
}

absl::Status Buffer::ChargeMore(int64_t bytes) const {
  if (account_ == nullptr) return absl::OkStatus();
  if (!account_->Charge(bytes)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "with ", bytes, " bytes more the run would hold more than ", account_->limit()));
  }
  charged_ += bytes;
  return absl::OkStatus();
}

absl::Status Buffer::ChargeText(int64_t bytes) const {
  if (text_is_charged_) return absl::OkStatus();
  OC_RETURN_IF_ERROR(ChargeMore(bytes));
  text_is_charged_ = true;
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<Buffer>> Buffer::Allocate(int64_t bytes,
                                                         std::shared_ptr<MemoryAccount> account) {
  auto buffer = std::shared_ptr<Buffer>(new Buffer());
  // One vector of slack, so that a padded packet may be loaded after the last element.
  const size_t capacity = static_cast<size_t>(bytes) + static_cast<size_t>(kMemoryAlignment);
  if (account != nullptr && capacity >= SpareMemory::kLeast) buffer->spare_ = account->spare();
  OC_RETURN_IF_ERROR(buffer->Charge(bytes, std::move(account)));
  const SpareMemory::Block block = buffer->spare_ != nullptr
                                       ? buffer->spare_->Take(capacity)
                                       : SpareMemory::Block{TakeFromSystem(capacity), capacity};
  if (block.data == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes, " bytes"));
  }
  buffer->data_ = block.data;
  buffer->capacity_ = block.capacity;
  buffer->size_ = bytes;
  return buffer;
}

std::shared_ptr<Buffer> Buffer::Borrow(const void* data, int64_t bytes,
                                       std::shared_ptr<const void> owner) {
  auto buffer = std::shared_ptr<Buffer>(new Buffer());
  // Never written to: mutable_data() refuses a borrowed buffer.
  buffer->data_ = static_cast<std::byte*>(const_cast<void*>(data));
  buffer->size_ = bytes;
  buffer->owner_ = std::move(owner);
  return buffer;
}

std::shared_ptr<Buffer> Buffer::OfStored(std::shared_ptr<StoredBytes> stored) {
  auto buffer = std::shared_ptr<Buffer>(new Buffer());
  // Never written to: mutable_data() refuses a borrowed buffer.
  buffer->data_ = const_cast<std::byte*>(stored->place());
  buffer->size_ = stored->size();
  buffer->owner_ = stored;
  buffer->stored_ = std::move(stored);
  return buffer;
}

void Buffer::KeepStored() const { stored_->Keep(); }

const FileBytes& Buffer::file_bytes() const {
  OC_CHECK(stored());
  return stored_->file_bytes();
}

absl::StatusOr<std::shared_ptr<Buffer>> Buffer::InMemory(const ThreadPool* pool) const {
  OC_CHECK(stored());
  return stored_->InMemory(pool);
}

std::shared_ptr<Buffer> Buffer::OfStrings(std::vector<std::string> strings) {
  auto buffer = std::shared_ptr<Buffer>(new Buffer());
  buffer->strings_ = std::move(strings);
  return buffer;
}

absl::StatusOr<std::shared_ptr<Buffer>> Buffer::AllocateStrings(
    int64_t count, std::shared_ptr<MemoryAccount> account) {
  if (count > std::numeric_limits<int32_t>::max()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a tensor of ", count, " strings is too large"));
  }
  auto buffer = std::shared_ptr<Buffer>(new Buffer());
  OC_RETURN_IF_ERROR(
      buffer->Charge(count * static_cast<int64_t>(sizeof(std::string)), std::move(account)));
  buffer->strings_.resize(static_cast<size_t>(count));
  return buffer;
}

Buffer::~Buffer() {
  if (spare_ != nullptr && capacity_ > 0) {
    spare_->Give({data_, capacity_});
  } else if (capacity_ > 0) {
    GiveToSystem(data_);
  }
  LeaveAccount();
}

void Buffer::LeaveAccount() const {
  if (account_ == nullptr) return;
  account_->Credit(charged_);
  account_ = nullptr;
}

std::byte* Buffer::mutable_data() {
  OC_CHECK(!borrowed());
  return data_;
}

absl::StatusOr<Tensor> Tensor::WithoutBuffer(DType dtype, absl::Span<const int64_t> shape) {
  for (int64_t dim : shape) {
    if (dim < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("a tensor cannot have the shape [", absl::StrJoin(shape, ","), "]"));
    }
  }
  std::optional<int64_t> count = NumElements(shape);
  if (!count.has_value() || !ByteSize(dtype, *count).has_value()) {
    return absl::ResourceExhaustedError(absl::StrCat("a tensor of ", DTypeName(dtype), "[",
                                                     absl::StrJoin(shape, ","), "] is too large"));
  }
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_.assign(shape.begin(), shape.end());
  tensor.strides_ = RowMajorStrides(shape);
  tensor.num_elements_ = *count;
  return tensor;
}

Tensor::Tensor(const Tensor& other) = default;
Tensor::Tensor(Tensor&& other) noexcept = default;
Tensor& Tensor::operator=(const Tensor& other) = default;
Tensor& Tensor::operator=(Tensor&& other) noexcept = default;
Tensor::~Tensor() = default;

absl::StatusOr<Tensor> Tensor::Allocate(DType dtype, absl::Span<const int64_t> shape,
                                        std::shared_ptr<MemoryAccount> account) {
  OC_ASSIGN_OR_RETURN(Tensor tensor, WithoutBuffer(dtype, shape));
  const int64_t elements = tensor.num_elements_;
  if (dtype == DType::kString) {
    OC_ASSIGN_OR_RETURN(tensor.buffer_, Buffer::AllocateStrings(elements, std::move(account)));
  } else {
    OC_ASSIGN_OR_RETURN(tensor.buffer_,
                        Buffer::Allocate(*ByteSize(dtype, elements), std::move(account)));
  }
  return tensor;
}

absl::StatusOr<Tensor> Tensor::FromBuffer(DType dtype, absl::Span<const int64_t> shape,
                                          std::shared_ptr<Buffer> buffer, int64_t byte_offset) {
  OC_ASSIGN_OR_RETURN(Tensor tensor, WithoutBuffer(dtype, shape));
  const int64_t elements = tensor.num_elements_;
  if (dtype == DType::kString) {
    if (static_cast<int64_t>(buffer->strings().size()) != elements) {
      return absl::InvalidArgumentError(absl::StrCat("there are ", buffer->strings().size(),
                                                     " strings for ", elements, " elements"));
    }
  } else {
    int64_t bytes = *ByteSize(dtype, elements);
    if (byte_offset < 0 || byte_offset > buffer->size() || bytes > buffer->size() - byte_offset) {
      return absl::InvalidArgumentError(absl::StrCat("there are ", buffer->size() - byte_offset,
                                                     " bytes where ", tensor.TypeString(),
                                                     " takes ", bytes));
    }
    int64_t element_bytes = std::max(1, BitWidth(dtype) / 8);
    if (byte_offset % element_bytes == 0 && !IsSubByte(dtype)) {
      tensor.offset_ = byte_offset / element_bytes;
    } else if (byte_offset != 0) {
      const std::byte* data = buffer->data() + byte_offset;
      buffer = Buffer::Borrow(data, bytes, std::move(buffer));
    }
  }
  tensor.buffer_ = std::move(buffer);
  return tensor;
}

int64_t Tensor::byte_size() const {
  return dtype_ == DType::kUndefined ? 0 : *ByteSize(dtype_, num_elements_);
}

const std::byte* Tensor::raw_data() const {
  return buffer_->data() + offset_ * (BitWidth(dtype_) / 8);
}

const std::string* Tensor::string_data() const {
  OC_CHECK(dtype_ == DType::kString);
  return buffer_->strings().data() + offset_;
}

std::byte* Tensor::mutable_raw_data() {
  OC_CHECK(buffer_.use_count() == 1);
  return buffer_->mutable_data() + offset_ * (BitWidth(dtype_) / 8);
}

std::string* Tensor::mutable_string_data() {
  OC_CHECK(dtype_ == DType::kString && buffer_.use_count() == 1);
  return buffer_->mutable_strings().data() + offset_;
}

absl::StatusOr<Tensor> Tensor::InMemory(const ThreadPool* pool) const {
  if (!stored()) return *this;
  Tensor tensor = *this;
  OC_ASSIGN_OR_RETURN(tensor.buffer_, buffer_->InMemory(pool));
  return tensor;
}

absl::StatusOr<Tensor> Tensor::Contiguous() const {
  if (contiguous_) return *this;
  OC_ASSIGN_OR_RETURN(Tensor copy, Allocate(dtype_, shape_));
  CopyToContiguous(*this, &copy);
  return copy;
}

Tensor Tensor::Reshaped(absl::Span<const int64_t> shape) const {
  OC_CHECK(contiguous_ && NumElements(shape) == num_elements_);
  Tensor view = *this;
  view.shape_.assign(shape.begin(), shape.end());
  view.strides_ = RowMajorStrides(shape);
  return view;
}

Tensor Tensor::Strided(absl::Span<const int64_t> shape, absl::Span<const int64_t> strides,
                       int64_t offset) const {
  OC_CHECK(!IsSubByte(dtype_) && shape.size() == strides.size());
  Tensor view = *this;
  view.shape_.assign(shape.begin(), shape.end());
  view.strides_.assign(strides.begin(), strides.end());
  view.num_elements_ = NumElements(shape).value();
  view.offset_ = offset;
  view.contiguous_ = view.num_elements_ <= 1 || IsRowMajor(shape, strides);
  // One form for one thing: what is contiguous has row-major strides in its dimensions of 1 too.
  if (view.contiguous_) view.strides_ = RowMajorStrides(shape);
  return view;
}

std::string Tensor::TypeString() const {
  return absl::StrCat(DTypeName(dtype_), "[", absl::StrJoin(shape_, ","), "]");
}

}  // namespace onnxcmp
