// Fusions of graphs that are written down in a test.
#ifndef ONNXCMP_TESTS_COMPARE_FUSIONS_FUSION_TEST_SUPPORT_H_
#define ONNXCMP_TESTS_COMPARE_FUSIONS_FUSION_TEST_SUPPORT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnxcmp::testing {

// A line for each fusion of "(float[2,4] x) => (float[2,4] y) <float[4] w = {...}> { ... }", at
// opset 21, with com.microsoft: "Gelu (erf): a b c", the names being those of the nodes, and after
// " | " what stands in its way: "Q/DQ q d", "second reader r", "graph output t".
std::vector<std::string> FusionLines(absl::string_view graph);

// Those whose form begins so.
std::vector<std::string> FusionLines(absl::string_view graph, absl::string_view form);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_COMPARE_FUSIONS_FUSION_TEST_SUPPORT_H_
