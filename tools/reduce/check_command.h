// A user's command that a model makes fail.
#ifndef ONNXCMP_TOOLS_REDUCE_CHECK_COMMAND_H_
#define ONNXCMP_TOOLS_REDUCE_CHECK_COMMAND_H_

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace onnxcmp {

// How a command ended.
struct CheckRun {
  enum class End { kExit, kSignal, kTimeout };
  End end = End::kExit;
  int number = 0;      // the exit status or the signal
  std::string output;  // the end of what it wrote to its standard output and standard error
  double seconds = 0;

  // "exit status 1", "signal 11 (Segmentation fault)", "no end within 10s".
  std::string Text(absl::Duration timeout) const;
};

// The processes that are under way, so that other code can end them.
class RunningChecks {
 public:
  void Add(int pid);
  void Remove(int pid);
  // Ends them and what they have started; those that are added later, too.
  void KillAll();
  bool killed() const;

 private:
  mutable std::mutex mutex_;
  std::set<int> pids_;
  bool killed_ = false;
};

class CheckCommand {
 public:
  // `text`: for the shell, with {model}, {inputs}, {outputs} or {folder} for paths. InvalidArgument
  // if it has neither {model} nor {folder}.
  static absl::StatusOr<CheckCommand> Create(const std::string& text);

  bool Reads(absl::string_view name) const;
  const std::string& text() const { return text_; }
  // The command with paths in a folder in place of the names in braces.
  std::string With(const std::string& folder) const;

  // Runs such a command in a group of processes of its own, which goes with us. Several threads may
  // do so at a time. Cancelled if it was ended.
  static absl::StatusOr<CheckRun> Run(const std::string& command, absl::Duration timeout,
                                      RunningChecks* running);

 private:
  explicit CheckCommand(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_CHECK_COMMAND_H_
