// Words of all reports for a cause and for a difference.
#ifndef ONNXCMP_REPORTS_WORDS_RESULT_WORDS_H_
#define ONNXCMP_REPORTS_WORDS_RESULT_WORDS_H_

#include <string>

#include "compare/causes/cause.h"
#include "compare/outcome/comparison.h"
#include "evaluator/tensor/dtype.h"
#include "record/base/per_side.h"
#include "record/differences/tensor_difference.h"

namespace onnxcmp {

// A side's name of a cause: its result, or its place in a body if it is no result of the stream.
std::string CauseName(const Comparison& comparison, const Cause& cause, SideId side);

// The lines of the programs that a cause's nodes come from: "model.py:12", "a.py:3 | b.py:4"; "" if
// no exporter noted them.
std::string CauseSourceLine(const Comparison& comparison, const Cause& cause);

// The greatest absolute difference of a pair: "2.4e-07", "12", "3 NaN", "other shape".
std::string GreatestDifference(const TensorDifference& difference, DType dtype);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_WORDS_RESULT_WORDS_H_
