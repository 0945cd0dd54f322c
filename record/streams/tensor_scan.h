// The pieces of a numeric tensor, scanned by many threads, from which a fingerprint is put
// together.
#ifndef ONNXCMP_RECORD_STREAMS_TENSOR_SCAN_H_
#define ONNXCMP_RECORD_STREAMS_TENSOR_SCAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluator/base/mapped_file.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/tensor_runs.h"
#include "record/streams/hash128.h"
#include "record/streams/multiset_hash.h"
#include "record/streams/numeric_pass.h"

namespace onnxcmp {

// Parts of a scan that are requested.
struct ScanParts {
  bool bits = false;
  bool elements = false;
  bool finite = false;
  bool numbers = false;
};

struct TensorPiece {
  Hash128 bits;
  MultisetSum elements;
  bool finite = true;  // true if all numbers are, as far as that was requested
  NumericSums numbers;
  NumericSums magnitudes;  // for complex numbers
};

// Reads a numeric tensor in chunks of raw elements. A stored() tensor is read in its file if
// ReadsFile() is true, and has to be in memory otherwise.
class TensorScan {
 public:
  // The tensor must outlive it.
  explicit TensorScan(const Tensor& tensor);

  static bool ReadsFile(const Tensor& tensor);

  // The division into pieces depends on the size alone. The pool may be null.
  std::vector<TensorPiece> Pieces(const ScanParts& parts, const ThreadPool* pool);

  // True if all numbers are finite. Real numbers only.
  bool IsFinite(const ThreadPool* pool);

  // Shift of the NumericSums: a finite element, if one is found quickly. Known once there are
  // pieces with numbers.
  double shift() const { return shift_; }

  // Hash of a few elements at both ends, the type and the size: equal for tensors of equal bits.
  Hash128 EndsHash() const;

  // See Fingerprint::rich.
  bool IsRich() const;

 private:
  template <typename T>
  void ScanPiece(int64_t index, const ScanParts& parts, TensorPiece* piece) const;
  template <typename T>
  void LoadChunk(const std::byte* raw, int64_t first, int64_t count, T* values) const;
  // Real and imaginary parts in turn; also adds the magnitudes.
  void LoadParts(const std::byte* raw, int64_t first, int64_t count, double* parts,
                 NumericPass* magnitudes) const;

  // True if the elements can be hashed in place. Packed ones are unpacked to bytes, so that bits
  // after the last one do not count.
  bool InPlace() const { return file_ == nullptr && !packed_ && runs_.contiguous(); }
  // True if contiguous raw elements can be read as numbers of T.
  template <typename T>
  bool IsArrayOf(const std::byte* raw) const {
    return dtype_ == DTypeOf<T>::value && reinterpret_cast<uintptr_t>(raw) % alignof(T) == 0;
  }
  const std::byte* Place(int64_t index) const { return data_ + index * width_; }
  // Prefetches memory that the processor does not by itself: it stops at the end of a page, and
  // chunks are far apart in time.
  void Prefetch(int64_t first, int64_t count) const;
  size_t Bytes(int64_t count) const { return static_cast<size_t>(count * width_); }
  void FindShift();
  // Copies a few elements that are not contiguous.
  const std::byte* Gather(int64_t first, int64_t count, std::byte* buffer) const;
  // The same for many, none of them packed.
  void GatherBlock(int64_t first, int64_t count, std::byte* block) const;
  // Reads from the file: that takes half the time of paging them into the mapping and out again.
  void ReadFile(int64_t first, int64_t count, std::byte* buffer) const;

  const FileBytes* file_;  // null: it is in memory
  int64_t in_file_ = 0;    // offset of the first element in the file's bytes
  const std::byte* data_;  // the first element; null if it is in a file
  TensorRuns runs_;
  DType dtype_;
  int64_t size_;
  bool packed_;
  bool complex_;
  int64_t width_;  // bytes of an element as it is hashed
  double shift_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_TENSOR_SCAN_H_
