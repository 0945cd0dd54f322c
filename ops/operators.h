// All operators that the build contains; ops/operators.cmake lists them.
#ifndef ONNXCMP_OPS_OPERATORS_H_
#define ONNXCMP_OPS_OPERATORS_H_

#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {

void RegisterAllOperators(OpRegistry& registry);

struct OperatorOptions {
  // Channels in a block of com.microsoft.nchwc: 16 in models that were optimized on a processor
  // with AVX-512, 8 on others; the file does not say. 0: 8 for nodes whose channels are no multiple
  // of 16, else 16.
  int nchwc_block = 0;
};

// A registry with all of them.
OpRegistry AllOperators(const OperatorOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_OPERATORS_H_
