// Models for tests of what shows them.
#ifndef ONNXCMP_TESTS_SHOW_SHOWN_TEST_H_
#define ONNXCMP_TESTS_SHOW_SHOWN_TEST_H_

#include <string>

#include <gtest/gtest.h>

#include "ops/operators.h"
#include "show/model/read_shown_model.h"
#include "show/model/shown_model.h"
#include "tests/support/load_test.h"

namespace onnxcmp::testing {

class ShownTest : public ::testing::Test {
 protected:
  // The model of "(inputs) => (outputs) { nodes }", and functions after it.
  std::string Write(const std::string& graph, const std::string& functions = "",
                    const std::string& name = "model.onnxtxt") const {
    return folder_.Write(
        name, "<ir_version: 10, opset_import: [\"\" : 18, \"local\" : 1]> g " + graph + functions);
  }
  ShownModel Read(const std::string& path, const ShowOptions& options = {}) const {
    absl::StatusOr<ShownModel> model = ReadShownModel(path, AllOperators(), options);
    EXPECT_TRUE(model.ok()) << model.status();
    return model.ok() ? *std::move(model) : ShownModel();
  }
  ShownModel Shown(const std::string& graph, const std::string& functions = "",
                   const std::string& name = "model.onnxtxt") const {
    return Read(Write(graph, functions, name));
  }

  const TestFolder folder_;
};

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SHOW_SHOWN_TEST_H_
