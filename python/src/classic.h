// The classic table for Python.
#ifndef ONNXCMP_PYTHON_SRC_CLASSIC_H_
#define ONNXCMP_PYTHON_SRC_CLASSIC_H_

#include <nanobind/nanobind.h>

namespace onnxcmp::python {

void BindClassic(nanobind::module_& module);

}  // namespace onnxcmp::python

#endif  // ONNXCMP_PYTHON_SRC_CLASSIC_H_
