// Progress of the program, on the terminal.
#ifndef ONNXCMP_CLI_PROCESS_PROGRESS_H_
#define ONNXCMP_CLI_PROCESS_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "cli/process/interruption.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp::cli {

// One line on standard error, rewritten while something takes more than a second, and erased by the
// destructor. Nothing unless standard error is a terminal. The text is also what a limit that ends
// the program tells of.
class ProgressLine {
 public:
  // Returns the text of the line for the seconds so far, "" for none yet. It is called on its own
  // thread, so that the time advances even while nothing else does.
  using Text = std::function<std::string(double seconds)>;
  ProgressLine(bool quiet, Interruption& interruption, Text text);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // False if nobody asks for the text.
  bool wanted() const { return wanted_; }

 private:
  void DrawUntilStopped(const Text& text);
  double Seconds() const;

  Interruption& interruption_;
  bool wanted_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  // guards stopped_
  std::condition_variable changed_;
  bool stopped_ = false;
  std::thread thread_;  // not running unless standard error is a terminal
};

// Progress of a run: nodes done, the current operator, the time; before the first node, the weights
// read so far.
class Progress : public Observer {
 public:
  // `label`: the model, "" if there is only one.
  Progress(const std::string& label, bool quiet, Interruption& interruption);

  void OnNodeStart(const NodeStart& start) override;
  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override;

 private:
  std::string Text(double seconds);

  const std::string label_;
  std::mutex mutex_;  // guards the members below, except the line
  int64_t index_ = 0;
  int64_t total_ = 0;
  std::string node_;
  int64_t initializers_ = 0;
  int64_t bytes_ = 0;  // bytes of these
  ProgressLine line_;  // last, so that it is destroyed first
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROCESS_PROGRESS_H_
