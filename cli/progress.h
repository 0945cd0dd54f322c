// How far a run is, on the terminal.
#ifndef ONNXCMP_CLI_PROGRESS_H_
#define ONNXCMP_CLI_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/interruption.h"
#include "evaluator/result.h"

namespace onnxcmp::cli {

// One line on standard error, rewritten while a run takes more than a second, and erased when the
// object goes: nodes done, the current operator, the time. Nothing unless standard error is a
// terminal.
class Progress : public Observer {
 public:
  // `label`: which model, "" if there is only one.
  Progress(std::string label, bool quiet, Interruption& interruption);
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void OnNodeStart(const NodeStart& start) override;
  absl::Status OnResult(const Result& /*result*/, std::optional<Value>* /*replacement*/) override {
    return absl::OkStatus();
  }

 private:
  using Clock = std::chrono::steady_clock;
  // On a thread of its own, so that the time goes on while a node takes long.
  void DrawUntilStopped();

  std::string label_;
  Clock::time_point start_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool stopped_ = false;
  int64_t index_ = 0;
  int64_t total_ = 0;
  std::string node_;
  std::thread thread_;  // not running unless standard error is a terminal
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROGRESS_H_
