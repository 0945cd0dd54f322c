// A comparison in a process of its own, within limits.
#ifndef ONNXCMP_CLI_BATCH_PAIR_PROCESS_H_
#define ONNXCMP_CLI_BATCH_PAIR_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/batch/pair_starter.h"

namespace onnxcmp::cli {

struct PairLimits {
  int64_t memory = 0;  // bytes that it may allocate; 0: any
  absl::Duration time = absl::InfiniteDuration();
};

struct PairEnd {
  int status = 0;  // as waitpid has it
  bool timed_out = false;
  double seconds = 0;
  int64_t peak_bytes = 0;
  std::string errors;  // the end of its standard error
};

// One that runs, or has ended and is not yet looked at.
class PairProcess {
 public:
  // `folder`: where it runs.
  static absl::StatusOr<std::unique_ptr<PairProcess>> Start(
      PairStarter& starter, const std::vector<std::string>& arguments, const std::string& folder,
      const PairLimits& limits);
  // Kills it, unless it has ended.
  ~PairProcess();
  PairProcess(const PairProcess&) = delete;
  PairProcess& operator=(const PairProcess&) = delete;

  absl::Time deadline() const { return deadline_; }
  // True once it has ended; kills it first if its time is over.
  bool HasEnded(PairEnd* end);

 private:
  PairProcess(pid_t pid, int errors, absl::Duration time);

  pid_t pid_;
  int errors_;  // a file in memory, so that nobody has to empty a pipe, nor needs a disk
  const absl::Time started_;
  const absl::Time deadline_;
  bool timed_out_ = false;
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_PAIR_PROCESS_H_
