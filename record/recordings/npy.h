// NumPy's .npy format: one array as bytes.
#ifndef ONNXCMP_RECORD_RECORDINGS_NPY_H_
#define ONNXCMP_RECORD_RECORDINGS_NPY_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Bytes read from front to back.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Exactly `size` bytes, or an error.
  virtual absl::Status Read(void* out, int64_t size) = 0;
  // Number of bytes left.
  virtual int64_t remaining() const = 0;
};

// Bytes in memory, or mapped.
class BytesSource : public ByteSource {
 public:
  // They must outlive the source.
  explicit BytesSource(absl::string_view bytes) : rest_(bytes) {}
  absl::Status Read(void* out, int64_t size) override;
  int64_t remaining() const override { return static_cast<int64_t>(rest_.size()); }

 private:
  absl::string_view rest_;
};

struct NpyArray {
  // Column-major arrays become views. Unicode strings become UTF-8.
  Tensor tensor;
  // The file specifies the size of an element but not its meaning (NumPy's void type, in which
  // bfloat16, float8 and other extension types are stored). `tensor` then holds unsigned integers
  // of that width.
  bool opaque = false;
};

// Reads an array up to the end of the source: bool, integers, float16, float32, float64, complex,
// unicode and byte strings, void of 1, 2, 4 or 8 bytes; either byte order and memory order; format
// versions 1 to 3. InvalidArgument if it is no such array, and Unimplemented for types that no
// tensor has (Python objects, dates, records, long double). `max_tensor`: limit in bytes for the
// tensor.
absl::StatusOr<NpyArray> ReadNpy(ByteSource& source, int64_t max_tensor);

// Writes a tensor as a row-major array. Types that NumPy lacks are written as unsigned integers of
// their width, those of less than 8 bits one element a byte; strings as unicode.
absl::Status WriteNpy(const Tensor& tensor,
                      absl::FunctionRef<absl::Status(absl::string_view)> write);

// Restores a type that NumPy lacks from the unsigned integers that WriteNpy wrote (or from the
// bytes of an opaque array). InvalidArgument if the widths do not agree.
absl::StatusOr<Tensor> RestoreDType(const Tensor& bits, DType dtype);

// True if NumPy has no such type, so that an array holds its bits.
bool NumpyLacks(DType dtype);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RECORDINGS_NPY_H_
