#include "record/base/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace onnxcmp {
namespace {

// Where a file can be put by renaming: nothing for a pipe, a device and another user's file, which
// would become ours.
std::optional<std::string> PlaceOf(const std::string& path) {
  std::error_code error;
  // The file that a link names is replaced, and the link stays.
  const std::filesystem::path place = std::filesystem::weakly_canonical(path, error);
  if (error) return std::nullopt;
  struct stat known = {};
  if (stat(place.c_str(), &known) != 0) {
    return errno == ENOENT ? std::optional(place.string()) : std::nullopt;
  }
  const bool ours =
      S_ISREG(known.st_mode) && known.st_uid == geteuid() && access(place.c_str(), W_OK) == 0;
  return ours ? std::optional(place.string()) : std::nullopt;
}

// 0, or an errno.
int WriteAll(int file, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = write(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    done += static_cast<size_t>(count);
  }
  return 0;
}

// 0, or an errno. Nothing: no file can be made beside it, so that nothing happened.
std::optional<int> WriteBeside(const std::string& place, const std::string& bytes) {
  const std::string unfinished = absl::StrCat(place, ".", getpid(), ".unfinished");
  unlink(unfinished.c_str());  // of a process with this number that was killed
  const int file = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return std::nullopt;
  absl::Cleanup remove = [&] { unlink(unfinished.c_str()); };
  struct stat known = {};
  int error = 0;
  if (stat(place.c_str(), &known) == 0 && fchmod(file, known.st_mode & 07777) != 0) error = errno;
  if (error == 0) error = WriteAll(file, bytes);
  if (error == 0) error = SyncFile(file);
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(unfinished.c_str(), place.c_str()) != 0) error = errno;
  if (error == 0) std::move(remove).Cancel();
  return error;
}

int WriteInPlace(const std::string& path, const std::string& bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int error = WriteAll(file, bytes);
  if (close(file) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

int SyncFile(int file) {
  // Pipes and some file systems have nothing that could be waited for.
  return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

absl::Status WriteFile(const std::string& path, const std::string& bytes) {
  const std::optional<std::string> place = PlaceOf(path);
  const std::optional<int> beside =
      place.has_value() ? WriteBeside(*place, bytes) : std::optional<int>();
  const int error = beside.has_value() ? *beside : WriteInPlace(path, bytes);
  return error == 0 ? absl::OkStatus()
                    : absl::PermissionDeniedError(
                          absl::StrCat("cannot write ", path, ": ", std::strerror(error)));
}

}  // namespace onnxcmp
