#include "cli/batch/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "record/base/write_file.h"

namespace onnxcmp::cli {
namespace {

absl::Status CannotWrite(const std::string& path, int error) {
  const std::string message = absl::StrCat("cannot write ", path, ": ", std::strerror(error));
  return error == ENOSPC || error == EDQUOT ? absl::ResourceExhaustedError(message)
                                            : absl::PermissionDeniedError(message);
}

// 0, or an errno.
int WriteAll(int descriptor, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

absl::Status WriteTo(const std::string& path, int flags, absl::string_view bytes) {
  const int descriptor = open(path.c_str(), flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return CannotWrite(path, errno);
  int error = WriteAll(descriptor, bytes);
  if (error == 0 && (flags & O_TRUNC) != 0) error = SyncFile(descriptor);
  if (close(descriptor) != 0 && error == 0) error = errno;
  return error == 0 ? absl::OkStatus() : CannotWrite(path, error);
}

}  // namespace

absl::Status ReplaceFile(const std::string& path, absl::string_view bytes) {
  const std::string unfinished = absl::StrCat(path, ".new");
  if (const absl::Status written = WriteTo(unfinished, O_TRUNC, bytes); !written.ok()) {
    unlink(unfinished.c_str());
    return written;
  }
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) return CannotWrite(path, errno);
  return absl::OkStatus();
}

absl::Status AppendLine(const std::string& path, absl::string_view line) {
  return WriteTo(path, O_APPEND, absl::StrCat(line, "\n"));
}

}  // namespace onnxcmp::cli
