// All operators that the build contains; ops/operators.cmake lists them.
#ifndef ONNXCMP_OPS_OPERATORS_H_
#define ONNXCMP_OPS_OPERATORS_H_

#include "evaluator/op_registry.h"

namespace onnxcmp {

void RegisterAllOperators(OpRegistry& registry);

// A registry with all of them.
OpRegistry AllOperators();

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_OPERATORS_H_
