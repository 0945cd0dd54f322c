// Files for targets that read files.
#ifndef ONNXCMP_TESTS_FUZZ_SCRATCH_H_
#define ONNXCMP_TESTS_FUZZ_SCRATCH_H_

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace onnxcmp::fuzz {

// A folder that is gone at the end.
class Scratch {
 public:
  Scratch()
      : path_(absl::StrCat(std::filesystem::temp_directory_path().string(), "/onnxcmp_fuzz_",
                           getpid())) {
    Remove();
    std::error_code error;
    std::filesystem::create_directories(path_, error);
  }
  ~Scratch() { Remove(); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  // The path of a file with these bytes; `name` may have folders.
  std::string Write(absl::string_view name, absl::string_view bytes) const {
    std::string path = absl::StrCat(path_, "/", name);
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    return path;
  }

 private:
  void Remove() const {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  const std::string path_;
};

}  // namespace onnxcmp::fuzz

#endif  // ONNXCMP_TESTS_FUZZ_SCRATCH_H_
