// The result of a comparison of two sides: plain data for all renderers.
#ifndef ONNXCMP_COMPARE_OUTCOME_COMPARISON_H_
#define ONNXCMP_COMPARE_OUTCOME_COMPARISON_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/alignment.h"
#include "compare/causes/cause.h"
#include "compare/explain/explanation.h"
#include "compare/fusions/fusion.h"
#include "compare/in_double/shadow.h"
#include "compare/in_float/keep_in_float.h"
#include "compare/not_finite/not_finite.h"
#include "compare/outputs/compared_row.h"
#include "compare/outputs/output_comparison.h"
#include "compare/quantization/quantization.h"
#include "compare/sides/side_summary.h"
#include "feed/coverage/coverage.h"
#include "feed/coverage/unread_rows.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct ProofReport;

// In ascending order of severity. kUntested: nothing could have shown a difference: outputs are all
// NaN or empty, or, on made-up inputs, the same for all inputs.
enum class Verdict : uint8_t { kSame, kClose, kUntested, kDifferent, kFailed };
// Criterion for failure, besides a side that fails: outputs that differ; also mistakes among the
// causes; also bits that differ.
enum class FailOn : uint8_t { kDifferent, kCauses, kBits };

absl::string_view VerdictName(Verdict verdict);  // "same", "close", "untested", ...

// Sizes of open dimensions that both sides were run with.
struct TriedSizes {
  std::string sizes;  // "batch 2, sequence 16"
  PerSide<absl::Status> status;
  bool agrees = false;  // if both ran
};

struct Comparison {
  // By what was found: sizes with which one side alone runs, a side that failed, inputs that test
  // nothing, the outputs.
  Verdict verdict() const;

  SideSummary left_summary, right_summary;
  ResultStream left, right;
  Alignment alignment;
  std::vector<ComparedRow> rows;  // alignment.rows with their differences
  OutputComparison outputs;
  NotFinite left_not_finite, right_not_finite;
  std::optional<ShadowReport> shadow;              // if requested
  std::optional<Explanation> explanation;          // the same
  std::optional<QuantizationReport> quantization;  // the same; if a side is quantized
  std::optional<FusionReport> fusions;             // the same
  std::shared_ptr<const ProofReport> proof;        // the same: whether both are one function
  // The inputs could not have shown a difference.
  bool untested = false;
  // Both run with some sizes, and with others only one does (`sizes_of_one_side`).
  bool differ_by_sizes = false;
  absl::Status status;  // why nothing was compared although both sides may be fine: their inputs
  FailOn fail_on = FailOn::kDifferent;
  int made_up_sets = 0;              // number of made-up sets of inputs; 0: inputs were given
  std::optional<Coverage> coverage;  // by these sets
  // Differing rows of tables that no input selected, if all outputs agree.
  std::vector<UnreadRows> unread;
  // Inputs with a fixed value, because the other side has a constant there: "`mask` as the right
  // has frozen it: all 1".
  std::vector<std::string> frozen;
  // Sizes with which only one side runs, if both run with others; "" if there are none.
  std::string sizes_of_one_side;
  std::vector<TriedSizes> sizes;  // if it was asked which there are
  // Mistakes first, those with the greatest effect first; else in the right stream's order.
  std::vector<Cause> causes;
  std::vector<DismissedCause> dismissed;  // findings that a review refused
  // Nodes to keep in float, if outputs differ because one side was converted to a coarser type;
  // nothing if they agree, if there is a mistake, or if no short list was found.
  std::optional<KeepInFloat> keep_in_float;
  // Why no cause was searched although something differs; "" if causes were searched or not
  // requested.
  std::string causes_not_searched;
  // The model's inputs that were made up, if a comparison with a recording tested nothing because
  // of them.
  std::vector<std::string> made_up_inputs;
  // Beside a recording, the source of the model's inputs: "the recording", "x.npz"; "": none were
  // given.
  std::string fed_from;
  std::vector<std::string> fed_made_up;  // inputs that were made up
  std::vector<std::string> notes;        // how inputs were made, mapped, cast
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTCOME_COMPARISON_H_
