#include "tests/architecture/project_files.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "gtest/gtest.h"
#include "tests/support/paths.h"

namespace onnxcmp {

std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

SourceFiles FilesOf(const std::vector<std::string>& folders) {
  SourceFiles files;
  const std::string root = SourceFile("");
  for (const std::string& folder : folders) {
    if (!std::filesystem::exists(SourceFile(folder))) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(SourceFile(folder))) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc") continue;
      const std::string path = entry.path().string();
      files[path.substr(root.size())] = TextOf(path);
    }
  }
  return files;
}

std::string Lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace onnxcmp
