// Where tests find files and programs.
#ifndef ONNXCMP_TESTS_SUPPORT_PATHS_H_
#define ONNXCMP_TESTS_SUPPORT_PATHS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// A file of the project's testdata/: TestData("models/llm/plain.onnx").
std::string TestData(absl::string_view path);

// A file of the project's sources: SourceFile("ops/contrib/schemas.txt").
std::string SourceFile(absl::string_view path);

// A file of the project's docs/.
std::string Document(absl::string_view path);

// A file of the project's tests/golden/.
std::string Golden(absl::string_view path);

// A file of ONNX's backend test data: OnnxTestData("node/test_abs/model.onnx"). The build has no
// conformance tests when these data are missing.
std::string OnnxTestData(absl::string_view path);

// The list of conformance tests that have to pass.
std::string ExpectedConformanceTests();

// True if the build's ONNX has the version of cmake/onnx_version.cmake, for which lists and
// documents are written. Another one may know less, or more.
bool OnnxIsOurs();

// The command line program that was built with the tests.
std::string OnnxcmpProgram();

}  // namespace onnxcmp

#endif  // ONNXCMP_TESTS_SUPPORT_PATHS_H_
