#include "compare/alignment/rules.h"

#include <cstddef>

#include "compare/alignment/weights.h"

namespace onnxcmp {
namespace {

using enum PairStage;

// Aligner: results that one queue scores by values, producers, uses and labels (weights.h).
// Recordings: claims on one recorded result, which beat the aligner's.
constexpr RuleRow kRules[] = {
    {Rule::kNone, "none", "nothing", 0},
    {Rule::kInputs, "inputs", "equal inputs, by name first", 0, Mark::kNothing, kValues},
    {Rule::kOutputRows, "output rows", "outputs: values, names, order", 0, Mark::kNothing, kValues},
    {Rule::kAnchors, "anchors", "rich contents that occur once", weights::kAnchor, Mark::kNothing,
     kValues},
    {Rule::kSurroundings, "surroundings", "neighbours of pairs, and their values", weights::kSure,
     Mark::kNothing, kValues},
    {Rule::kGroups, "groups", "the i-th of a content with the i-th", weights::kPlausibleValue,
     Mark::kNothing, kValues},
    {Rule::kNear, "near", "near values", weights::kBarelyNear, Mark::kNothing, kValues},
    {Rule::kElements, "elements", "the same elements in another shape or order",
     weights::kSameElements, Mark::kNothing, kValues},
    {Rule::kInputNames, "inputs by name", "names of inputs fed with other values", 0,
     Mark::kNothing, kStructure},
    {Rule::kStructure, "structure", "the same operator between paired neighbours",
     weights::kStructural, Mark::kNothing, kStructure},
    {Rule::kLeaves, "leaves and copies", "equal contents, copies with any result",
     weights::kPlausibleValue, Mark::kNothing, kValues},
    {Rule::kSettling, "settling", "structure, unless a rival scores as much", weights::kStructural,
     Mark::kNothing, kStructure},
    {Rule::kGaps, "gaps", "alone between the same pairs", 0, Mark::kNothing, kGaps},
    {Rule::kResized, "resized", "the same graph at another size", weights::kStructural,
     Mark::kNothing, kStructure},
    {Rule::kReconvergence, "reconvergence", "a next result that is nearer", 0, Mark::kNothing,
     kValues},
    {Rule::kMerging, "merging", "the partner of an equal result", 0, Mark::kMerged},
    {.rule = Rule::kLayouts,
     .name = "layouts",
     .looks_at = "elements in another order: channels last, blocks, other rows, another shape",
     .points = 100,
     .runs = true},
    {Rule::kGiven, "given", "a pair that the user gave", 99, Mark::kGiven},
    {.rule = Rule::kEntries,
     .name = "entries",
     .looks_at = "one entry along the other's first axis",
     .points = 98,
     .mark = Mark::kEntry,
     .runs = true},
    {.rule = Rule::kNames,
     .name = "names",
     .looks_at = "the name of an output, a result, a module, or part of one",
     .points = 80,
     .mark = Mark::kNamed},
    {.rule = Rule::kValues,
     .name = "values",
     .looks_at = "near values, of equally near ones the namesake",
     .points = 80},
    {.rule = Rule::kPlaces,
     .name = "places",
     .looks_at = "alone of its shape between paired neighbours; the last is the output",
     .points = 80,
     .mark = Mark::kPlaced},
    {.rule = Rule::kInside,
     .name = "inside nodes",
     .looks_at = "steps inside of an operator, parts of constants",
     .points = 95,
     .beside = true,
     .runs = true},
    {.rule = Rule::kBeforeLayers,
     .name = "before layers",
     .looks_at = "a factor and an offset for each channel, an activation",
     .points = 94,
     .beside = true,
     .runs = true},
    {.rule = Rule::kKeptAsIntegers,
     .name = "kept as integers",
     .looks_at = "integers of the model, by their scale and zero point",
     .points = 93,
     .beside = true,
     .runs = true},
    {.rule = Rule::kIntegers,
     .name = "integers",
     .looks_at = "recorded integers, by the scale and zero point that fit",
     .points = 92,
     .beside = true,
     .runs = true},
    {.rule = Rule::kSlices,
     .name = "slices",
     .looks_at = "one of equal parts along an axis",
     .points = 91,
     .beside = true,
     .runs = true},
    {.rule = Rule::kFrame,
     .name = "frame",
     .looks_at = "near values in a run of the model on what was recorded",
     .points = 90,
     .mark = Mark::kRepaired,
     .runs = true},
    {.rule = Rule::kFrameSteps,
     .name = "steps in frame",
     .looks_at = "steps inside of and before nodes in such a run",
     .points = 91,
     .beside = true,
     .runs = true},
    {.rule = Rule::kRepair,
     .name = "repair",
     .looks_at = "results that agree after a fault is mended",
     .points = 97,
     .mark = Mark::kRepaired,
     .runs = true},
};

constexpr bool AreInOrderOfEnumerators() {
  size_t next = 0;
  for (const RuleRow& row : kRules) {
    if (static_cast<size_t>(row.rule) != next++) return false;
  }
  return true;
}
static_assert(AreInOrderOfEnumerators());

}  // namespace

absl::Span<const RuleRow> AllRules() { return kRules; }

const RuleRow& RowOfRule(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

}  // namespace onnxcmp
