#include "evaluator/base/os/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace onnxcmp {
namespace {

// For all users as far as their mask lets them.
constexpr mode_t kForAll = 0666;

#ifdef __APPLE__
const timespec& ModifiedIn(const struct stat& info) { return info.st_mtimespec; }
const timespec& ChangedIn(const struct stat& info) { return info.st_ctimespec; }
#else
const timespec& ModifiedIn(const struct stat& info) { return info.st_mtim; }
const timespec& ChangedIn(const struct stat& info) { return info.st_ctim; }
#endif

FileStatus StatusIn(const struct stat& info) {
  constexpr int64_t kNanos = 1000000000;
  FileStatus status;
  status.kind = S_ISREG(info.st_mode)   ? FileKind::kRegular
                : S_ISDIR(info.st_mode) ? FileKind::kFolder
                                        : FileKind::kOther;
  status.device = static_cast<uint64_t>(info.st_dev);
  status.inode = info.st_ino;
  status.size = info.st_size;
  status.modified = ModifiedIn(info).tv_sec;
  status.modified_nanos = ModifiedIn(info).tv_nsec;
  status.changed_nanos = int64_t{ChangedIn(info).tv_sec} * kNanos + ChangedIn(info).tv_nsec;
  return status;
}

}  // namespace

bool StatusOfFile(int file, FileStatus* status) {
  struct stat info = {};
  if (fstat(file, &info) != 0) return false;
  *status = StatusIn(info);
  return true;
}

bool StatusOfPath(const std::string& path, FileStatus* status) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return false;
  *status = StatusIn(info);
  return true;
}

int OpenToRead(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int OpenToWrite(const std::string& path, WriteForm form) {
  const int how = form == WriteForm::kNew       ? O_EXCL
                  : form == WriteForm::kReplace ? O_TRUNC
                                                : O_APPEND;
  return open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, kForAll);
}

int CloseFile(int file) { return close(file) == 0 ? 0 : errno; }

int WriteAll(int file, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

int SyncFile(int file) {
  // Pipes and some file systems have nothing that could be waited for.
  return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

int SyncPath(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int error = SyncFile(file);
  close(file);
  return error;
}

int RenameOver(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int TakePermissions(int file, const std::string& from) {
  struct stat known = {};
  if (stat(from.c_str(), &known) != 0) return 0;
  return fchmod(file, known.st_mode & 07777) == 0 ? 0 : errno;
}

int MakeUniqueFolder(std::string* path) { return mkdtemp(path->data()) != nullptr ? 0 : errno; }

int64_t ReadAt(int file, int64_t offset, std::byte* to, int64_t bytes) {
  while (true) {
    const ssize_t got = pread(file, to, static_cast<size_t>(bytes), offset);
    if (got >= 0 || errno != EINTR) return got;
  }
}

bool IsOurFile(const std::string& path) {
  struct stat known = {};
  return stat(path.c_str(), &known) == 0 && S_ISREG(known.st_mode) && known.st_uid == geteuid() &&
         access(path.c_str(), W_OK) == 0;
}

bool IsProgram(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

bool IsFullDisk(int error) { return error == ENOSPC || error == EDQUOT; }

int OpenLocked(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kForAll);
  if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  const int error = errno;
  close(file);
  errno = error;
  return -1;
}

}  // namespace onnxcmp
