#include "record/base/write_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/os/files.h"
#include "evaluator/base/os/this_process.h"

namespace onnxcmp {
namespace {

// Where a file can be put by renaming: nothing for a pipe, a device and another user's file, which
// would become ours.
std::optional<std::string> PlaceOf(const std::string& path) {
  std::error_code error;
  // The file that a link names is replaced, and the link stays.
  const std::string place = std::filesystem::weakly_canonical(path, error).string();
  if (error) return std::nullopt;
  FileStatus known;
  if (!StatusOfPath(place, &known)) return errno == ENOENT ? std::optional(place) : std::nullopt;
  return IsOurFile(place) ? std::optional(place) : std::nullopt;
}

// 0, or an errno. Nothing: no file can be made beside it, so that nothing happened.
std::optional<int> WriteBeside(const std::string& place, const std::string& bytes) {
  const std::string unfinished = absl::StrCat(place, ".", ProcessNumber(), ".unfinished");
  std::remove(unfinished.c_str());  // of a process with this number that was killed
  const int file = OpenToWrite(unfinished, WriteForm::kNew);
  if (file < 0) return std::nullopt;
  absl::Cleanup remove = [&] { std::remove(unfinished.c_str()); };
  int error = TakePermissions(file, place);
  if (error == 0) error = WriteAll(file, bytes);
  if (error == 0) error = SyncFile(file);
  const int closed = CloseFile(file);
  if (error == 0) error = closed;
  if (error == 0) error = RenameOver(unfinished, place);
  if (error == 0) std::move(remove).Cancel();
  return error;
}

int WriteInPlace(const std::string& path, const std::string& bytes) {
  const int file = OpenToWrite(path, WriteForm::kReplace);
  if (file < 0) return errno;
  const int error = WriteAll(file, bytes);
  const int closed = CloseFile(file);
  return error != 0 ? error : closed;
}

}  // namespace

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
