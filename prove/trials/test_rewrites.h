// Tests rewrites that are not proved by themselves, on inputs that no run of the models reached.
#ifndef ONNXCMP_PROVE_TRIALS_TEST_REWRITES_H_
#define ONNXCMP_PROVE_TRIALS_TEST_REWRITES_H_

#include <vector>

#include "compare/compare.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/proof_report.h"
#include "compare/sides/side.h"
#include "evaluator/kernels/op_registry.h"
#include "feed/input_sets.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// The comparison has the proof. Each rewrite that was only tested is run alone on zeros, ties,
// large and small numbers and the like, and where `sizes` has free dimensions at other sizes; those
// that differ there. `sizes` may be null. The sides keep their inputs.
std::vector<RewriteFault> TestRewrites(const PerSide<Side*>& sides, const Comparison& comparison,
                                       const OpRegistry& registry, const CompareOptions& options,
                                       InputSets* sizes);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_TRIALS_TEST_REWRITES_H_
