#include "tests/support/paths.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

// The definitions are given to this file alone: they hold absolute paths, and would keep any other
// file's objects from being shared between work trees by ccache.

namespace onnxcmp {

std::string TestData(absl::string_view path) { return absl::StrCat(ONNXCMP_TESTDATA, "/", path); }

std::string SourceFile(absl::string_view path) { return absl::StrCat(ONNXCMP_SOURCE, "/", path); }

std::string Document(absl::string_view path) { return absl::StrCat(ONNXCMP_DOCS, "/", path); }

std::string Golden(absl::string_view path) { return absl::StrCat(ONNXCMP_GOLDEN, "/", path); }

std::string OnnxTestData(absl::string_view path) {
  return absl::StrCat(ONNXCMP_ONNX_TEST_DATA, "/", path);
}

std::string ExpectedConformanceTests() { return ONNXCMP_EXPECTED_CONFORMANCE_TESTS; }

bool OnnxIsOurs() { return ONNXCMP_ONNX_IS_OURS != 0; }

std::string OnnxcmpProgram() { return ONNXCMP_PROGRAM; }

}  // namespace onnxcmp
