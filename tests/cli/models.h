// Small models as text.
#ifndef ONNXCMP_TESTS_CLI_MODELS_H_
#define ONNXCMP_TESTS_CLI_MODELS_H_

#include <string>

namespace onnxcmp::testing {

// A model with the given "(inputs) => (outputs) { nodes }" and functions behind it.
inline std::string ModelText(const std::string& graph, const std::string& functions = "") {
  return R"(<ir_version: 10, opset_import: ["" : 18, "local" : 1]> g )" + graph + functions;
}

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_CLI_MODELS_H_
