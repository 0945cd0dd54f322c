// Tests rewrites that are not proved by themselves, on inputs that no run of the models reached.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_TEST_REWRITES_H_
#define ONNXCMP_COMPARE_INPUT_SETS_TEST_REWRITES_H_

#include <vector>

#include "compare/base/per_side.h"
#include "compare/compare.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/proof_report.h"
#include "compare/sides/side.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {

// The comparison has the proof. Each distinct rewrite that was tested alone is run on zeros, ties,
// large and small numbers and the like; those that differ there.
std::vector<RewriteFault> TestRewrites(const PerSide<Side*>& sides, const Comparison& comparison,
                                       const OpRegistry& registry, const CompareOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_TEST_REWRITES_H_
