// absl::Status as exceptions of Python.
#ifndef ONNXCMP_PYTHON_SRC_ERRORS_H_
#define ONNXCMP_PYTHON_SRC_ERRORS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace onnxcmp::python {

// The exception of the binding: nanobind makes onnxcmp.Error of it.
struct StatusError {
  absl::Status status;
};

inline void Check(const absl::Status& status) {
  if (!status.ok()) throw StatusError{status};
}

template <typename T>
T Checked(absl::StatusOr<T> value) {
  Check(value.status());
  return *std::move(value);
}

// To be called once, when the module is made.
void TranslateErrors();

}  // namespace onnxcmp::python

#endif  // ONNXCMP_PYTHON_SRC_ERRORS_H_
