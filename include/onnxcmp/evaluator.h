// The library onnxcmp::evaluator: loads models and runs them.
//
//   onnxcmp::OpRegistry registry = onnxcmp::AllOperators();  // onnxcmp/ops.h
//   auto model = onnxcmp::LoadModel("model.onnx", registry);
//   auto evaluator = onnxcmp::Evaluator::Create(*model, registry);
//   auto outputs = evaluator->Run({{"x", onnxcmp::Tensor::Of<float>({2}, {1, 2})}});
//
// Tensors as matrices of Eigen and as expressions of xtensor are onnxcmp/eigen.h and
// onnxcmp/xtensor.h, which are included by themselves.
#ifndef ONNXCMP_INCLUDE_ONNXCMP_EVALUATOR_H_
#define ONNXCMP_INCLUDE_ONNXCMP_EVALUATOR_H_

#include "evaluator/kernels/kernel.h"       // inputs and outputs of an operator of your own
#include "evaluator/kernels/op_registry.h"  // operators by name and version
#include "evaluator/load/load_model.h"      // files, bytes and text to models
#include "evaluator/model/model.h"          // loaded models
#include "evaluator/run/evaluator.h"        // models and feeds to outputs; limits
#include "evaluator/run/result.h"           // the observer, which sees every result of a run
#include "evaluator/tensor/convert.h"       // elements of narrow floats and packed types as numbers
#include "evaluator/tensor/dtype.h"         // element types
#include "evaluator/tensor/tensor.h"        // shapes, strides, elements
#include "evaluator/tensor/value.h"         // tensors, sequences, optionals, maps, sparse tensors
#include "evaluator/version.h"              // the version of the library

#endif  // ONNXCMP_INCLUDE_ONNXCMP_EVALUATOR_H_
