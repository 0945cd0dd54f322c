// Operators whose kernels are functions of Python's.
#ifndef ONNXCMP_PYTHON_SRC_CUSTOM_OPERATORS_H_
#define ONNXCMP_PYTHON_SRC_CUSTOM_OPERATORS_H_

#include <nanobind/nanobind.h>

#include "absl/status/status.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp::python {

// Adds operators to a registry: a list of (domain, name, make). Their schema takes any inputs,
// outputs and attributes. For each node of a plan make(domain, name, node, inputs, outputs,
// attributes) gives a function, which takes the values of the inputs and gives a list of outputs,
// in the form of python/src/values.h. An error for an operator that the registry has.
absl::Status AddOperators(const nanobind::sequence& operators, OpRegistry* registry);

}  // namespace onnxcmp::python

#endif  // ONNXCMP_PYTHON_SRC_CUSTOM_OPERATORS_H_
