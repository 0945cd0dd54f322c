// Fingerprint of a value, recorded so that the value need not be kept: hashes to tell equal from
// unequal, a sketch that is close for nearly equal tensors, statistics.
#ifndef ONNXCMP_RECORD_STREAMS_FINGERPRINT_H_
#define ONNXCMP_RECORD_STREAMS_FINGERPRINT_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/differences/letters.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

// Kind of numbers: only values of one kind are ever near each other.
enum class ElementKind : uint8_t { kFloat, kInteger, kBool, kOther };

inline constexpr int kProjections = 8;

// Projections of a tensor x on random signs: p_k = (sum of s_k(i) x_i) / sqrt(size), where the
// signs s_k(i) are hashes of the flat index (numeric_pass.h). NaN and infinities count as 0;
// `non_finite` is their share. All in double. Complex: real and imaginary parts in turn.
struct Sketch {
  double rms = 0;
  double non_finite = 0;
  std::array<double, kProjections> projections = {};
};

// Over the finite elements (except the last two counts). Complex: over the magnitudes.
struct Statistics {
  double min = 0;
  double max = 0;
  double mean = 0;
  double deviation = 0;  // the population's
  int64_t zeros = 0;
  int64_t nans = 0;
  int64_t infinities = 0;
};

// Numbers of numeric tensors and booleans.
struct Numbers {
  // The sketches of x, and of c(x) = x / (1 + |x|), in which a mask of -3e38 does not drown the
  // other elements.
  Sketch plain;
  Sketch squashed;
  // Moments of c(x), independent of the elements' order: mean, rms, mean of |c|, least, greatest,
  // cube root of the mean of c^3.
  std::array<double, 6> moments = {};
  Statistics statistics;
  Letters letters = kUnknownLetters;  // also if no caller wants them
};

// Numbers that are already computed, or those of a tensor in a file, computed on first use: weights
// that both sides have are paired by their bits, and their numbers are rarely needed.
class LazyNumbers {
 public:
  explicit LazyNumbers(const Numbers& numbers) : numbers_(numbers) {}
  // For a tensor that a TensorScan can read in its file.
  LazyNumbers(const Tensor& stored, bool letters)
      : stored_(std::make_unique<const Tensor>(stored)), letters_(letters) {}

  const Numbers& Get() const;

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<const Tensor> stored_;  // null: the numbers are computed
  bool letters_ = false;
  mutable Numbers numbers_;
};

struct Fingerprint {
  Hash128 content;   // dtype, shape, bits; for sequences and the like: structure and elements
  Hash128 bits;      // dtype and bits in row-major order, shape left out
  Hash128 elements;  // dtype and the multiset of elements: the same in another layout
  ElementKind kind = ElementKind::kOther;
  int64_t size = 0;  // elements; for sequences and maps: values
  // True if the value is evidence of identity: of up to 64 elements at equal steps, at least 4 are
  // distinct (floats), or 8 (others). Scalars, zeros and shapes are poor.
  bool rich = false;
  bool finite = true;       // no number is NaN or infinite
  bool has_sketch = false;  // numbers() is set
  std::shared_ptr<const LazyNumbers> lazy_numbers;

  // The defaults if there are none.
  const Numbers& numbers() const;
};

struct FingerprintOptions {
  const ThreadPool* pool = nullptr;  // may be null
  bool letters = true;               // compute letters, which take a pass of their own
  bool lazy = true;                  // compute the numbers of tensors in files on demand
};

// One pass over the elements. Independent of the number of threads, the strides and the side.
// `bits`: the tensor's BitsOf() if that is known; may be null.
Fingerprint FingerprintOf(const Value& value, const FingerprintOptions& options = {},
                          const Hash128* bits = nullptr);

// Stands in for a tensor of finite numbers that was not read: its hashes are `content`, it has no
// numbers and counts as poor.
Fingerprint UnseenFingerprint(const Tensor& tensor, const Hash128& content);

// Its `content` alone, at a fraction of the cost. The pool may be null.
Hash128 ContentOf(const Value& value, const ThreadPool* pool = nullptr);

// Fingerprint::bits alone, of a tensor of numbers.
Hash128 BitsOf(const Tensor& tensor, const ThreadPool* pool = nullptr);

// The fingerprint of the same elements, in the same order, in a tensor of another shape.
Fingerprint Reshaped(const Fingerprint& fingerprint, absl::Span<const int64_t> shape);

// Distance of two values of equal size by their sketches: 0 for equal bits; the greater of both
// sketches' max(rms of the projections' differences, difference of rms) / max(rms), 1 if the shares
// that are not finite differ; 9 if the sizes differ or one has no sketch.
double SketchDistance(const Fingerprint& left, const Fingerprint& right);
// The same by the sketches of c(x) alone.
double SquashedSketchDistance(const Fingerprint& left, const Fingerprint& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_STREAMS_FINGERPRINT_H_
