// Tensors as matrices and vectors of Eigen and the other way round.
// No other header of include/onnxcmp/ includes this one.
#ifndef ONNXCMP_INCLUDE_ONNXCMP_EIGEN_H_
#define ONNXCMP_INCLUDE_ONNXCMP_EIGEN_H_

#include "evaluator/tensor/eigen.h"

#endif  // ONNXCMP_INCLUDE_ONNXCMP_EIGEN_H_
