// Whole files written at once.
#ifndef ONNXCMP_RECORD_BASE_WRITE_FILE_H_
#define ONNXCMP_RECORD_BASE_WRITE_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace onnxcmp {

// Replaces the file. PermissionDenied, naming it, if it cannot be written whole.
absl::Status WriteFile(const std::string& path, const std::string& bytes);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_BASE_WRITE_FILE_H_
