// Whether a recorded tensor is what another one was made of by a step that a model no longer has.
#ifndef ONNXCMP_COMPARE_VERDICT_DERIVED_VALUES_H_
#define ONNXCMP_COMPARE_VERDICT_DERIVED_VALUES_H_

#include <string>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// "before a folded BatchNormalization", "before a Relu"; "": no such step is known. Both are of the
// same shape. `limit`: the difference that types explain, as a share of the size.
std::string HowDerived(const Tensor& before, const Tensor& after, double limit);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_VERDICT_DERIVED_VALUES_H_
