// The numbers of a fingerprint: sums over a piece of a tensor, computed while it is in the cache.
#ifndef ONNXCMP_RECORD_STREAMS_NUMERIC_PASS_H_
#define ONNXCMP_RECORD_STREAMS_NUMERIC_PASS_H_

#include <array>
#include <cstdint>
#include <limits>

#include "record/streams/fingerprint.h"

namespace onnxcmp {

// Sums over a tensor or a piece of one; those of the pieces, added in order, are the whole's.
struct NumericSums {
  int64_t count = 0;
  int64_t finite = 0;
  int64_t zeros = 0;
  int64_t nans = 0;
  // Over the finite elements x.
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double sum = 0;
  double squares = 0;
  double shifted_squares = 0;  // sum of squares of x - shift
  // Over c(x) = x / (1 + |x|).
  double c_sum = 0;
  double c_magnitudes = 0;
  double c_squares = 0;
  double c_cubes = 0;
  // Projections of x and c(x) on the random signs.
  std::array<double, kProjections> plain = {};
  std::array<double, kProjections> squashed = {};

  void Add(const NumericSums& other);

  // Parts of a fingerprint. `shift` is that of the pass.
  Statistics ToStatistics(double shift) const;
  Sketch Plain() const;
  Sketch Squashed() const;
  std::array<double, 6> Moments() const;
};

// The projections need a sign for every element and every k: s_k(i) = r(i) t_k(slot of i). r is a
// bit of a hash of i / 64. In large tensors the elements of several neighbouring runs of 64 share
// slots: they are first summed with r, so that the eight signs t_k are applied to few sums. There
// are always hundreds of these, so that the loss is negligible.
class NumericPass {
 public:
  // Elements that are added at a time: a piece begins at a multiple.
  static constexpr int kChunk = 1024;

  // `size`: elements of the whole tensor; `shift`: a number near them.
  NumericPass(int64_t size, double shift);

  // Elements [first, first + count) of the tensor, `first` being a multiple of kChunk. `room` is
  // for kChunk numbers and is overwritten; it may hold the values. T: float or double; all other
  // types are passed as double.
  template <typename T>
  void AddChunk(int64_t first, int64_t count, const T* values, T* room);
  // Called after the last chunk of a piece. A piece ends where the tensor ends or at a multiple of
  // 4096.
  const NumericSums& Finish();

 private:
  static constexpr int kRun = 64;

  // All sums; for a chunk that is not finite, all but the statistics, which it already has.
  template <typename T>
  void AddSums(int64_t first, int64_t count, const T* values, NumericSums* chunk);
  void SpendSlots(int64_t group);

  int64_t runs_per_group_;  // runs that share slots: a power of two, at most 64
  int used_vectors_;        // number of vectors of four slots
  double shift_;
  int64_t group_ = -1;  // the group of the slots' sums; -1: none
  alignas(64) std::array<double, kRun> plain_slots_ = {};
  alignas(64) std::array<double, kRun> squashed_slots_ = {};
  NumericSums sums_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_NUMERIC_PASS_H_
