// Which results of a side are integers that stand for other numbers, and for which: by what the
// nodes that make or read them say of scales and zero points.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_GRIDS_H_
#define ONNXCMP_COMPARE_QUANTIZATION_GRIDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/graphs/side_graph.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// An integer q stands for (q - zero point) * scale.
struct Grid {
  int scale = kNone;       // results of the same side
  int zero_point = kNone;  // kNone: 0
  // Where there are several scales: the axis that they belong to, and how many elements along it
  // share one (0: each has its own).
  int64_t axis = 1;
  int64_t block = 0;
};

class Grids {
 public:
  // The graph must outlive the object.
  explicit Grids(const SideGraph& graph);

  // How its node says that a result is quantized, and how the first node that reads it takes it.
  // Integers that go through a node that only moves them keep their grid.
  const std::optional<Grid>& written(int r) const { return written_[Index(r)]; }
  const std::optional<Grid>& read(int r) const { return read_[Index(r)]; }
  const std::optional<Grid>& of(int r) const {
    return written_[Index(r)].has_value() ? written_[Index(r)] : read_[Index(r)];
  }
  // Which result's integers a DequantizeLinear makes a result of; kNone if it is not one.
  int Dequantizes(int r) const;
  // A scale or a zero point: it is read as one, and as nothing else.
  bool IsParameter(int r) const { return parameter_[Index(r)]; }

 private:
  void AddNode(const SideGraph& graph, int n);

  const SideGraph& graph_;
  std::vector<std::optional<Grid>> written_;  // by result
  std::vector<std::optional<Grid>> read_;
  std::vector<bool> parameter_;
};

// A grid with its numbers.
struct GridValues {
  std::vector<double> scales;
  std::vector<double> zero_points;  // as many as scales, or one
  int64_t axis = 0;                 // not negative
  int64_t block = 0;
  double least = 0;  // of the integers' type
  double most = 0;

  bool per_tensor() const { return scales.size() == 1; }
  // Which scale belongs to an element of a tensor of this shape.
  int64_t ScaleAt(absl::Span<const int64_t> shape, int64_t element) const;
  double ScaleOf(int64_t s) const { return scales[static_cast<size_t>(s)]; }
  double ZeroPointOf(int64_t s) const {
    return zero_points.size() == 1 ? zero_points[0] : zero_points[static_cast<size_t>(s)];
  }
};

// Nothing if scales and zero points do not fit the integers. The zero point may be absent.
std::optional<GridValues> ValuesOf(const Grid& grid, const Tensor& integers, const Value* scale,
                                   const Value* zero_point);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_GRIDS_H_
