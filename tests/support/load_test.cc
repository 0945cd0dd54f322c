#include "tests/support/load_test.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {

LoadedModel LoadGraph(absl::string_view graph, const LoadOptions& options) {
  return LoadModelFromText(
      absl::StrCat(absl::StartsWith(graph, "<") ? ""
                                                : "<ir_version: 10, opset_import: [\"\" : 21, "
                                                  "\"acme\" : 1, \"com.microsoft\" : 1]>\n",
                   graph),
      Registry(), options);
}

std::vector<std::string> NodeLines(const Graph& graph) {
  std::vector<std::string> lines;
  for (const Node& node : graph.nodes) {
    lines.push_back(absl::StrCat(node.name.empty() ? "" : absl::StrCat("[", node.name, "] "),
                                 absl::StrJoin(node.outputs, ", "), " = ", node.domain,
                                 node.domain.empty() ? "" : ".", node.op_type, "(",
                                 absl::StrJoin(node.inputs, ", "), ")",
                                 node.call_path.empty() ? "" : " in ", node.call_path));
  }
  return lines;
}

TestFolder::TestFolder() {
  path_ = absl::StrCat(::testing::TempDir(), "/onnxcmp_XXXXXX");
  EXPECT_NE(mkdtemp(path_.data()), nullptr) << path_;
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TestFolder::Path(absl::string_view name) const {
  return absl::StrCat(path_, "/", name);
}

std::string TestFolder::Write(absl::string_view name, absl::string_view bytes) const {
  std::string path = Path(name);
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return path;
}

}  // namespace onnxcmp::testing
