// Describes two values that do not agree, for a caller that expected another value.
#ifndef ONNXCMP_COMPARE_DIFFERENCES_MISMATCH_TEXT_H_
#define ONNXCMP_COMPARE_DIFFERENCES_MISMATCH_TEXT_H_

#include <string>

#include "compare/differences/tolerance.h"
#include "compare/differences/value_difference.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Describes `difference`, of the two values within these tolerances, where they do not agree: types
// and shapes, counts, greatest errors, the worst elements. Lines, each with its end.
std::string MismatchText(const Value& want, const Value& got, const ValueDifference& difference,
                         const Tolerances& tolerances);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_MISMATCH_TEXT_H_
