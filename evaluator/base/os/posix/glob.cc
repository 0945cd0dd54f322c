#include "evaluator/base/os/glob.h"

#include <glob.h>

#include <cstddef>

namespace onnxcmp {

std::vector<std::string> PathsMatching(const std::string& pattern) {
  glob_t found;
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    for (size_t i = 0; i < found.gl_pathc; ++i) paths.emplace_back(found.gl_pathv[i]);
  }
  globfree(&found);
  return paths;
}

}  // namespace onnxcmp
