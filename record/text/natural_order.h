// Natural order of names: layer_2 before layer_10.
#ifndef ONNXCMP_RECORD_TEXT_NATURAL_ORDER_H_
#define ONNXCMP_RECORD_TEXT_NATURAL_ORDER_H_

#include "absl/strings/string_view.h"

namespace onnxcmp {

// True if `a` comes before `b`: runs of digits count as numbers, of any length. A strict order of
// all strings: if they differ only in leading zeros, the bytes decide.
bool NaturallyLess(absl::string_view a, absl::string_view b);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_TEXT_NATURAL_ORDER_H_
