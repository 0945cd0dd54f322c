// What a report says of where the sides stop being finite.
#ifndef ONNXCMP_COMPARE_REPORTS_WORDS_NOT_FINITE_TEXT_H_
#define ONNXCMP_COMPARE_REPORTS_WORDS_NOT_FINITE_TEXT_H_

#include <string>
#include <vector>

#include "compare/comparison/comparison.h"
#include "compare/not_finite/not_finite.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

// A line for each origin, one for both sides where a pair came about in the same way: "left: Div y
// is nan at [1]: 12.5 / 0; 2 of 6 elements; from x[1] = 12.5, z[1] = 0". `all`: constants that hold
// infinities too, and more than the first of each kind.
std::vector<std::string> NotFiniteText(const Comparison& comparison, bool all);
// The same of one side alone, all of it.
std::vector<std::string> NotFiniteText(const NotFinite& side, const ResultStream& stream);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_WORDS_NOT_FINITE_TEXT_H_
