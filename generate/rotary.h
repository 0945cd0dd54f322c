// How a model uses positions: only to rotate heads, so that their distances alone count.
#ifndef ONNXCMP_GENERATE_ROTARY_H_
#define ONNXCMP_GENERATE_ROTARY_H_

#include <string>

#include "evaluator/model/model.h"

namespace onnxcmp {

// True if all that is computed of this input are sines and cosines that heads are multiplied with.
// False if that cannot be told.
bool OnlyRotates(const Graph& graph, const std::string& positions);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_ROTARY_H_
