// Versions of this program and of what it is built with, and which instructions it runs with.
#ifndef ONNXCMP_CLI_PROCESS_VERSION_TEXT_H_
#define ONNXCMP_CLI_PROCESS_VERSION_TEXT_H_

#include <string>

namespace onnxcmp::cli {

// Some lines, the first of which is "onnxcmp 0.3.0".
std::string VersionText();

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_VERSION_TEXT_H_
