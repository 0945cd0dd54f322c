// Ctrl-C and similar signals.
#ifndef ONNXCMP_CLI_PROCESS_INTERRUPTION_H_
#define ONNXCMP_CLI_PROCESS_INTERRUPTION_H_

#include <functional>
#include <memory>
#include <string>

namespace onnxcmp::cli {

// Waits for SIGINT, SIGTERM and SIGHUP on its own thread, so that cleaning up needs no signal
// handler. When a signal comes, it removes unfinished files, clears a line of progress, and ends
// the program by that signal. Must be created before any other thread.
class Interruption {
 public:
  Interruption();
  // For a program that is not ours: signals stay as they are.
  struct Never {};
  explicit Interruption(Never never);

  // Registers a folder that must not outlive the program. (It may also be removed in the usual
  // way.)
  void RemoveOnSignal(const std::string& folder);
  // Call it if progress may be shown in the terminal's current line.
  void ClearLineOnSignal();
  // A call on that thread before the program ends; null: none any more. It may not last long.
  void CallOnSignal(std::function<void()> call);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which never ends
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_INTERRUPTION_H_
