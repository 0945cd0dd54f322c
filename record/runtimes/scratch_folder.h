// A folder for files that must not outlive us, however we end.
#ifndef ONNXCMP_RECORD_RUNTIMES_SCRATCH_FOLDER_H_
#define ONNXCMP_RECORD_RUNTIMES_SCRATCH_FOLDER_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "record/runtimes/child_process.h"

namespace onnxcmp {

// A shell in a session of its own makes the folder and waits for the end of its input, which comes
// when the object goes, or with our end, be it by SIGKILL. Then it tells the leader of the group
// that it was told of last to end, kills that group, and removes the folder.
class ScratchFolder {
 public:
  static absl::StatusOr<std::unique_ptr<ScratchFolder>> Create();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  // The group of processes that is to end with us; 0: none any more.
  absl::Status Guard(pid_t group);

 private:
  ScratchFolder(std::unique_ptr<ChildProcess> keeper, std::string path)
      : keeper_(std::move(keeper)), path_(std::move(path)) {}

  std::unique_ptr<ChildProcess> keeper_;
  std::string path_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RUNTIMES_SCRATCH_FOLDER_H_
