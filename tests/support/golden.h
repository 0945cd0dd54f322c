// Expected output in files.
#ifndef ONNXCMP_TESTS_SUPPORT_GOLDEN_H_
#define ONNXCMP_TESTS_SUPPORT_GOLDEN_H_

#include <string>

#include "absl/strings/string_view.h"

namespace onnxcmp::testing {

// Expects the text to be that of tests/golden/`path`, byte for byte. With ONNXCMP_UPDATE_GOLDENS in
// the environment it becomes that.
void ExpectGolden(absl::string_view path, const std::string& text);

// The same for any file: a page that is generated, for instance.
void ExpectFile(const std::string& file, const std::string& text);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_GOLDEN_H_
