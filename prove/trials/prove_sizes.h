// Proves two models equal at the sizes of a comparison, and at others where dimensions are free.
#ifndef ONNXCMP_PROVE_TRIALS_PROVE_SIZES_H_
#define ONNXCMP_PROVE_TRIALS_PROVE_SIZES_H_

#include <optional>
#include <string>

#include "compare/compare.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/proof_report.h"
#include "compare/sides/side.h"
#include "feed/input_sets.h"
#include "prove/prove.h"
#include "record/base/per_side.h"

namespace onnxcmp {

struct ComparedSizes {
  std::string sizes;  // "batch 3, sequence 7"
  Comparison comparison;
};

// Compares once at small sizes other than those that the sides are fed; they have these inputs
// afterwards. Nothing if no dimension is free, or neither side runs there.
std::optional<ComparedSizes> CompareAtOtherSizes(const PerSide<Side*>& sides, InputSets& inputs,
                                                 const CompareOptions& compare);

// ProveEqual(), and if that proves it and `inputs`, which are made up, have free dimensions, once
// more at small other sizes: the report's `sizes`. `inputs` may be null. The sides keep their
// inputs.
ProofReport ProveOnSizes(const PerSide<Side*>& sides, const Comparison& comparison,
                         InputSets* inputs, const CompareOptions& compare,
                         const ProofOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_TRIALS_PROVE_SIZES_H_
