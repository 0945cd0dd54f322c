// Files as the system has them. Errors are errno's numbers on every system.
#ifndef ONNXCMP_EVALUATOR_BASE_OS_FILES_H_
#define ONNXCMP_EVALUATOR_BASE_OS_FILES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace onnxcmp {

enum class FileKind : uint8_t { kRegular, kFolder, kOther };

struct FileStatus {
  FileKind kind = FileKind::kOther;
  uint64_t device = 0;
  uint64_t inode = 0;
  int64_t size = 0;            // bytes
  int64_t modified = 0;        // seconds
  int64_t modified_nanos = 0;  // and nanoseconds
  int64_t changed_nanos = 0;   // of its bytes or its status, nanoseconds since 1970
};

// False, with errno set, if nothing is there or it cannot be looked at. Links are followed.
bool StatusOfFile(int file, FileStatus* status);
bool StatusOfPath(const std::string& path, FileStatus* status);

// A descriptor, which programs that we start do not have; -1, with errno set. Opening a pipe
// without a writer does not wait for one.
int OpenToRead(const std::string& path);

enum class WriteForm : uint8_t {
  kNew,      // an error if it is there
  kReplace,  // emptied first
  kAppend,
};
// The same to write to.
int OpenToWrite(const std::string& path, WriteForm form);

// 0, or an errno.
int CloseFile(int file);
int WriteAll(int file, absl::string_view bytes);
// Waits until the bytes are on the disk, so that a rename never comes before them.
int SyncFile(int file);
int SyncPath(const std::string& path);
// Puts a file or a folder into the place of another file, at once.
int RenameOver(const std::string& from, const std::string& to);
// Gives a file that we write the permissions of one that is there.
int TakePermissions(int file, const std::string& from);
// Makes a folder that nobody had; the last six characters of the path are X, and become its own.
int MakeUniqueFolder(std::string* path);

// Bytes that were read, 0 at the end, -1 with errno set.
int64_t ReadAt(int file, int64_t offset, std::byte* to, int64_t bytes);

// True if it is a regular file of this user, and may be written to.
bool IsOurFile(const std::string& path);
bool IsProgram(const std::string& path);
bool IsFullDisk(int error);

// A descriptor of a file that nobody else has locked, made if it is missing; the lock goes with it,
// and with the process however that ends. -1, with errno set, which is EWOULDBLOCK if somebody has.
int OpenLocked(const std::string& path);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_OS_FILES_H_
