// Reports in the folder of a batch, and batches joined.
#ifndef ONNXCMP_CLI_BATCH_BATCH_REPORTS_H_
#define ONNXCMP_CLI_BATCH_BATCH_REPORTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/batch/batch_summary.h"
#include "cli/batch/pair_result.h"
#include "cli/batch/result_store.h"

namespace onnxcmp::cli {

// A part of a batch: number `index` of `count`, from 1.
struct BatchShard {
  int64_t index = 1;
  int64_t count = 1;
};
// "2/8"; InvalidArgument for anything else.
absl::StatusOr<BatchShard> ParseShard(const std::string& text);
// By the pair's name, so that it does not depend on what else there is.
bool InShard(const std::string& name, const BatchShard& shard);

// Writes results.jsonl, summary.json, summary.md, junit.xml and index.html, each whole.
absl::Status WriteBatchReports(const std::vector<PairResult>& results, const BatchSummary& summary,
                               const BatchShard& shard, const ResultStore& store);

// Results of shards, their files imported into the store. A pair that several have counts once, the
// one that ended last. InvalidArgument if one of the shards is missing.
absl::StatusOr<std::vector<PairResult>> MergeBatches(const std::vector<std::string>& folders,
                                                     const ResultStore& store);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_BATCH_REPORTS_H_
