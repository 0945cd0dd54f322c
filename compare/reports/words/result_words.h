// What reports say of a cause and of a difference.
#ifndef ONNXCMP_COMPARE_REPORTS_WORDS_RESULT_WORDS_H_
#define ONNXCMP_COMPARE_REPORTS_WORDS_RESULT_WORDS_H_

#include <string>

#include "compare/causes/cause.h"
#include "compare/comparison/comparison.h"
#include "compare/differences/tensor_difference.h"
#include "compare/pair/per_side.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// What a side calls a cause: its result, or what is in a body and no result of the stream.
std::string CauseName(const Comparison& comparison, const Cause& cause, SideId side);

// How far a pair is apart at most, absolutely: "2.4e-07", "12", "3 NaN", "other shape".
std::string GreatestDifference(const TensorDifference& difference, DType dtype);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_WORDS_RESULT_WORDS_H_
