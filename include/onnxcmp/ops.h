// The library onnxcmp::ops: the operators (docs/operators.md lists them).
#ifndef ONNXCMP_INCLUDE_ONNXCMP_OPS_H_
#define ONNXCMP_INCLUDE_ONNXCMP_OPS_H_

#include "ops/operators.h"

#endif  // ONNXCMP_INCLUDE_ONNXCMP_OPS_H_
