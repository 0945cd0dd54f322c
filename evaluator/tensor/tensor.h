// Tensors: an element type, a shape, strides and a shared buffer.
#ifndef ONNXCMP_EVALUATOR_TENSOR_TENSOR_H_
#define ONNXCMP_EVALUATOR_TENSOR_TENSOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/base/memory_account.h"
#include "evaluator/base/spare_memory.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

class StoredBytes;
class ThreadPool;
struct FileBytes;

// Dimensions, outermost first. Strides are counted in elements and may be 0 (broadcast) or
// negative.
using Shape = absl::InlinedVector<int64_t, 6>;

// Product of the dimensions (1 for a scalar); nothing if a dimension is negative or the product of
// the non-zero dimensions does not fit into int64 (so that no partial product overflows either).
std::optional<int64_t> NumElements(absl::Span<const int64_t> shape);

// Strides of a row-major tensor of this shape. Requires that NumElements(shape) has a value.
Shape RowMajorStrides(absl::Span<const int64_t> shape);

// "2x3x4"; "" for a scalar.
std::string ShapeToString(absl::Span<const int64_t> shape);

// Bytes or strings that several tensors share. Owned bytes are 64-byte aligned. Borrowed bytes
// belong to `owner` (a mapped file, a protobuf message), which lives as long as the buffer. Stored
// bytes lie in a file, and are in memory only while they are in use.
class Buffer {
 public:
  // Memory is left uninitialized. ResourceExhausted if the system or the account has none left.
  static absl::StatusOr<std::shared_ptr<Buffer>> Allocate(
      int64_t bytes, std::shared_ptr<MemoryAccount> account = nullptr);
  static std::shared_ptr<Buffer> Borrow(const void* data, int64_t bytes,
                                        std::shared_ptr<const void> owner);
  static std::shared_ptr<Buffer> OfStored(std::shared_ptr<StoredBytes> stored);
  static std::shared_ptr<Buffer> OfStrings(std::vector<std::string> strings);
  // `count` empty strings. ResourceExhausted if the account has not enough left for them; text
  // written into them later is charged by ChargeText().
  static absl::StatusOr<std::shared_ptr<Buffer>> AllocateStrings(
      int64_t count, std::shared_ptr<MemoryAccount> account = nullptr);

  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // Stored bytes are brought into memory for good by the first who asks, which Tensor::InMemory
  // avoids.
  const std::byte* data() const {
    if (stored_ != nullptr) KeepStored();
    return data_;
  }
  std::byte* mutable_data();              // requires an owned buffer
  int64_t size() const { return size_; }  // bytes
  bool borrowed() const { return owner_ != nullptr; }
  bool stored() const { return stored_ != nullptr; }
  // Where stored bytes lie, at any address. Requires stored().
  const FileBytes& file_bytes() const;
  // Where data() are or will be.
  uintptr_t address() const { return reinterpret_cast<uintptr_t>(data_); }
  // Stored bytes as a buffer that keeps them in memory for as long as it is held: all who
  // hold it at a time have the same one. Requires stored(). ResourceExhausted if the system has no
  // memory left.
  absl::StatusOr<std::shared_ptr<Buffer>> InMemory(const ThreadPool* pool) const;
  const std::vector<std::string>& strings() const { return strings_; }
  std::vector<std::string>& mutable_strings() { return strings_; }

  // Charges the account that the buffer was made with for the characters of its strings, once they
  // are written; a second call does nothing. ResourceExhausted if it has not enough left for them.
  absl::Status ChargeText(int64_t bytes) const;

  // Credits the account now and not at the buffer's end: whoever holds the buffer answers for it
  // from here on. Not to be called by several threads at a time.
  void LeaveAccount() const;

 private:
  Buffer() = default;
  absl::Status Charge(int64_t bytes, std::shared_ptr<MemoryAccount> account);
  absl::Status ChargeMore(int64_t bytes) const;
  void KeepStored() const;

  std::byte* data_ = nullptr;
  int64_t size_ = 0;
  size_t capacity_ = 0;                 // of owned bytes, what was allocated; else 0
  std::shared_ptr<SpareMemory> spare_;  // where they came from; null: the system
  std::shared_ptr<const void> owner_;
  std::shared_ptr<StoredBytes> stored_;
  mutable std::shared_ptr<MemoryAccount> account_;  // null: not counted
  mutable int64_t charged_ = 0;
  mutable bool text_is_charged_ = false;
  std::vector<std::string> strings_;
};

// A tensor is a handle: copies share the buffer. It is written only by whoever allocated it, before
// it is passed on; after that it is immutable.
//
// Elements of less than 8 bits are packed (first element in the low bits) and such a tensor is
// always contiguous with offset 0. Every other tensor may be a strided view.
class Tensor {
 public:
  Tensor() = default;  // no tensor: dtype() is kUndefined
  // Out of line: they are in every structure that has tensors, and no loop's work.
  Tensor(const Tensor& other);
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(const Tensor& other);
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor();

  // A new contiguous tensor, uninitialized (strings: empty). InvalidArgument for a negative
  // dimension, ResourceExhausted if the size overflows or memory (of the account) is short. Kernels
  // use KernelContext::Allocate, which also keeps to the run's limits.
  static absl::StatusOr<Tensor> Allocate(DType dtype, absl::Span<const int64_t> shape,
                                         std::shared_ptr<MemoryAccount> account = nullptr);

  // A contiguous tensor over bytes that exist (mapped, or parts of a message); `data` must be
  // aligned for the element type, and `buffer` hold enough bytes from `byte_offset` on.
  static absl::StatusOr<Tensor> FromBuffer(DType dtype, absl::Span<const int64_t> shape,
                                           std::shared_ptr<Buffer> buffer, int64_t byte_offset = 0);

