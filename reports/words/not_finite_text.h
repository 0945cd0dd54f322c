// Words of a report about the places where the sides stop being finite.
#ifndef ONNXCMP_REPORTS_WORDS_NOT_FINITE_TEXT_H_
#define ONNXCMP_REPORTS_WORDS_NOT_FINITE_TEXT_H_

#include <string>
#include <vector>

#include "compare/not_finite/not_finite.h"
#include "compare/outcome/comparison.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// A line for each origin, a single one for a pair of the same origin on both sides: "left: Div y is
// nan at [1]: 12.5 / 0; 2 of 6 elements; from x[1] = 12.5, z[1] = 0". `all`: includes constants
// with infinities, and more than the first of each kind.
std::vector<std::string> NotFiniteText(const Comparison& comparison, bool all);
// The same for one side alone, complete.
std::vector<std::string> NotFiniteText(const NotFinite& side, const ResultStream& stream);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_WORDS_NOT_FINITE_TEXT_H_
