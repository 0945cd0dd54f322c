// A command that fails on a model as it did on the whole one.
#ifndef ONNXCMP_TOOLS_REDUCE_COMMAND_TEST_H_
#define ONNXCMP_TOOLS_REDUCE_COMMAND_TEST_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "record/runtimes/scratch_folder.h"
#include "tools/reduce/candidate.h"
#include "tools/reduce/check_command.h"
#include "tools/reduce/failure_test.h"

namespace onnxcmp {

class CommandTest : public FailureTest {
 public:
  // `match`: what the output has to contain, a regular expression; "": anything. InvalidArgument if
  // it is none, or for a command without {model}. `running` must outlive the object.
  static absl::StatusOr<std::unique_ptr<CommandTest>> Create(const std::string& command,
                                                             const std::string& match,
                                                             absl::Duration timeout,
                                                             RunningChecks* running);

  absl::StatusOr<ReduceTrial> Begin(const ReduceCandidate& whole) override;
  absl::StatusOr<ReduceTrial> Try(const ReduceCandidate& candidate) override;
  bool reads_values() const override;
  std::string key() const override;
  std::string command() const override { return command_.text(); }
  absl::StatusOr<std::string> Script(const ReduceCandidate& candidate,
                                     const std::string& folder) override;

 private:
  CommandTest(CheckCommand command, std::string match, std::optional<std::regex> pattern,
              absl::Duration timeout, RunningChecks* running, std::unique_ptr<ScratchFolder> folder)
      : command_(std::move(command)),
        match_(std::move(match)),
        pattern_(std::move(pattern)),
        timeout_(timeout),
        running_(running),
        folder_(std::move(folder)) {}
  absl::Status WriteArchives(const ReduceCandidate& candidate, const std::string& folder) const;
  absl::StatusOr<CheckRun> Run(const ReduceCandidate& candidate);
  bool Matches(const CheckRun& run) const;

  const CheckCommand command_;
  const std::string match_;
  const std::optional<std::regex> pattern_;
  const absl::Duration timeout_;
  RunningChecks* const running_;
  const std::unique_ptr<ScratchFolder> folder_;
  CheckRun first_;
  std::atomic<int64_t> folders_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_REDUCE_COMMAND_TEST_H_
