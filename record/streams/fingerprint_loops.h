// The loops that take most of a fingerprint's time, for each set of vector instructions. All give
// the same bits.
#ifndef ONNXCMP_RECORD_STREAMS_FINGERPRINT_LOOPS_H_
#define ONNXCMP_RECORD_STREAMS_FINGERPRINT_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "evaluator/base/instructions.h"
#include "record/streams/multiset_hash.h"

namespace onnxcmp {

// Extremes of any numbers; if `finite` is false, the others are undefined.
struct NumberEnds {
  double least;
  double greatest;  // -0.0 counts as less than 0.0
  int64_t zeros;
  bool finite;  // true if all are
};

// Sums over finite numbers x, and over c(x) = x / (1 + |x|).
struct NumberSums {
  double plain;
  double squares;
  double shifted_squares;  // sum of squares of x - shift
  double squashed;
  double squashed_magnitudes;
  double squashed_squares;
  double squashed_cubes;
};

template <typename T>
struct NumberLoops {
  // count > 0.
  NumberEnds (*find_ends)(const T* x, int64_t count);
  // Also adds x[i] to plain[i % 64] and c(x[i]) to squashed[i % 64], negated if bit i % 64 of
  // signs[i / 64] is 1. Elements after x[count - 1] up to a multiple of 8 must be zeros.
  NumberSums (*add)(const T* x, int64_t count, double shift, const uint64_t* signs, double* plain,
                    double* squashed);
};

struct FingerprintLoops {
  NumberLoops<float> of_floats;
  NumberLoops<double> of_doubles;
  // SumOfElements() of words of 4 bytes, aligned or not.
  MultisetSum (*sum_of_words)(const std::byte* words, int64_t count);

  // T: float or double.
  template <typename T>
  const NumberLoops<T>& Of() const {
    if constexpr (std::is_same_v<T, float>) {
      return of_floats;
    } else {
      return of_doubles;
    }
  }
};

namespace base {
FingerprintLoops LoopsOfFingerprints();
}  // namespace base
namespace avx512 {
FingerprintLoops LoopsOfFingerprints();
}  // namespace avx512

// The loops for `instructions`, which the processor must have.
FingerprintLoops FingerprintLoopsFor(Instructions instructions);

// The loops for the widest instructions of the processor.
const FingerprintLoops& BestFingerprintLoops();

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_FINGERPRINT_LOOPS_H_
