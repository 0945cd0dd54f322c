// Ctrl-C and similar signals.
#ifndef ONNXCMP_CLI_INTERRUPTION_H_
#define ONNXCMP_CLI_INTERRUPTION_H_

#include <memory>
#include <string>

namespace onnxcmp::cli {

// Waits for SIGINT, SIGTERM and SIGHUP on a thread of its own, so that tidying up needs no signal
// handler. When one comes, it removes unfinished files, clears a line of progress, and ends the
// program by that signal. To be made before any other thread.
class Interruption {
 public:
  Interruption();
  // For a program that is not ours: signals stay as they are.
  struct Never {};
  explicit Interruption(Never never);

  // A folder that must not outlive the program. (Removing it in the usual way as well is fine.)
  void RemoveOnSignal(const std::string& folder);
  // Progress may stand in the terminal's current line.
  void ClearLineOnSignal();

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which never ends
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_INTERRUPTION_H_
