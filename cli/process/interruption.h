// Ends of the program that come from outside: Ctrl-C and similar signals, limits of memory and
// time.
#ifndef ONNXCMP_CLI_PROCESS_INTERRUPTION_H_
#define ONNXCMP_CLI_PROCESS_INTERRUPTION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"

namespace onnxcmp::cli {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kKeepsFreedMemory = true;
#else
inline constexpr bool kKeepsFreedMemory = false;
#endif
// Bytes that the program itself takes: the reports, a node's own vectors. A sanitizer keeps memory
// that was freed.
inline constexpr int64_t kOwnMemory = int64_t{kKeepsFreedMemory ? 2048 : 192} << 20;

// Waits on its own thread for SIGINT, SIGTERM, SIGHUP, for a page that cannot be read
// (cli/process/failed_files.h) and for a limit that is reached, so that cleaning up needs no signal
// handler. When either comes, it removes unfinished files, clears a line of progress, and ends the
// program, by that signal or with a message and a status. Must be created before any other thread.
class Interruption {
 public:
  Interruption();
  // For a program that is not ours: signals stay as they are, and there are no limits.
  struct Never {};
  explicit Interruption(Never never);

  // Starts the thread. To be called once, as soon as the limits are known: until then signals wait.
  // The program may hold `memory` bytes and kOwnMemory (0: any number; mapped files do not count;
  // no limit on a system that does not tell), and may take `time` from the object's creation on. At
  // a limit it exits with `status`.
  void Watch(int64_t memory, absl::Duration time, int status);
  // True if Watch() was given a limit.
  bool has_limits() const;

  // Registers a folder that must not outlive the program. (It may also be removed in the usual
  // way.)
  void RemoveAtEnd(const std::string& folder);
  // Call it if progress may be shown in the terminal's current line.
  void ClearLineAtEnd();
  // A call on that thread before the program ends; null: none any more. It may not last long.
  void CallAtEnd(std::function<void()> call);
  // A text on what is under way, which the message about a limit has; called on that thread. Null:
  // the owner's work is done.
  void SetUnderWay(const void* owner, std::function<std::string()> text);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which never ends
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_INTERRUPTION_H_
