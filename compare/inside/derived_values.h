// Tells if a recorded tensor is the input of a step that a model no longer has, given the step's
// result.
#ifndef ONNXCMP_COMPARE_INSIDE_DERIVED_VALUES_H_
#define ONNXCMP_COMPARE_INSIDE_DERIVED_VALUES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Steps that the layer of `after` may include. Some matches are accidental: a scaled value has a
// factor and an offset for each channel, as a normalization has, and before a Relu, elements below
// 0 may be anything. So only steps that the layer can include are tested.
struct SwallowedSteps {
  bool normalization = true;
  // True if channels have offsets besides factors, which a merely scaled value lacks.
  bool with_offsets = false;
  bool activation = true;
};

// "before a folded BatchNormalization", "before a Relu"; "": no known step fits. Both have the same
// shape. `limit`: the difference that types explain, as a share of the size.
std::string HowDerived(const Tensor& before, const Tensor& after, double limit,
                       const SwallowedSteps& may = {});

// True if an untrained normalization gives `after`: its mean is 0 and its variance 1, so it reduces
// to a factor of 1 / sqrt(1 + epsilon).
bool IsBeforeNewNormalization(const Tensor& before, const Tensor& after);

// "inside of a HardSwish": an intermediate value of such an operator, which ONNX defines as a
// function of several steps that a runtime inlines. "": it is no step of these operators on their
// inputs.
std::string HowInside(const Tensor& inner, const Tensor& read,
                      const std::vector<std::string>& operators, double limit);
// True if HowInside() knows steps of an operator.
bool HasInnerSteps(absl::string_view op_type);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INSIDE_DERIVED_VALUES_H_
