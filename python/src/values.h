// Values of Python's as ours and back, in the plain form that onnxcmp/_values.py makes and reads:
//
//   ("tensor", dtype, shape, buffer)          the elements, row-major; those of less than a byte a
//                                             byte each
//   ("opaque", width, shape, buffer)          bits of a type that is not known
//   ("strings", shape, [bytes, ...])
//   ("sequence", dtype, [value, ...])
//   ("optional", dtype, value or None)
//   ("map", keys, values)
//   ("sparse", values, indices, dims)
//   None                                      absent
#ifndef ONNXCMP_PYTHON_SRC_VALUES_H_
#define ONNXCMP_PYTHON_SRC_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

#include "absl/status/status.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp::python {

// Memory of arrays that was not copied, with what was in it.
class SharedArrays {
 public:
  void Add(const std::string& name, const Tensor& tensor);
  // FailedPrecondition, which names it, for an array that somebody has written to since.
  absl::Status CheckUnchanged() const;
  bool empty() const { return arrays_.empty(); }

 private:
  struct Shared {
    std::string name;
    Tensor tensor;
    uint64_t hash = 0;
  };
  std::vector<Shared> arrays_;
};

struct ReadValue {
  Value value;
  bool opaque = false;
};

// Large arrays of floats are shared, and added to `shared` (null: none are); all else is copied:
// what a run looks up tables by must not change under it. Throws nb::value_error or nb::type_error.
ReadValue FromPython(nanobind::handle plain, const std::string& name, SharedArrays* shared);

// Tensors as ("tensor", dtype, array), the array being one of NumPy that shares the memory and can
// be written to only if `own` and nobody else has it. Throws StatusError.
nanobind::object ToPython(Value value, bool own);

// A str or bytes as text of ours. Throws nb::type_error.
std::string ToText(nanobind::handle text);
// Text as Python has it; what is not UTF-8 is kept by escapes.
nanobind::object TextToPython(const std::string& text);

}  // namespace onnxcmp::python

#endif  // ONNXCMP_PYTHON_SRC_VALUES_H_
