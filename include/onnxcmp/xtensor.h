// Tensors as expressions of xtensor and the other way round; needs the CMake target
// onnxcmp::xtensor. No other header of include/onnxcmp/ includes this one.
#ifndef ONNXCMP_INCLUDE_ONNXCMP_XTENSOR_H_
#define ONNXCMP_INCLUDE_ONNXCMP_XTENSOR_H_

#include "evaluator/tensor/xtensor.h"

#endif  // ONNXCMP_INCLUDE_ONNXCMP_XTENSOR_H_
