// Runs the pairs of a batch on this machine, each in a process of its own.
#ifndef ONNXCMP_CLI_BATCH_RUN_PAIRS_H_
#define ONNXCMP_CLI_BATCH_RUN_PAIRS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/batch/batch_pair.h"
#include "cli/batch/pair_result.h"
#include "cli/batch/result_store.h"

namespace onnxcmp::cli {

enum class PairPages : uint8_t { kAll, kUnexpected, kNone };

struct PairRunOptions {
  std::vector<std::string> program;  // words that start a comparison
  std::string version;               // "onnxcmp 0.3.0"
  // All that results depend on besides files and options: the program's build, a pair's runtime.
  std::function<std::string(const BatchPair&)> depends_on;
  int jobs = 1;
  int threads = 1;          // of a comparison
  int64_t memory = 0;       // bytes of all comparisons at a time
  int64_t pair_memory = 0;  // bytes of one, 0: as much as all
  absl::Duration pair_time = absl::Hours(1);
  PairPages pages = PairPages::kAll;
  bool retry = false;  // pairs that were not compared are tried again
  bool quiet = false;
  std::string baseline;  // another batch's folder, whose results count, too; "": none
  std::map<std::string, PairResult> earlier;  // by names: what they took is what they will take
  // Called for each result as it comes.
  std::function<void(const PairResult&, bool is_new)> on_result;
};

struct PairRun {
  std::vector<PairResult> results;  // as the pairs are
  int64_t computed = 0;
  int64_t kept = 0;  // known from before
  int signal = 0;    // that has stopped it before its end; 0: none
  double seconds = 0;
};

// Each result is in the store, and in `running.jsonl` there, before the next pair is started in its
// place. An error if the store cannot take results: what was written stays. While it runs,
// the signals that end programs, and those of processes that end, are for it. For a thread that
// outlives the batch.
absl::StatusOr<PairRun> RunPairs(const std::vector<BatchPair>& pairs, const PairRunOptions& options,
                                 ResultStore& store);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_RUN_PAIRS_H_
