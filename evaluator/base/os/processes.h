// Commands that we start, and how they end.
#ifndef ONNXCMP_EVALUATOR_BASE_OS_PROCESSES_H_
#define ONNXCMP_EVALUATOR_BASE_OS_PROCESSES_H_

#include <cstddef>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace onnxcmp {

// Unimplemented, saying so, on a system on which we start no other programs.
absl::Status CanStartPrograms();

struct ProcessEnd {
  bool by_signal = false;
  int number = 0;  // the signal's, or the exit status
};

// "Segmentation fault"; "" if the system has no word for it.
std::string SignalDescription(int number);
// "signal 11 (Segmentation fault)".
std::string SignalText(int number);
// The greatest number that a signal may have.
int LastSignal();

// Starts /bin/sh -c LINE in a session of its own, with nothing to read; its output is added to a
// file. The process' number, which is its group's, too. PermissionDenied if the file cannot be
// written.
absl::StatusOr<int> StartShell(const std::string& line, const std::string& output);
// Waits until a process has ended, so long at most.
bool HasEnded(int process, absl::Duration limit);
// Kills its whole group, before the number can be another's, and tells how it has ended.
ProcessEnd EndGroup(int process);
// Kills it and its group.
void KillGroup(int process);

struct CommandRun {
  bool timed_out = false;
  ProcessEnd end;
  std::string output;  // the end of what it wrote to its standard output and standard error
};
// Runs /bin/sh -c COMMAND in a session of its own, which goes with us, and keeps `kept` bytes of
// its output. Both calls get the process' number; after the second it may be another's.
absl::StatusOr<CommandRun> RunCommand(const std::string& command, absl::Duration timeout,
                                      size_t kept, absl::FunctionRef<void(int)> started,
                                      absl::FunctionRef<void(int)> ended);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_OS_PROCESSES_H_
