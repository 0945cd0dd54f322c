// Patterns of paths.
#ifndef ONNXCMP_EVALUATOR_BASE_OS_GLOB_H_
#define ONNXCMP_EVALUATOR_BASE_OS_GLOB_H_

#include <string>
#include <vector>

namespace onnxcmp {

// Files and folders that a pattern (*, ?, [abc]) matches as in a shell. Windows knows * and ? in
// the last part of a path.
std::vector<std::string> PathsMatching(const std::string& pattern);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_OS_GLOB_H_
