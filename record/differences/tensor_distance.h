// Measures the distance of two tensors relative to the size of their elements, for the search for
// causes.
#ifndef ONNXCMP_RECORD_DIFFERENCES_TENSOR_DISTANCE_H_
#define ONNXCMP_RECORD_DIFFERENCES_TENSOR_DISTANCE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/base/memory_account.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Distance from 1 to the next number of a floating type; 0 for other types.
double EpsilonOf(DType dtype);
// The greater epsilon of two types; 0 if one of them is no floating type.
double CoarserEpsilon(DType a, DType b);

// True if a value's elements can be measured: a tensor, not of strings.
bool IsMeasurable(const Value& value);

// True if values of these types can be compared: floats with floats, integers with integers,
// booleans with booleans.
bool SameKindOfNumber(DType a, DType b);

// The elements in row-major order; real and imaginary parts of complex numbers in turn. Numbers
// only.
std::vector<double> ElementsOf(const Tensor& tensor);

// The smaller of the root mean square and four times the median of the magnitudes, over finite
// elements that are neither 0 nor masks beyond 1e30: a single -10000 of a mask must not make all
// other differences small. The pool may be null.
double ScaleOf(absl::Span<const double> elements, const ThreadPool* pool = nullptr);

// A few elements, which suffice to show that most tensors are not near each other.
struct Sample {
  std::vector<double> elements;
  DType dtype = DType::kUndefined;
};
Sample SampleOf(const Tensor& tensor);

// A tensor prepared for repeated comparison: scale and sample. Elements are not copied.
struct Measured {
  Tensor tensor;
  int64_t size = 0;  // numbers; a complex one counts as two
  double scale = 0;
  Sample sample;
  DType dtype = DType::kUndefined;  // type by which elements count; undefined: not measured

  bool known() const { return dtype != DType::kUndefined; }
};
// From here on, the pool may be null.
Measured Measure(const Tensor& tensor, const ThreadPool* pool = nullptr);

// Measures a value on demand, as one value is compared with many: a sample rules most out at almost
// no cost. Every call must pass the same tensor.
class LazyMeasured {
 public:
  const Sample& SampleFor(const Tensor& tensor) {
    if (measured_.known()) return measured_.sample;
    if (sample_.dtype == DType::kUndefined) sample_ = SampleOf(tensor);
    return sample_;
  }
  const Measured& For(const Tensor& tensor, const ThreadPool* pool = nullptr) {
    if (!measured_.known()) measured_ = Measure(tensor, pool);
    return measured_;
  }

 private:
  Sample sample_;
  Measured measured_;
};

// max |a - b| / max(|a|, the smaller of the two scales); infinite if NaN or infinities are at
// different places, or if the sizes differ. Between types, the least number of one equals the
// other's least or minus infinity: both are written as masks.
double Distance(const Measured& left, const Measured& right, const ThreadPool* pool = nullptr);
// The root mean square of the differences relative to that of the left; infinite if the sizes
// differ or a number is NaN.
double RelativeRms(const Tensor& left, const Tensor& right, const ThreadPool* pool = nullptr);
// The share of unequal elements; 1 if the sizes differ.
double UnequalShare(const Tensor& left, const Tensor& right, const ThreadPool* pool = nullptr);

// Limit of the distance that rounding may cause in a region's results, generously: a multiple of
// the epsilon.
double NearLimit(double epsilon);
// True if one may stand for the other: floats within NearLimit, integers equal; in 8-bit tensors of
// 16 elements and more, a fiftieth may be one step off. Types and sizes must fit.
bool Near(const Measured& left, const Measured& right, const ThreadPool* pool = nullptr);

// False: they are not near. `scale`: at least the smaller of the two scales.
bool MayBeNear(const Sample& left, const Sample& right, double scale);

// The greatest finite number of double, float, float16 and bfloat16; infinity for other types.
double GreatestFinite(DType dtype);
// The least positive number of the same types; 0 for other types.
double LeastPositive(DType dtype);
// True if a tensor has finite elements beyond the greatest number of another type. Masks, which are
// far below 0 in any type, count only if `masks`.
bool Overflows(const Tensor& tensor, DType dtype, bool masks = true);

struct ConvertOptions {
  const ThreadPool* pool = nullptr;                 // may be null
  std::shared_ptr<MemoryAccount> memory = nullptr;  // as Tensor::Allocate takes it
  bool* clamped = nullptr;  // if not null: set if a number was beyond the type's greatest one
};
// The value as a tensor of another type and shape, rounded once. Finite numbers stay finite: those
// beyond the greatest number of the type become that. InvalidArgument if it cannot be converted.
absl::StatusOr<Value> ConvertedTo(const Value& value, DType dtype, absl::Span<const int64_t> shape,
                                  const ConvertOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_TENSOR_DISTANCE_H_
