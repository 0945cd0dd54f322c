// The members of a JSON report about a conversion to a coarser type.
#ifndef ONNXCMP_REPORTS_JSON_CONVERSION_H_
#define ONNXCMP_REPORTS_JSON_CONVERSION_H_

#include <string>

#include "compare/outcome/comparison.h"

namespace onnxcmp {

// With a leading comma; "" if there is none.
std::string KeepInFloatMember(const Comparison& comparison);
std::string QuantizationMember(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_JSON_CONVERSION_H_
