// A command line run by the shell, within limits, with its output kept.
#ifndef ONNXCMP_RECORD_RUNTIMES_SHELL_LINE_H_
#define ONNXCMP_RECORD_RUNTIMES_SHELL_LINE_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "record/runtimes/scratch_folder.h"

namespace onnxcmp {

// How a command line ended.
struct ShellEnd {
  int status = 0;  // its exit status
  int signal = 0;  // the one that ended it, or its last command as the shell tells (128 + signal)
  bool timed_out = false;
  double seconds = 0;

  bool ok() const { return status == 0 && signal == 0 && !timed_out; }
  // "exit status 1", "ended by signal 11 (Segmentation fault)", "no end within 10m".
  std::string Text() const;

  absl::Duration limit;  // the one that was given
};

// Runs command lines, one at a time. What they start ends with them, and with us, however we end:
// a process of its own watches over that.
class ShellLines {
 public:
  static absl::StatusOr<ShellLines> Create();

  // /bin/sh -c LINE with nothing to read; `output`: the file that standard output and standard
  // error are added to. PermissionDenied if that cannot be written.
  absl::StatusOr<ShellEnd> Run(const std::string& line, const std::string& output,
                               absl::Duration limit);

 private:
  explicit ShellLines(std::unique_ptr<ScratchFolder> keeper) : keeper_(std::move(keeper)) {}

  std::unique_ptr<ScratchFolder> keeper_;
};

// The word for a shell, in quotes unless it needs none.
std::string ShellWord(absl::string_view word);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RUNTIMES_SHELL_LINE_H_
