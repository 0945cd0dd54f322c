// The rules by which results are paired, a row each. A rule proposes claims; settle.h and the
// aligner's queue decide, the surest claim first.
#ifndef ONNXCMP_COMPARE_ALIGNMENT_RULES_H_
#define ONNXCMP_COMPARE_ALIGNMENT_RULES_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/alignment/alignment.h"

namespace onnxcmp {

enum class Rule : uint8_t {
  kNone,
  kInputs,
  kOutputRows,
  kAnchors,
  kSurroundings,
  kGroups,
  kNear,
  kElements,
  kInputNames,
  kStructure,
  kLeaves,
  kSettling,
  kGaps,
  kResized,
  kReconvergence,
  kMerging,
  kLayouts,
  kGiven,
  kEntries,
  kNames,
  kValues,
  kPlaces,
  kInside,
  kBeforeLayers,
  kKeptAsIntegers,
  kIntegers,
  kSlices,
  kFrame,
  kFrameSteps,
  kRepair,
};

// Evidence of a rule of the aligner, as far as its later stages distinguish it.
enum class PairStage : uint8_t { kUnpaired, kValues, kStructure, kGaps };

struct RuleRow {
  Rule rule = Rule::kNone;
  absl::string_view name;      // as --explain prints it
  absl::string_view looks_at;  // the evidence
  // Fewest points of a claim. Of claims on one result, the one with the most points stands.
  double points = 0;
  Mark mark = Mark::kNothing;  // of the rows that it makes
  PairStage stage = PairStage::kUnpaired;
  // The claimed result has no partner: its row stands beside the one that explains it.
  bool beside = false;
  bool runs = false;  // the rule reads values again, or runs the model
};

// In the order in which the rules are asked: those of the aligner, of recordings, of the search for
// causes. docs/alignment.md has the same rows.
absl::Span<const RuleRow> AllRules();
const RuleRow& RowOfRule(Rule rule);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_ALIGNMENT_RULES_H_
