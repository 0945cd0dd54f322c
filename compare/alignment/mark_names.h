// The marks of a row as words.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_MARK_NAMES_H_
#define ONNXCMP_COMPARE_ALIGNMENT_MARK_NAMES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "compare/alignment/alignment.h"

namespace onnxcmp {

// "moved", "fused", "folded", "merged", "cast", "reshaped", "transposed": the marks that are set,
// in this order.
std::vector<absl::string_view> MarkNames(Marks marks);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_MARK_NAMES_H_
