// How far a run is, on the terminal.
#ifndef ONNXCMP_CLI_PROGRESS_H_
#define ONNXCMP_CLI_PROGRESS_H_

#include <chrono>
#include <optional>
#include <string>

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
  std::string label_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point last_draw_;
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_PROGRESS_H_
