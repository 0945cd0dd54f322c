// Small models as text.
#ifndef ONNXCMP_TESTS_CLI_MODELS_H_
#define ONNXCMP_TESTS_CLI_MODELS_H_

#include <string>

#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/support/load_test.h"
#include "tests/support/paths.h"

namespace onnxcmp::testing {

// A model with the given "(inputs) => (outputs) { nodes }" and functions after it.
inline std::string ModelText(const std::string& graph, const std::string& functions = "") {
  return R"(<ir_version: 10, opset_import: ["" : 18, "local" : 1]> g )" + graph + functions;
}

// With a folder to write such models to.
class ModelFolderTest : public ::testing::Test {
 protected:
  // Returns the path.
  std::string Model(const std::string& name, const std::string& graph,
                    const std::string& functions = "") const {
    return WriteFile(folder_ + "/" + name + ".onnxtxt", ModelText(graph, functions));
  }

  const TestFolder test_folder_;
  const std::string& folder_ = test_folder_.path();
};

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_CLI_MODELS_H_
