// The project's own sources, as they are when a test runs.
#ifndef ONNXCMP_TESTS_ARCHITECTURE_PROJECT_FILES_H_
#define ONNXCMP_TESTS_ARCHITECTURE_PROJECT_FILES_H_

#include <string>
#include <vector>

#include "tests/architecture/folder_rules.h"

namespace onnxcmp {

// The text of a file. A test fails that asks for one that cannot be read.
std::string TextOf(const std::string& path);

// All headers and sources below these folders of the project, of those that exist.
SourceFiles FilesOf(const std::vector<std::string>& folders);

// A line each, so that a failure can be read.
std::string Lines(const std::vector<std::string>& lines);

}  // namespace onnxcmp

#endif  // ONNXCMP_TESTS_ARCHITECTURE_PROJECT_FILES_H_
