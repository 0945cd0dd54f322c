// How a model standardizes an input before it does anything else with it.
#ifndef ONNXCMP_FEED_MADE_UP_STANDARDIZATION_H_
#define ONNXCMP_FEED_MADE_UP_STANDARDIZATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/graph_scope.h"

namespace onnxcmp {

// (input - middle) / size is standardized. Features differ by place along one axis, images by
// channel; one number each stands for all elements.
struct Standardization {
  struct Around {
    double middle = 0;
    double size = 1;
  };

  size_t axis_from_end = 1;  // 1: the last
  std::vector<double> middle;
  std::vector<double> size;

  // The numbers that element i of a tensor of this shape is standardized with; 0 and 1 if the shape
  // has no such axis.
  Around At(const Shape& shape, int64_t i) const;
};

// From subtractions, factors, a BatchNormalization or a Scaler that alone read the input. Nothing
// if the input is not both moved and scaled (a bias or an attention's factor is neither), except by
// the range of an 8-bit image, or by numbers that would round what is fed.
std::optional<Standardization> StandardizationOf(const GraphScope& scope, const ValueInfo& input);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_STANDARDIZATION_H_
