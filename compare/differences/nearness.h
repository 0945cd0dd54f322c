// How far two tensors are apart against the size of their elements, for the search for causes.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_NEARNESS_H_
#define ONNXCMP_COMPARE_DIFFERENCES_NEARNESS_H_

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

// From 1 to the next number of a floating type; 0 for other types.
double EpsilonOf(DType dtype);
// The greater epsilon of two types; 0 if one of them is no floating type.
double CoarserEpsilon(DType a, DType b);

// Whether elements of a value can be measured: a tensor, not of strings.
bool IsMeasurable(const Value& value);

// Whether values of these types are measured against each other: floats with floats, integers with
// integers, booleans with booleans.
bool SameKindOfNumber(DType a, DType b);

// The elements in row-major order; of complex numbers real and imaginary parts in turn. Numbers
// only.
std::vector<double> ElementsOf(const Tensor& tensor);

// The smaller of the root mean square and four times the median of the magnitudes, of the finite
// elements that are not 0 and below 1e30: one masked -10000 must not make everything near.
// The pool may be null.
double ScaleOf(absl::Span<const double> elements, const ThreadPool* pool = nullptr);

// A few elements, which tell that most tensors are not near each other.
struct Sample {
  std::vector<double> elements;
  DType dtype = DType::kUndefined;
};
Sample SampleOf(const Tensor& tensor);

// What is asked about many pairs. The elements stay where they are.
struct Measured {
  Tensor tensor;
  int64_t size = 0;  // numbers; a complex one is two
  double scale = 0;
  Sample sample;
  DType dtype = DType::kUndefined;  // what the elements count as; undefined: nothing is known

  bool known() const { return dtype != DType::kUndefined; }
};
// This and what follows: the pool may be null.
Measured Measure(const Tensor& tensor, const ThreadPool* pool = nullptr);

// What is asked about one value against many, as far as it is asked for: a sample rules most out,
// and costs next to nothing. Every call is for the same tensor.
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

// max |a - b| / max(|a|, the smaller of the two scales); infinite if NaN or infinities are in
// other places, or there are not as many of them. Between types, the least number of one is as good
// as the other's or minus infinity: masks are written so.
double Distance(const Measured& left, const Measured& right, const ThreadPool* pool = nullptr);
// The root mean square of the differences against that of the left; infinite if they are not as
// many.
double RelativeRms(const Measured& left, const Measured& right, const ThreadPool* pool = nullptr);
// The share of elements that are not equal; 1 if there are not as many of them.
double UnequalShare(const Measured& left, const Measured& right, const ThreadPool* pool = nullptr);

// How far results of a region may be apart by rounding, generously: a multiple of the epsilon.
double NearLimit(double epsilon);
// Whether they may stand for each other: floats within NearLimit, integers equal; of 8-bit tensors
// of 16 elements and more a fiftieth may be one step off. Types and sizes fit.
bool Near(const Measured& left, const Measured& right, const ThreadPool* pool = nullptr);

// False: they are not near. `scale`: no less than the smaller of the two scales.
bool MayBeNear(const Sample& left, const Sample& right, double scale);

// The greatest finite number of float, float16 and bfloat16; infinity for other types.
double GreatestFinite(DType dtype);
// Whether a tensor has finite elements beyond that of another type; of masks, which are far below 0
// in any type, only if `masks`.
bool Overflows(const Tensor& tensor, DType dtype, bool masks = true);

struct ConvertOptions {
  const ThreadPool* pool = nullptr;                 // may be null
  std::shared_ptr<MemoryAccount> memory = nullptr;  // as Tensor::Allocate takes it
  bool* clamped = nullptr;  // if not null: whether something was beyond the type's greatest number
};
// The value as a tensor of another type and shape, rounded once. What is finite stays finite:
// beyond the greatest number of the type it becomes that. InvalidArgument if it cannot be
// converted.
absl::StatusOr<Value> ConvertedTo(const Value& value, DType dtype, absl::Span<const int64_t> shape,
                                  const ConvertOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_NEARNESS_H_
