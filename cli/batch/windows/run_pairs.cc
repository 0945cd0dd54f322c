// A pair takes a process of its own, and there are none on Windows.
#include "cli/batch/run_pairs.h"

#include "cli/batch/pair_starter.h"
#include "cli/process/messages.h"
#include "evaluator/base/os/processes.h"

namespace onnxcmp::cli {

absl::StatusOr<PairRun> RunPairs(const std::vector<BatchPair>& /*pairs*/,
                                 const PairRunOptions& /*options*/, ResultStore& /*store*/) {
  return CanStartPrograms();
}

int ServePairs(absl::FunctionRef<int(const std::vector<std::string>& arguments)> /*run*/) {
  PrintError(CanStartPrograms().message());
  return 2;
}

}  // namespace onnxcmp::cli
