// Whole files written at once.
#ifndef ONNXCMP_RECORD_BASE_WRITE_FILE_H_
#define ONNXCMP_RECORD_BASE_WRITE_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace onnxcmp {

// Replaces the file as a whole: who reads it, or finds it after a process was killed or the machine
// has lost its power, has the old bytes or the new ones. Pipes, devices and files of other users
// are written in place. PermissionDenied, naming it and saying why, if it cannot be written whole;
// a file that was there stays then.
absl::Status WriteFile(const std::string& path, const std::string& bytes);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_BASE_WRITE_FILE_H_
