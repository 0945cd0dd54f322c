// Programs are not started on Windows: what needs them says so.
#include "evaluator/base/os/processes.h"

#include <csignal>

namespace onnxcmp {

absl::Status CanStartPrograms() {
  return absl::UnimplementedError(
      "on Windows onnxcmp starts no other programs yet: runtimes, commands and batches are for "
      "Linux and macOS");
}

std::string SignalDescription(int /*number*/) { return ""; }

int LastSignal() { return NSIG - 1; }

absl::StatusOr<int> StartShell(const std::string& /*line*/, const std::string& /*output*/) {
  return CanStartPrograms();
}

// There is no process that these could be called for.
bool HasEnded(int /*process*/, absl::Duration /*limit*/) { return true; }
ProcessEnd EndGroup(int /*process*/) { return {}; }
void KillGroup(int /*process*/) {}

absl::StatusOr<CommandRun> RunCommand(const std::string& /*command*/, absl::Duration /*timeout*/,
                                      size_t /*kept*/, absl::FunctionRef<void(int)> /*started*/,
                                      absl::FunctionRef<void(int)> /*ended*/) {
  return CanStartPrograms();
}

}  // namespace onnxcmp
