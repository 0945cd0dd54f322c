// The numbers of a tensor as doubles, strip by strip, so that what looks at them needs no copy of
// the whole; and in pieces that threads share.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_NUMBER_STRIPS_H_
#define ONNXCMP_COMPARE_DIFFERENCES_NUMBER_STRIPS_H_

#include <algorithm>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "compare/differences/element_reader.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

inline constexpr int64_t kNumberStrip = 512;

// In row-major order; a complex number is two, its real and its imaginary part.
class NumberReader {
 public:
  // The tensor must outlive the reader and must not hold strings.
  explicit NumberReader(const Tensor& tensor);

  int64_t size() const { return size_; }
  // Numbers [first, first + count); of complex numbers both are even.
  void Read(int64_t first, int64_t count, double* out) const;

 private:
  ElementReader reader_;
  bool complex_;
  int64_t size_;
};

// Calls body(first, count, a) for the strips of [begin, end) of what a NumberReader, or another
// that reads as it does, reads. The body may write to `a`.
template <typename Reader, typename Body>
void ForEachStrip(const Reader& numbers, int64_t begin, int64_t end, Body&& body) {
  double a[kNumberStrip];
  for (int64_t first = begin; first < end; first += kNumberStrip) {
    const int64_t count = std::min(kNumberStrip, end - first);
    numbers.Read(first, count, a);
    body(first, count, a);
  }
}

// The same of two of equal size: body(first, count, a, b). It returns whether to go on.
template <typename Left, typename Right, typename Body>
void ForEachStrip(const Left& left, const Right& right, int64_t begin, int64_t end, Body&& body) {
  double a[kNumberStrip];
  double b[kNumberStrip];
  for (int64_t first = begin; first < end; first += kNumberStrip) {
    const int64_t count = std::min(kNumberStrip, end - first);
    left.Read(first, count, a);
    right.Read(first, count, b);
    if (!body(first, count, a, b)) return;
  }
}

// How many pieces that many numbers are cut into: by their number alone, so that what is added up
// piece by piece is the same for any number of threads.
int64_t NumberPieces(int64_t size);
// Calls task(piece, begin, end) for each of them, in any order. The pool may be null.
void ForEachNumberPiece(int64_t size, const ThreadPool* pool,
                        absl::FunctionRef<void(int64_t, int64_t, int64_t)> task);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_NUMBER_STRIPS_H_
