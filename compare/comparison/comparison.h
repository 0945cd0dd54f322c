// Two sides compared: plain data that every renderer prints from.
#ifndef ONNXCMP_COMPARE_COMPARISON_COMPARISON_H_
#define ONNXCMP_COMPARE_COMPARISON_COMPARISON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/alignment.h"
#include "compare/blocks/block.h"
#include "compare/causes/cause.h"
#include "compare/coverage/coverage.h"
#include "compare/coverage/unread_rows.h"
#include "compare/explain/explanation.h"
#include "compare/in_float/keep_in_float.h"
#include "compare/not_finite/not_finite.h"
#include "compare/pair/per_side.h"
#include "compare/quantization/quantization.h"
#include "compare/shadow/shadow.h"
#include "compare/sides/side_summary.h"
#include "compare/streams/result_stream.h"
#include "compare/verdict/compared_row.h"
#include "compare/verdict/output_comparison.h"

namespace onnxcmp {

// The worse, the greater. kUntested: nothing was seen that could differ, outputs that are all NaN
// or empty or, on inputs that were made up, the same whatever the inputs are.
enum class Verdict : uint8_t { kSame, kClose, kUntested, kDifferent, kFailed };
// What makes a comparison fail, besides a side that fails: outputs that differ; causes that are
// wrong, too; bits that differ, too.
enum class FailOn : uint8_t { kDifferent, kCauses, kBits };

absl::string_view VerdictName(Verdict verdict);  // "same", "close", "different", "failed"

// Sizes of open dimensions that both sides were run with.
struct TriedSizes {
  std::string sizes;  // "batch 2, sequence 16"
  PerSide<absl::Status> status;
  bool agree = false;  // if both ran
};

struct Comparison {
  SideSummary left_summary, right_summary;
  ResultStream left, right;
  Alignment alignment;
  std::vector<ComparedRow> rows;  // alignment.rows with their differences
  OutputComparison outputs;
  NotFinite left_not_finite, right_not_finite;
  std::optional<ShadowReport> shadow;              // if it was asked for
  std::optional<Explanation> explanation;          // the same
  std::optional<QuantizationReport> quantization;  // the same; of a quantized side
  std::optional<BlockReport> blocks;               // the same
  Verdict verdict = Verdict::kSame;
  absl::Status status;  // why nothing was compared though both sides may be fine: their inputs
  FailOn fail_on = FailOn::kDifferent;
  int made_up_sets = 0;              // on how many sets of inputs that were made up; 0: given
  std::optional<Coverage> coverage;  // what these exercised
  // What differs in tables and no input has come to, where all that came out agrees.
  std::vector<UnreadRows> unread;
  // What an input always was, because the other side has a constant there: "`mask` as the right has
  // frozen it: all 1".
  std::vector<std::string> frozen;
  // Sizes that one side alone runs with, where both run with others; "" if there are none.
  std::string sizes_of_one_side;
  std::vector<TriedSizes> sizes;  // if it was asked which there are
  // Wrong ones first, those with the greatest effect first; else in the right stream's order.
  std::vector<Cause> causes;
  // What to do where outputs differ because one side was converted to a coarser type; nothing if
  // they do not, if something is wrong, or if no short list of nodes was found.
  std::optional<KeepInFloat> keep_in_float;
  // Why no cause was looked for although something differs; "" if they were, or nobody asked.
  std::string causes_not_searched;
  // The model's inputs that were made up, if nothing was tested beside a recording because of them.
  std::vector<std::string> made_up_inputs;
  // Beside a recording, of what the model was fed: "the recording", "x.npz"; "": nothing was given.
  std::string fed_from;
  std::vector<std::string> fed_made_up;  // inputs that nobody gave
  std::vector<std::string> notes;        // how inputs were made, mapped, cast
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_COMPARISON_COMPARISON_H_
