// Words of a report about nodes to keep in float.
#ifndef ONNXCMP_REPORTS_WORDS_KEEP_IN_FLOAT_TEXT_H_
#define ONNXCMP_REPORTS_WORDS_KEEP_IN_FLOAT_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/in_float/keep_in_float.h"
#include "compare/outcome/comparison.h"

namespace onnxcmp {

// The converter's name of the list: "node_block_list" or "nodes_to_exclude".
absl::string_view KeepInFloatOption(const KeepInFloat& keep);
absl::string_view BetweenName(BetweenKept between);  // "rounded", "one_reader", "exact"
// `node_block_list=["a", "b"]`, to be copied: nodes that are already in float are at its end.
std::string KeepInFloatList(const KeepInFloat& keep);
// The effect of the list and further remarks: "8.1e-01 becomes 3.2e-04". A sentence each.
std::vector<std::string> KeepInFloatText(const Comparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_WORDS_KEEP_IN_FLOAT_TEXT_H_
