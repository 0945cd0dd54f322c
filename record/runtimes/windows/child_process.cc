#include "record/runtimes/child_process.h"

#include "evaluator/base/os/processes.h"

namespace onnxcmp {

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Start(
    const std::vector<std::string>& /*arguments*/) {
  return CanStartPrograms();
}

ChildProcess::~ChildProcess() = default;

absl::StatusOr<std::string> ChildProcess::Ask(absl::string_view /*line*/,
                                              absl::Duration /*timeout*/,
                                              const std::atomic<bool>* /*stop*/) {
  return CanStartPrograms();
}

void ChildProcess::Finish(absl::Duration /*timeout*/) {}

void ChildProcess::Kill() {}

}  // namespace onnxcmp
