// Whether a recorded tensor is what another one was made of by a step that a model no longer has.
#ifndef ONNXCMP_COMPARE_VERDICT_DERIVED_VALUES_H_
#define ONNXCMP_COMPARE_VERDICT_DERIVED_VALUES_H_

#include <string>

#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// "before a folded BatchNormalization", "before a Relu"; "": no such step is known. Both are of the
// same shape. `limit`: the difference that types explain, as a share of the size. `folds`: `after`
// comes from a layer into which a normalization can be folded. A normalization of lanes gives as
// much a factor and an offset for each channel, of a value that somebody has scaled, too.
std::string HowDerived(const Tensor& before, const Tensor& after, double limit, bool folds = true);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_VERDICT_DERIVED_VALUES_H_
