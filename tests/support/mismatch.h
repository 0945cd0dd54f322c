// Compares a value with the expected one and describes the difference as a debugger would.
#ifndef ONNXCMP_TESTS_SUPPORT_MISMATCH_H_
#define ONNXCMP_TESTS_SUPPORT_MISMATCH_H_

#include <optional>
#include <string>

#include "evaluator/tensor/value.h"

namespace onnxcmp::testing {

struct Tolerance {
  // |got - want| <= atol + rtol * |want|
  double rtol = 0;
  double atol = 0;
  // Bit for bit instead: -0 is not 0, and NaNs have payloads.
  bool same_bits = false;
};

// Nothing if `got` is the same kind of value with the same structure, dtypes and shapes, and
// elements within the tolerance (strings and bools: equal; NaN equals NaN; an infinity only
// itself). Else a text of several lines: what differs, how many elements, the largest distances
// (absolute, relative, in units of the last place) and the five worst elements with their indices.
std::optional<std::string> Mismatch(const Value& got, const Value& want,
                                    const Tolerance& tolerance);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_MISMATCH_H_
