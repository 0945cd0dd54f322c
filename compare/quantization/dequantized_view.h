// The real numbers of a result: floats, or integers with their scale and zero point. They are read
// strip by strip, since a copy in doubles takes eight times the integers' memory.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_DEQUANTIZED_VIEW_H_
#define ONNXCMP_COMPARE_QUANTIZATION_DEQUANTIZED_VIEW_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "compare/quantization/quant_params.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/number_strips.h"

namespace onnxcmp {

class DequantizedView {
 public:
  explicit DequantizedView(Tensor floats) : tensor_(std::move(floats)) {}
  explicit DequantizedView(std::vector<double> numbers);
  DequantizedView(Tensor integers, QuantParamValues params)
      : tensor_(std::move(integers)), params_(std::move(params)) {}

  int64_t size() const { return tensor_.num_elements(); }
  // The tensor that holds them.
  const Tensor& tensor() const { return tensor_; }
  // Nothing if they are floats.
  const std::optional<QuantParamValues>& params() const { return params_; }
  // Copies all of them.
  std::vector<double> All() const;

 private:
  Tensor tensor_;
  std::optional<QuantParamValues> params_;
};

class DequantizedReader {
 public:
  // The reals must outlive the reader.
  explicit DequantizedReader(const DequantizedView& reals)
      : reals_(reals), numbers_(reals.tensor()) {}

  int64_t size() const { return numbers_.size(); }
  // Numbers [first, first + count).
  void Read(int64_t first, int64_t count, double* out) const;

 private:
  const DequantizedView& reals_;
  NumberReader numbers_;
};

// Rounds reals to integers: halves to even, saturating. The pool may be null.
absl::StatusOr<Tensor> Quantized(const DequantizedView& reals, const Shape& shape, DType dtype,
                                 const QuantParamValues& params, const ThreadPool* pool);

// The same numbers in a type of floats. The pool may be null.
absl::StatusOr<Tensor> InFloats(const DequantizedView& reals, const Shape& shape, DType dtype,
                                const ThreadPool* pool);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_DEQUANTIZED_VIEW_H_
