// Describes two values that do not agree, for a caller that expected another value.
#ifndef ONNXCMP_RECORD_DIFFERENCES_MISMATCH_TEXT_H_
#define ONNXCMP_RECORD_DIFFERENCES_MISMATCH_TEXT_H_

#include <string>

#include "evaluator/tensor/value.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_difference.h"

namespace onnxcmp {

// Describes `difference`, of the two values within these tolerances, where they do not agree: types
// and shapes, counts, greatest errors, the worst elements. Lines, each with its end.
std::string MismatchText(const Value& want, const Value& got, const ValueDifference& difference,
                         const Tolerances& tolerances);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_MISMATCH_TEXT_H_
