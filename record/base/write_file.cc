#include "record/base/write_file.h"

#include <fstream>

#include "absl/strings/str_cat.h"

namespace onnxcmp {

absl::Status WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  return file ? absl::OkStatus() : absl::PermissionDeniedError(absl::StrCat("cannot write ", path));
}

}  // namespace onnxcmp
