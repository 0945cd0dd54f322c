// Outputs of one model in two places that differ because the left rounds more.
#ifndef ONNXCMP_COMPARE_OUTCOME_NEARER_OUTPUTS_H_
#define ONNXCMP_COMPARE_OUTCOME_NEARER_OUTPUTS_H_

#include "compare/outcome/comparison.h"

namespace onnxcmp {

// Accepts the outputs that differ if every one of the right's is as near to its run in double as
// the left's is, in its worst element and on the whole, and each pair agrees in double: the right
// rounds no worse than the left, so no kernel of it is wrong. False, with nothing changed, if it is
// not so or not known. `in_double`: another comparison of the same runs that has a report on them.
bool AcceptNearerOutputs(const Comparison& in_double, Comparison* comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTCOME_NEARER_OUTPUTS_H_
