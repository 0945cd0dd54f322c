// Types as text.
#ifndef ONNXCMP_FEED_TYPE_TEXT_H_
#define ONNXCMP_FEED_TYPE_TEXT_H_

#include <string>

#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// "float[2,seq,?]", "float" (rank unknown), "seq(int64[?])", "map(string, float)", "unknown".
std::string TypeText(const TypeInfo& type);

// "" if a value is valid for the declared type: kind, element type, rank and numbered dimensions
// agree; else the part that does not.
std::string TypeConflict(const Value& value, const TypeInfo& type);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_TYPE_TEXT_H_
