// Compares the outputs of two models, and recorded results.
#ifndef ONNXCMP_COMPARE_OUTPUTS_OUTPUT_COMPARISON_H_
#define ONNXCMP_COMPARE_OUTPUTS_OUTPUT_COMPARISON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "compare/alignment/alignment.h"
#include "compare/tolerances/pair_tolerance.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tolerance.h"
#include "record/differences/value_difference.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

struct NamedOutput {
  std::string name;
  Value value;
  int result = kNone;              // in the side's stream, if known
  std::string declared_type = {};  // "tensor(float)"; "": none, or the value's own
};

// The value of the output that is this result; empty if there is none.
Value ValueOf(absl::Span<const NamedOutput> outputs, int result);

// Why a step decides otherwise than the measured difference does: first objections, then excuses.
enum class Ground : uint8_t {
  kOrder,          // a recorded value has its rows or axes in another order, or one entry of them
  kUnrelated,      // two values are near each other and do not vary together
  kSignalToNoise,  // less than the type leaves, or than was asked for
  kLostPart,       // the noise of a conversion leaves nothing of a part
  kCause,          // a cause moves the pair farther than rounding explains
  kTies,           // ids at equal numbers, and what depends on them
  kHonestNoise,    // a conversion to a coarser type, and nothing else
  kNearer,         // the right rounds no worse than the left
};

// A ruling of a step; rulings.h makes and reads them.
struct Ruling {
  Ground ground = Ground::kOrder;
  std::string why;
  bool decides = false;  // the pair had been judged otherwise before
};

// How near the scores of ids that differ between two sides are to each other.
struct ScoreMargin {
  bool ties = true;  // no farther than twice the distance of both sides' scores, everywhere
  double apart = 0;  // at the ids that differ: the farthest of the nearer side's scores
  double moved = 0;  // the farthest that a score of these lines has moved between the sides
};

struct OutputPair {
  // True if the values agree as measured, or by the last ruling if there is one.
  bool agrees() const;

  std::string left;
  std::string right;
  int left_result = kNone;
  int right_result = kNone;
  std::string type;  // the left value's
  // A recorded result that is no output, but counts like one.
  bool recorded = false;
  bool entry = false;      // the recorded value is one entry of the other's first axis
  bool reordered = false;  // the recorded value has its rows in another order, in which all agree
  bool same_bits = false;
  bool ties = false;  // ids that differ where their scores tie, or results that depend on such ids
  std::string chosen_by;  // the node that chose other ids, if the pair is no such ids itself
  std::optional<ScoreMargin> margin;  // of these ids, if their scores are known
  // The signal to noise of another run of the converted side, with the other one's ids.
  std::optional<double> sqnr_with_ids;
  // It differs by the noise of a conversion to a coarser type alone: no node, weight or scale that
  // it is made with is farther off than rounding explains.
  bool honest_noise = false;
  // Signal to noise in decibels, if one side is a conversion of the other or a limit was given.
  std::optional<double> sqnr;
  ValueDifference difference;
  std::vector<Ruling> rulings;   // in order; the last one decides
  std::string tolerance_reason;  // PairTolerance::why
  // They are of unlike types, and agree by their values (--output-types).
  bool agree_by_value = false;
  // True if they agree within the tolerance of their own types, without what widened it (see
  // PairTolerance); and that tolerance's `whole`.
  bool within_own = true;
  double own_whole = 0;
  // How far mistakes move it, relative to its size, although it agrees; nothing if there are none.
  std::optional<double> moved;
};

struct OutputComparison {
  // True if there is a pair, all pairs agree or differ in an accepted way, and no result that
  // counts is left over.
  bool agree() const;

  // Accept unpaired outputs of a side, and single entries of a batch.
  bool partial = false;
  bool any_row_order = false;     // accept pairs that are reordered
  int64_t recorded = 0;           // number of recorded results that count
  std::vector<OutputPair> pairs;  // in the left side's order, outputs before recorded results
  std::vector<std::string> only_left;
  std::vector<std::string> only_right;
  std::vector<std::string> notes;  // declared types that differ from the values'
};

// Compares the outputs of two models, or the results of recordings that are known as outputs:
// paired by name, the rest by the alignment, then by position. `tolerances` and `alignment` may be
// null: then the element types decide, and names and positions.
OutputComparison CompareOutputs(absl::Span<const NamedOutput> left,
                                absl::Span<const NamedOutput> right,
                                const ToleranceOptions& options,
                                const PairTolerances* tolerances = nullptr,
                                const Alignment* alignment = nullptr);

// True if a pair agrees, or differs in an accepted way.
bool IsAccepted(const OutputComparison& comparison, const OutputPair& pair);

// True if there are pairs, and every output is all NaN on both sides or has no elements: then these
// inputs do not test the models.
bool TellsNothing(const OutputComparison& comparison);

// "1e-05 + 0.0001·max(|a|,|b|)"; "0" if values have to be equal.
std::string ToleranceText(const Tolerance& tolerance);

// How choices have changed a pair, as a clause.
std::string TiesText(const OutputPair& pair);

// The first few of them, and how many more there are.
std::string SomeOf(std::vector<std::string> names);

// Describes a pair in a line or two.
std::vector<std::string> DescribeOutput(const OutputPair& pair);

// Describes each pair, with the verdict as the last line.
std::vector<std::string> DescribeOutputs(const OutputComparison& comparison);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTPUTS_OUTPUT_COMPARISON_H_
