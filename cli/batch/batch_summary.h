// All results of a batch at a glance, and what is new since another batch.
#ifndef ONNXCMP_CLI_BATCH_BATCH_SUMMARY_H_
#define ONNXCMP_CLI_BATCH_BATCH_SUMMARY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "cli/batch/pair_result.h"

namespace onnxcmp::cli {

// The same mistake in several pairs, or the same reason for which they were not compared.
struct BatchFinding {
  std::string name;
  std::string example;  // a cause's text
  bool wrong = true;    // false: another way to compute the same
  std::vector<size_t> pairs;
};

struct VerdictCounts {
  std::map<std::string, int64_t> verdicts;
  int64_t pairs = 0;
  int64_t unexpected = 0;
  int64_t proved = 0;
  int64_t to_prove = 0;  // pairs of which a proof was asked for
};

struct BatchChanges {
  struct Verdict {
    size_t pair;
    std::string before;
  };
  std::string baseline;          // its folder
  std::vector<Verdict> worse;    // as expected before, and not now
  std::vector<Verdict> better;   // the other way round
  std::vector<Verdict> changed;  // another verdict, and expected as much
  std::vector<size_t> new_pairs;
  std::vector<std::string> gone_pairs;
  std::vector<std::string> new_findings;  // of mistakes
  std::vector<std::string> gone_findings;

  bool any() const {
    return !worse.empty() || !better.empty() || !changed.empty() || !new_pairs.empty() ||
           !gone_pairs.empty() || !new_findings.empty() || !gone_findings.empty();
  }
};

struct BatchSummary {
  VerdictCounts all;
  std::map<std::string, VerdictCounts> tags;
  std::vector<BatchFinding> findings;      // mistakes first, then by the number of pairs
  std::vector<BatchFinding> not_compared;  // by reason
  std::vector<size_t> unexpected;
  std::vector<size_t> slowest;  // some
  std::vector<size_t> largest;  // by memory
  std::optional<BatchChanges> changes;
  double pair_seconds = 0;  // of all comparisons
  int exit_status = 0;
};

BatchSummary Summarize(const std::vector<PairResult>& results);
// `before`: results of the batch in the folder `baseline`.
void AddChanges(const std::vector<PairResult>& results, const std::vector<PairResult>& before,
                const std::string& baseline, BatchSummary* summary);

// "out of memory" of "out_of_memory".
std::string VerdictWords(absl::string_view verdict);
// "1990 same, 7 close, 3 different".
std::string CountsText(const VerdictCounts& counts);
// The reason for a verdict in a line: cause, error or summary.
std::string ReasonOf(const PairResult& result);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_BATCH_SUMMARY_H_
