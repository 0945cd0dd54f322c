// Paths are in the code page of the process, which is UTF-8 for the program
// (cli/process/windows/program.manifest).
#include "evaluator/base/os/files.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <random>

#include "absl/cleanup/cleanup.h"
#include "evaluator/base/os/windows/last_error.h"

namespace onnxcmp {
namespace {

// All that others may do to a file meanwhile: on other systems it may be replaced and removed.
constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
constexpr int64_t kTicks = 10000000;                  // in a second
constexpr int64_t kTicksTo1970 = 116444736000000000;  // since 1601

HANDLE HandleOf(int file) { return reinterpret_cast<HANDLE>(_get_osfhandle(file)); }

int64_t Joined(DWORD high, DWORD low) {
  return static_cast<int64_t>((uint64_t{high} << 32) | uint64_t{low});
}

bool StatusOfHandle(HANDLE handle, FileStatus* status) {
  BY_HANDLE_FILE_INFORMATION info = {};
  if (GetFileType(handle) != FILE_TYPE_DISK) {
    *status = FileStatus();
    return true;
  }
  FILE_BASIC_INFO times = {};
  if (!GetFileInformationByHandle(handle, &info) ||
      !GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof(times))) {
    errno = LastError();
    return false;
  }
  status->kind = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? FileKind::kFolder
                                                                         : FileKind::kRegular;
  status->device = info.dwVolumeSerialNumber;
  status->inode = static_cast<uint64_t>(Joined(info.nFileIndexHigh, info.nFileIndexLow));
  status->size = Joined(info.nFileSizeHigh, info.nFileSizeLow);
  const int64_t modified = times.LastWriteTime.QuadPart - kTicksTo1970;
  status->modified = modified / kTicks;
  status->modified_nanos = modified % kTicks * 100;
  status->changed_nanos = (times.ChangeTime.QuadPart - kTicksTo1970) * 100;
  return true;
}

// With a descriptor goes its handle.
int DescriptorOf(HANDLE handle, int flags) {
  if (handle == INVALID_HANDLE_VALUE) {
    errno = LastError();
    return -1;
  }
  const int file = _open_osfhandle(reinterpret_cast<intptr_t>(handle), flags | _O_BINARY);
  if (file < 0) CloseHandle(handle);
  return file;
}

}  // namespace

bool StatusOfFile(int file, FileStatus* status) { return StatusOfHandle(HandleOf(file), status); }

bool StatusOfPath(const std::string& path, FileStatus* status) {
  const HANDLE handle = CreateFileA(path.c_str(), FILE_READ_ATTRIBUTES, kShared, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    errno = LastError();
    return false;
  }
  const absl::Cleanup closer = [handle] { CloseHandle(handle); };
  return StatusOfHandle(handle, status);
}

int OpenToRead(const std::string& path) {
  // Folders can be opened, too, as on other systems.
  return DescriptorOf(CreateFileA(path.c_str(), GENERIC_READ, kShared, nullptr, OPEN_EXISTING,
                                  FILE_FLAG_BACKUP_SEMANTICS, nullptr),
                      _O_RDONLY);
}

int OpenToWrite(const std::string& path, WriteForm form) {
  const DWORD rights = form == WriteForm::kAppend ? FILE_APPEND_DATA | SYNCHRONIZE : GENERIC_WRITE;
  const DWORD how = form == WriteForm::kNew       ? CREATE_NEW
                    : form == WriteForm::kReplace ? CREATE_ALWAYS
                                                  : OPEN_ALWAYS;
  return DescriptorOf(
      CreateFileA(path.c_str(), rights, kShared, nullptr, how, FILE_ATTRIBUTE_NORMAL, nullptr),
      form == WriteForm::kAppend ? _O_WRONLY | _O_APPEND : _O_WRONLY);
}

int CloseFile(int file) { return _close(file) == 0 ? 0 : errno; }

int WriteAll(int file, absl::string_view bytes) {
  while (!bytes.empty()) {
    const size_t most = std::min(bytes.size(), size_t{1} << 30);
    DWORD written = 0;
    if (!WriteFile(HandleOf(file), bytes.data(), static_cast<DWORD>(most), &written, nullptr)) {
      return LastError();
    }
    bytes.remove_prefix(written);
  }
  return 0;
}

int SyncFile(int file) {
  const HANDLE handle = HandleOf(file);
  // Pipes and consoles have nothing that could be waited for.
  if (GetFileType(handle) != FILE_TYPE_DISK || FlushFileBuffers(handle)) return 0;
  return LastError();
}

int SyncPath(const std::string& path) {
  const HANDLE handle = CreateFileA(path.c_str(), GENERIC_WRITE, kShared, nullptr, OPEN_EXISTING,
                                    FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return LastError();
  const absl::Cleanup closer = [handle] { CloseHandle(handle); };
  return FlushFileBuffers(handle) ? 0 : LastError();
}

int RenameOver(const std::string& from, const std::string& to) {
  const DWORD how = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  if (MoveFileExA(from.c_str(), to.c_str(), how)) return 0;
  const int error = LastError();
  // A folder is not replaced, and the system calls that a lack of rights.
  FileStatus there;
  return StatusOfPath(to, &there) && there.kind == FileKind::kFolder ? ENOTEMPTY : error;
}

int TakePermissions(int /*file*/, const std::string& /*from*/) {
  return 0;  // a file has those of its folder
}

int MakeUniqueFolder(std::string* path) {
  constexpr absl::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr int kAttempts = 100;
  constexpr size_t kRandom = 6;
  std::random_device random;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    for (size_t i = path->size() - kRandom; i < path->size(); ++i) {
      (*path)[i] = kLetters[random() % kLetters.size()];
    }
    if (CreateDirectoryA(path->c_str(), nullptr)) return 0;
    if (GetLastError() != ERROR_ALREADY_EXISTS) return LastError();
  }
  return EEXIST;
}

int64_t ReadAt(int file, int64_t offset, std::byte* to, int64_t bytes) {
  OVERLAPPED place = {};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  const auto most = static_cast<DWORD>(std::min(bytes, int64_t{1} << 30));
  DWORD got = 0;
  if (ReadFile(HandleOf(file), to, most, &got, &place)) return got;
  if (GetLastError() == ERROR_HANDLE_EOF) return 0;
  errno = LastError();
  return -1;
}

bool IsOurFile(const std::string& path) {
  FileStatus status;
  return StatusOfPath(path, &status) && status.kind == FileKind::kRegular &&
         _access(path.c_str(), W_OK) == 0;
}

bool IsProgram(const std::string& path) {
  FileStatus status;
  return StatusOfPath(path, &status) && status.kind == FileKind::kRegular;
}

bool IsFullDisk(int error) { return error == ENOSPC; }

int OpenLocked(const std::string& path) {
  const int file = DescriptorOf(CreateFileA(path.c_str(), GENERIC_READ | GENERIC_WRITE, kShared,
                                            nullptr, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr),
                                _O_RDWR);
  if (file < 0) return -1;
  OVERLAPPED place = {};
  const DWORD how = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
  if (LockFileEx(HandleOf(file), how, 0, 1, 0, &place)) return file;
  const int error = LastError();
  _close(file);
  errno = error;
  return -1;
}

}  // namespace onnxcmp
