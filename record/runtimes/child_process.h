// A process that answers lines with lines.
#ifndef ONNXCMP_RECORD_RUNTIMES_CHILD_PROCESS_H_
#define ONNXCMP_RECORD_RUNTIMES_CHILD_PROCESS_H_

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace onnxcmp {

// It leads a session and a group of its own: what it starts goes with it, and Ctrl-C in a terminal
// is not for it. It has our environment, none of our open files, and every signal as it is by
// default. One thread at a time.
class ChildProcess {
 public:
  // NotFound if there is no such program. `arguments[0]` is looked for as a shell does it.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Start(
      const std::vector<std::string>& arguments);
  // Ends it, as Kill() does.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // False once the process is known to have ended.
  bool alive() const { return pid_ > 0; }

  // Sends a line, without its end, and gives the line that comes back. Aborted, with how it ended
  // ("ended by signal 11 (Segmentation fault)"), if that comes first, and DeadlineExceeded if
  // nothing has come in time. Cancelled once `stop` is true (null: it never is). After an error the
  // process is gone.
  absl::StatusOr<std::string> Ask(absl::string_view line, absl::Duration timeout,
                                  const std::atomic<bool>* stop = nullptr);

  // The end of what it has written to its standard error.
  const std::string& errors() const { return errors_; }

  // Ends its input and waits until it has ended by itself, so long at most.
  void Finish(absl::Duration timeout);
  // Tells it to end (SIGTERM), and kills it if it has not soon, and its group in any case.
  void Kill();

 private:
  ChildProcess(pid_t pid, int input, int output, int errors)
      : pid_(pid), input_(input), output_(output), error_output_(errors) {}

  // Reads the available part of its standard error. False at its end.
  bool ReadErrors();
  // Sends what fits of `unsent`.
  void Send(absl::string_view* unsent) const;
  absl::Status Ended();
  // False if it has not ended in time.
  bool Wait(absl::Duration timeout, int* status);

  pid_t pid_;
  int input_;   // a socket: writing to one whose other end is gone is an error, no signal
  int output_;  // pipes
  int error_output_;
  std::string received_;  // the beginning of the next line
  std::string errors_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RUNTIMES_CHILD_PROCESS_H_