  // Convenience for tests and small constants; the number of values must be that of the shape
  // (a mistake of ours otherwise: it aborts). T: any type with a DTypeOf.
  template <typename T>
  static Tensor Of(absl::Span<const int64_t> shape, const std::vector<T>& values);
  template <typename T>
  static Tensor Scalar(const T& value) {
    return Of<T>({}, std::vector<T>{value});
  }

  DType dtype() const { return dtype_; }
  bool defined() const { return dtype_ != DType::kUndefined; }
  const Shape& shape() const { return shape_; }
  const Shape& strides() const { return strides_; }
  int rank() const { return static_cast<int>(shape_.size()); }
  int64_t dim(int axis) const { return shape_[static_cast<size_t>(axis)]; }
  int64_t num_elements() const { return num_elements_; }
  // Index of the first element in the buffer, in elements.
  int64_t offset() const { return offset_; }
  bool is_contiguous() const { return contiguous_; }
  // Bytes of num_elements() elements (not of the buffer, which may be larger or shared).
  int64_t byte_size() const;

  // First byte of element 0 (numeric types; contiguous or not).
  const std::byte* raw_data() const;
  // First element; T must be the storage type of dtype() (any one-byte type for packed types).
  template <typename T>
  const T* data() const {
    return reinterpret_cast<const T*>(raw_data());
  }
  // Strings of a string tensor: element i of the buffer is string_data()[i] (offset applied).
  const std::string* string_data() const;

  // For the one who allocated the tensor. Aborts if the buffer is shared or borrowed.
  std::byte* mutable_raw_data();
  template <typename T>
  T* mutable_data() {
    return reinterpret_cast<T*>(mutable_raw_data());
  }
  std::string* mutable_string_data();

  // The elements of a contiguous tensor. T as in data(); std::string for strings.
  template <typename T>
  absl::Span<const T> AsSpan() const;

  // True if the elements lie in a file (see Buffer).
  bool stored() const { return buffer_ != nullptr && buffer_->stored(); }
  // This tensor, or, if it is stored(), the same elements in memory that goes with the last tensor
  // that holds it. The pool may be null. ResourceExhausted if the system has no memory left.
  absl::StatusOr<Tensor> InMemory(const ThreadPool* pool) const;

  // This tensor if it is contiguous, else a contiguous copy.
  absl::StatusOr<Tensor> Contiguous() const;

  // Views: no element is copied. Preconditions are checked by the caller (asserted here).
  // Same elements in row-major order, other shape; requires is_contiguous().
  Tensor Reshaped(absl::Span<const int64_t> shape) const;
  // Any strides over the same buffer; not for packed types. offset is in elements of the buffer.
  Tensor Strided(absl::Span<const int64_t> shape, absl::Span<const int64_t> strides,
                 int64_t offset) const;

  // The buffer, for those who ask whether two tensors are the same memory.
  const std::shared_ptr<Buffer>& buffer() const { return buffer_; }

  // "float[2,3]"; "int64[]" for a scalar.
  std::string TypeString() const;

 private:
  friend class WeakTensor;
  // Checks the shape, and is contiguous in a buffer that is yet to come.
  static absl::StatusOr<Tensor> WithoutBuffer(DType dtype, absl::Span<const int64_t> shape);

  DType dtype_ = DType::kUndefined;
  bool contiguous_ = true;
  Shape shape_;
  Shape strides_;
  int64_t num_elements_ = 0;
  int64_t offset_ = 0;
  std::shared_ptr<Buffer> buffer_;
};

// A tensor whose memory it does not keep.
class WeakTensor {
 public:
  explicit WeakTensor(const Tensor& tensor) : tensor_(tensor), buffer_(tensor.buffer_) {
    tensor_.buffer_ = nullptr;
  }
  // The tensor as it was; one that is not defined() if its memory is no longer held.
  Tensor Lock() const {
    Tensor tensor = tensor_;
    tensor.buffer_ = buffer_.lock();
    return tensor.buffer_ != nullptr ? tensor : Tensor();
  }

 private:
  Tensor tensor_;  // without its buffer
  std::weak_ptr<Buffer> buffer_;
};

// Aborts with a message; for mistakes of ours that no input can cause.
[[noreturn]] void FatalError(const char* file, int line, const char* what);
#define OC_CHECK(condition)                                  \
  do {                                                       \
    if (!(condition)) {                                      \
      ::onnxcmp::FatalError(__FILE__, __LINE__, #condition); \
    }                                                        \
  } while (false)

// ---- implementation details ----

template <typename T>
Tensor Tensor::Of(absl::Span<const int64_t> shape, const std::vector<T>& values) {
  absl::StatusOr<Tensor> tensor = Allocate(kDTypeOf<T>, shape);
  OC_CHECK(tensor.ok());
  OC_CHECK(tensor->num_elements() == static_cast<int64_t>(values.size()));
  if constexpr (std::is_same_v<T, std::string>) {
    std::copy(values.begin(), values.end(), tensor->mutable_string_data());
  } else {
    std::copy(values.begin(), values.end(), tensor->template mutable_data<T>());
  }
  return *std::move(tensor);
}

template <typename T>
absl::Span<const T> Tensor::AsSpan() const {
  OC_CHECK(contiguous_ && kDTypeOf<T> == dtype_);
  if constexpr (std::is_same_v<T, std::string>) {
    return absl::MakeConstSpan(string_data(), static_cast<size_t>(num_elements_));
  } else {
    return absl::MakeConstSpan(data<T>(), static_cast<size_t>(num_elements_));
  }
}

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_TENSOR_H_
