// Loading models in tests.
#ifndef ONNXCMP_TESTS_SUPPORT_LOAD_TEST_H_
#define ONNXCMP_TESTS_SUPPORT_LOAD_TEST_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/load/load_model.h"

namespace onnxcmp::testing {

using LoadedModel = absl::StatusOr<std::shared_ptr<const Model>>;

// A model of opset 21 in ONNX's text form, given from its graph on: "g (float[2] x) => ...",
// functions after it. Domain acme is imported too. A text that begins with "<" says its versions
// itself.
LoadedModel LoadGraph(absl::string_view graph, const LoadOptions& options = {});

// One line a node: "[name] y, z = acme.Op(a, b) in call/path"; what is empty is left out.
std::vector<std::string> NodeLines(const Graph& graph);

// A new folder that is gone at the end of the test.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string Path(absl::string_view name) const;
  // Writes a file and returns its path.
  std::string Write(absl::string_view name, absl::string_view bytes) const;

 private:
  std::string path_;
};

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_LOAD_TEST_H_
