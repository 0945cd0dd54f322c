// The header of an .npy file: the element type, the memory order and the shape.
#ifndef ONNXCMP_RECORD_RECORDINGS_NPY_HEADER_H_
#define ONNXCMP_RECORD_RECORDINGS_NPY_HEADER_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

struct NpyHeader {
  bool big_endian = false;
  char kind = 0;      // NumPy's letter: b i u f c U S V ...
  int64_t count = 0;  // bytes of an element; characters of a U
  bool fortran_order = false;
  Shape shape;
};

// {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }: a Python literal with these three
// keys in any order.
absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view text);

// Magic, version, length and text of a row-major array's header, padded as NumPy does it. `descr`:
// "<f4".
std::string NpyHeaderBytes(absl::string_view descr, absl::Span<const int64_t> shape);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RECORDINGS_NPY_HEADER_H_
