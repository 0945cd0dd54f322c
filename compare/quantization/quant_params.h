// Finds which results of a side are quantized integers, and their scales and zero points, from the
// nodes that make or read them.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_QUANT_PARAMS_H_
#define ONNXCMP_COMPARE_QUANTIZATION_QUANT_PARAMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// Quantization parameters: an integer q stands for (q - zero point) * scale.
struct QuantParams {
  int scale = kNone;       // results of the same side
  int zero_point = kNone;  // kNone: 0
  // With several scales: their axis, and the number of elements along it that share one (0: each
  // has its own).
  int64_t axis = 1;
  int64_t block = 0;
};

class QuantParamsByResult {
 public:
  // The graph must outlive the object.
  explicit QuantParamsByResult(const SideGraph& graph);

  // Parameters by the node that makes a result, and by the first node that reads it. Integers keep
  // theirs through nodes that only move elements.
  const std::optional<QuantParams>& written(int r) const { return written_[Index(r)]; }
  const std::optional<QuantParams>& read(int r) const { return read_[Index(r)]; }
  const std::optional<QuantParams>& of(int r) const {
    return written_[Index(r)].has_value() ? written_[Index(r)] : read_[Index(r)];
  }
  // The integers of which a DequantizeLinear makes a result; kNone if it is not dequantized.
  int Dequantizes(int r) const;
  // True for a scale or zero point: a result that is read only as such.
  bool IsParameter(int r) const { return parameter_[Index(r)]; }

 private:
  void AddNode(const SideGraph& graph, int n);

  const SideGraph& graph_;
  std::vector<std::optional<QuantParams>> written_;  // by result
  std::vector<std::optional<QuantParams>> read_;
  std::vector<bool> parameter_;
};

// Quantization parameters with their numbers.
struct QuantParamValues {
  std::vector<double> scales;
  std::vector<double> zero_points;  // as many as scales, or one
  int64_t axis = 0;                 // not negative
  int64_t block = 0;
  double least = 0;  // range of the integers' type
  double most = 0;

  bool per_tensor() const { return scales.size() == 1; }
  // The scale's index for an element of a tensor of this shape.
  int64_t ScaleAt(absl::Span<const int64_t> shape, int64_t element) const;
  double ScaleOf(int64_t s) const { return scales[static_cast<size_t>(s)]; }
  double ZeroPointOf(int64_t s) const {
    return zero_points.size() == 1 ? zero_points[0] : zero_points[static_cast<size_t>(s)];
  }
};

// Nothing if scales and zero points do not fit the integers. The zero point may be absent.
std::optional<QuantParamValues> ValuesOf(const QuantParams& params, DType integers,
                                         absl::Span<const int64_t> shape, const Value* scale,
                                         const Value* zero_point);
inline std::optional<QuantParamValues> ValuesOf(const QuantParams& params, const Tensor& integers,
                                                const Value* scale, const Value* zero_point) {
  return ValuesOf(params, integers.dtype(), integers.shape(), scale, zero_point);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_QUANT_PARAMS_H_
