// The numbers of a tensor as doubles, strip by strip, so that no copy of the whole is needed; and
// in pieces that threads share.
#ifndef ONNXCMP_RECORD_DIFFERENCES_NUMBER_STRIPS_H_
#define ONNXCMP_RECORD_DIFFERENCES_NUMBER_STRIPS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/element_reader.h"
#include "record/differences/lanes/pair_moments.h"

namespace onnxcmp {

// Elements of a strip, which stays in the cache, and of a piece, which one thread scans.
inline constexpr int64_t kNumberStrip = 512;
inline constexpr int64_t kNumberPiece = int64_t{1} << 16;

// In row-major order; a complex number counts as two, its real and its imaginary part.
class NumberReader {
 public:
  // The tensor must outlive the reader and must not hold strings.
  explicit NumberReader(const Tensor& tensor);

  int64_t size() const { return size_; }
  // Numbers [first, first + count); both are even for complex numbers.
  void Read(int64_t first, int64_t count, double* out) const;

 private:
  ElementReader reader_;
  bool complex_;
  int64_t size_;
};

// Calls body(first, count, a) for the strips of [begin, end) of a NumberReader, or another reader
// with its interface. The body may write to `a`.
template <typename Reader, typename Body>
void ForEachStrip(const Reader& numbers, int64_t begin, int64_t end, Body&& body) {
  double a[kNumberStrip];
  for (int64_t first = begin; first < end; first += kNumberStrip) {
    const int64_t count = std::min(kNumberStrip, end - first);
    numbers.Read(first, count, a);
    body(first, count, a);
  }
}

// The same for two readers of equal size: body(first, count, a, b). It returns false to stop.
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

// Number of pieces that numbers are cut into. It depends on their number alone, so that sums by
// piece are the same for any number of threads.
int64_t NumberPieces(int64_t size);
// Calls task(piece, begin, end) for each of them, in any order. The pool may be null.
void ForEachNumberPiece(int64_t size, const ThreadPool* pool,
                        absl::FunctionRef<void(int64_t, int64_t, int64_t)> task);

// The sums over the pairs of two readers, up to the end of the shorter one. The pool may be null;
// the result does not depend on it.
template <typename Left, typename Right>
PairMoments MomentsOf(const Left& left, const Right& right, const ThreadPool* pool = nullptr,
                      const Counting& counting = {}) {
  const int64_t size = std::min(left.size(), right.size());
  std::vector<PairMoments> pieces(static_cast<size_t>(NumberPieces(size)));
  ForEachNumberPiece(size, pool, [&](int64_t piece, int64_t begin, int64_t end) {
    ForEachStrip(left, right, begin, end,
                 [&](int64_t, int64_t count, const double* a, const double* b) {
                   pieces[static_cast<size_t>(piece)].Add(MomentsOfStrip(a, b, count, counting));
                   return true;
                 });
  });
  PairMoments all;
  for (const PairMoments& piece : pieces) all.Add(piece);
  return all;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_NUMBER_STRIPS_H_
