#include "evaluator/base/os/glob.h"

#include <windows.h>

#include <filesystem>

#include "absl/strings/string_view.h"

namespace onnxcmp {

std::vector<std::string> PathsMatching(const std::string& pattern) {
  const std::filesystem::path folder = std::filesystem::path(pattern).parent_path();
  std::vector<std::string> paths;
  WIN32_FIND_DATAA found;
  const HANDLE search = FindFirstFileA(pattern.c_str(), &found);
  if (search == INVALID_HANDLE_VALUE) return paths;
  do {
    const absl::string_view name = found.cFileName;
    if (name != "." && name != "..") paths.push_back((folder / found.cFileName).string());
  } while (FindNextFileA(search, &found));
  FindClose(search);
  return paths;
}

}  // namespace onnxcmp
