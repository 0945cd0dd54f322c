// Comparisons as Python has them.
#ifndef ONNXCMP_PYTHON_SRC_COMPARISON_H_
#define ONNXCMP_PYTHON_SRC_COMPARISON_H_

#include <nanobind/nanobind.h>

namespace onnxcmp::python {

void BindComparison(nanobind::module_& module);

}  // namespace onnxcmp::python

#endif  // ONNXCMP_PYTHON_SRC_COMPARISON_H_
