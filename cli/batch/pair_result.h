// The result of a pair: a line of results.jsonl.
#ifndef ONNXCMP_CLI_BATCH_PAIR_RESULT_H_
#define ONNXCMP_CLI_BATCH_PAIR_RESULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/batch/batch_pair.h"

namespace onnxcmp::cli {

struct FoundCause {
  std::string
      finding;  // the same for the same mistake in other models: "LayerNormalization epsilon"
  std::string text;
  std::string place;  // the right's result
  bool wrong = true;  // false: another way to compute the same
};

struct PairResult {
  // The pair's.
  std::string name;
  std::string left, right, against;
  std::vector<std::string> tags;
  std::string expect;  // "different, by epsilon"; "": the sides agree
  bool as_expected = false;
  // The same for all pairs of this key.
  std::string key;
  std::string
      outcome;  // a verdict, or why there is none: "timed_out", "crashed", "unreadable", ...
  int exit = 2;
  std::string summary;  // a sentence
  std::string worst_output;
  double worst_distance = 0;  // root mean square of the differences against that of the values
  std::vector<FoundCause> causes;
  std::optional<bool> proved;  // on all sets; nothing: no proof was asked for
  std::string error;           // why there is no comparison
  double seconds = 0;
  int64_t peak_bytes = 0;    // of memory
  int64_t memory_limit = 0;  // of memory, 0: none
  int64_t model_bytes = 0;   // of both sides' files
  std::string version;       // "onnxcmp 0.3.0"
  std::string finished;      // "2026-11-26T03:00:12Z"
  std::string folder;  // of its files, within the batch's: "pairs/3f/3f...". "": there is none
  std::string report, page;  // their names in it, "" where one is missing

  bool compared() const {
    return outcome == "same" || outcome == "close" || outcome == "different";
  }
  // 0: as expected, 1: not, 2: not compared.
  int exit_status() const { return as_expected ? 0 : compared() ? 1 : 2; }
};

// One line.
std::string PairResultJson(const PairResult& result);
// InvalidArgument for a line that is none.
absl::StatusOr<PairResult> ParsePairResult(absl::string_view line);

// Fills in what is the pair's, and judges by what it expects.
void JudgeByPair(const BatchPair& pair, PairResult* result);

// All results of a batch's folder. NotFound if it has none yet; InvalidArgument for a damaged line.
absl::StatusOr<std::vector<PairResult>> ReadResults(const std::string& folder);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_BATCH_PAIR_RESULT_H_
