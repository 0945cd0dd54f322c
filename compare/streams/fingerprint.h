// What is remembered of a value when it appears, so that it need not be kept: hashes that tell
// equal from unequal, a sketch that puts nearly equal tensors close together, statistics.
#ifndef ONNXCMP_COMPARE_STREAMS_FINGERPRINT_H_
#define ONNXCMP_COMPARE_STREAMS_FINGERPRINT_H_

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/types/span.h"
#include "compare/differences/letters.h"
#include "compare/streams/hash128.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// What kind of numbers: only values of one kind are ever near each other.
enum class ElementKind : uint8_t { kFloat, kInteger, kBool, kOther };

inline constexpr int kProjections = 8;

// Projections of a tensor x on random signs: p_k = (sum of s_k(i) x_i) / sqrt(size), the signs
// s_k(i) being made of hashes of the flat index (numeric_pass.h). NaN and infinities count as 0 and
// in `non_finite`, their share. All in double. Complex: real and imaginary parts in turn.
struct Sketch {
  double rms = 0;
  double non_finite = 0;
  std::array<double, kProjections> projections = {};
};

// Of the finite elements (all but the last two counts). Complex: of the magnitudes.
struct Statistics {
  double min = 0;
  double max = 0;
  double mean = 0;
  double deviation = 0;  // of the population
  int64_t zeros = 0;
  int64_t nans = 0;
  int64_t infinities = 0;
};

// Of numeric tensors and booleans.
struct Numbers {
  // The sketches of x, and of c(x) = x / (1 + |x|), which keeps a mask of -3e38 from drowning the
  // rest.
  Sketch plain;
  Sketch squashed;
  // Of c(x), in any order of the elements: mean, rms, mean of |c|, least, greatest, cube root of
  // the mean of c^3.
  std::array<double, 6> moments = {};
  Statistics statistics;
  Letters letters = kUnknownLetters;  // and where nobody wants them
};

// Numbers that are at hand, or those of a tensor that lies in a file, which are taken when the
// first asks: weights that both sides have are paired by their bits, and mostly nobody does.
class LazyNumbers {
 public:
  explicit LazyNumbers(const Numbers& numbers) : numbers_(numbers) {}
  // Of what a TensorScan can read in its file.
  LazyNumbers(const Tensor& stored, bool letters)
      : stored_(std::make_unique<const Tensor>(stored)), letters_(letters) {}

  const Numbers& Get() const;

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<const Tensor> stored_;  // null: they are at hand
  bool letters_ = false;
  mutable Numbers numbers_;
};

struct Fingerprint {
  Hash128 content;   // dtype, shape, bits; of sequences and the like: structure and elements
  Hash128 bits;      // dtype and bits in row-major order, shape left out
  Hash128 elements;  // dtype and the multiset of elements: the same in another layout
  ElementKind kind = ElementKind::kOther;
  int64_t size = 0;  // elements; of sequences and maps: values
  // Whether the value says something about identity: of up to 64 elements taken at equal steps at
  // least 4 are distinct (floats), or 8 (others). Scalars, zeros and shapes are poor.
  bool rich = false;
  bool finite = true;       // there is no number that is NaN or infinite
  bool has_sketch = false;  // it has numbers()
  std::shared_ptr<const LazyNumbers> lazy_numbers;

  // The defaults if it has none.
  const Numbers& numbers() const;
};

struct FingerprintOptions {
  const ThreadPool* pool = nullptr;  // may be null
  bool letters = true;               // whether letters are wanted, which take a pass of their own
  bool lazy = true;                  // the numbers of what lies in a file are taken when needed
};

// One pass over the elements. The same for any number of threads, any strides, and on both sides.
// `bits`: the tensor's BitsOf() if that is known; may be null.
Fingerprint FingerprintOf(const Value& value, const FingerprintOptions& options = {},
                          const Hash128* bits = nullptr);

// Of a tensor of finite numbers that nobody has looked at: its hashes are `content`, it has no
// numbers and counts as poor.
Fingerprint UnseenFingerprint(const Tensor& tensor, const Hash128& content);

// Its `content` alone, which costs a fraction of the rest. The pool may be null.
Hash128 ContentOf(const Value& value, const ThreadPool* pool = nullptr);

// Fingerprint::bits alone, of a tensor of numbers.
Hash128 BitsOf(const Tensor& tensor, const ThreadPool* pool = nullptr);

// The fingerprint of the same elements, in the same order, in a tensor of another shape.
Fingerprint Reshaped(const Fingerprint& fingerprint, absl::Span<const int64_t> shape);

// How far two values of equal size are apart by their sketches: 0 if the bits are the same; the
// greater of both sketches' max(rms of the projections' differences, difference of rms) / max(rms),
// 1 if the shares that are not finite differ; 9 if the sizes differ or one has no sketch.
double SketchDistance(const Fingerprint& left, const Fingerprint& right);
// The same by the sketches of c(x) alone.
double SquashedSketchDistance(const Fingerprint& left, const Fingerprint& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_STREAMS_FINGERPRINT_H_
