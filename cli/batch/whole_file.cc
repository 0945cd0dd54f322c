#include "cli/batch/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "evaluator/base/os/files.h"

namespace onnxcmp::cli {
namespace {

absl::Status CannotWrite(const std::string& path, int error) {
  const std::string message = absl::StrCat("cannot write ", path, ": ", std::strerror(error));
  return IsFullDisk(error) ? absl::ResourceExhaustedError(message)
                           : absl::PermissionDeniedError(message);
}

absl::Status WriteTo(const std::string& path, WriteForm form, absl::string_view bytes) {
  const int file = OpenToWrite(path, form);
  if (file < 0) return CannotWrite(path, errno);
  int error = WriteAll(file, bytes);
  if (error == 0 && form == WriteForm::kReplace) error = SyncFile(file);
  const int closed = CloseFile(file);
  if (error == 0) error = closed;
  return error == 0 ? absl::OkStatus() : CannotWrite(path, error);
}

}  // namespace

absl::Status ReplaceFile(const std::string& path, absl::string_view bytes) {
  const std::string unfinished = absl::StrCat(path, ".new");
  if (const absl::Status written = WriteTo(unfinished, WriteForm::kReplace, bytes); !written.ok()) {
    std::remove(unfinished.c_str());
    return written;
  }
  const int error = RenameOver(unfinished, path);
  return error == 0 ? absl::OkStatus() : CannotWrite(path, error);
}

absl::Status AppendLine(const std::string& path, absl::string_view line) {
  return WriteTo(path, WriteForm::kAppend, absl::StrCat(line, "\n"));
}

}  // namespace onnxcmp::cli
