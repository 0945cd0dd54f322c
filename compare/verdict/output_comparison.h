// Whether the outputs of two models agree, and what was recorded of one.
#ifndef ONNXCMP_COMPARE_VERDICT_OUTPUT_COMPARISON_H_
#define ONNXCMP_COMPARE_VERDICT_OUTPUT_COMPARISON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/differences/tolerance.h"
#include "compare/differences/value_difference.h"
#include "compare/streams/result_stream.h"
#include "compare/tolerances/pair_tolerance.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

struct NamedOutput {
  std::string name;
  Value value;
  int result = kNone;              // of the side's stream, where that is known
  std::string declared_type = {};  // "tensor(float)"; "": nothing is declared, or the value has it
};

struct OutputPair {
  std::string left;
  std::string right;
  int left_result = kNone;
  int right_result = kNone;
  std::string type;  // of the left value
  // A recorded result that is no output: it counts as an output does.
  bool recorded = false;
  bool entry = false;      // recorded is one entry of the other's first axis
  bool reordered = false;  // recorded has the rows in another order, in which all agree
  bool same_bits = false;
  bool ties = false;  // ids that differ where their scores tie, or what is computed from such
  ValueDifference difference;
  std::string tolerance_reason;  // PairTolerance::why
  // They disagree only because they are floats of another type (--output-types).
  bool agree_by_value = false;
  // Whether they agree by what their own types allow, without what widened the tolerance (see
  // PairTolerance), and what that allows as a whole.
  bool within_own = true;
  double own_whole = 0;
  // How far causes that are wrong move it, against its size, where it agrees all the same; nothing
  // if there are none.
  std::optional<double> moved;
};

struct OutputComparison {
  bool agree = true;
  // What is left over on a side, and single entries, are accepted.
  bool partial = false;
  bool any_row_order = false;     // pairs that are reordered are accepted
  int64_t recorded = 0;           // results of recordings that count
  std::vector<OutputPair> pairs;  // in the left side's order, outputs before recorded results
  std::vector<std::string> only_left;
  std::vector<std::string> only_right;
  std::vector<std::string> notes;  // declared types that values do not have
};

// Of two models, or of what is known as outputs of recordings: paired by name, the rest as the
// alignment has them, then by position. `tolerances` and `alignment` may be null: then the element
// types decide, and names and positions.
OutputComparison CompareOutputs(absl::Span<const NamedOutput> left,
                                absl::Span<const NamedOutput> right,
                                const ToleranceOptions& options,
                                const PairTolerances* tolerances = nullptr,
                                const Alignment* alignment = nullptr);

// Whether a pair agrees, or differs by what is accepted.
bool IsAccepted(const OutputComparison& comparison, const OutputPair& pair);

// Whether there is a pair, all of them agree and nothing is left over that counts.
bool AllAgree(const OutputComparison& comparison);

// Whether there are pairs, and every output is NaN throughout on both sides or has no elements:
// these inputs do not test the models.
bool TellsNothing(const OutputComparison& comparison);

// "1e-05 + 0.0001·max(|a|,|b|)"; "0" if values have to be equal.
std::string ToleranceText(const Tolerance& tolerance);

// A pair in a line or two.
std::vector<std::string> DescribeOutput(const OutputPair& pair);

// That for each pair, and the verdict as the last line.
std::vector<std::string> DescribeOutputs(const OutputComparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_VERDICT_OUTPUT_COMPARISON_H_
