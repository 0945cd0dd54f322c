// The nodes of one rewrite, cut out of both models.
#ifndef ONNXCMP_COMPARE_INPUT_SETS_REWRITE_MODELS_H_
#define ONNXCMP_COMPARE_INPUT_SETS_REWRITE_MODELS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "compare/base/per_side.h"
#include "compare/outcome/comparison.h"
#include "compare/proof/rewrites.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// Two models with the same inputs and outputs in the same order, in the shapes of the run;
// constants are each side's own. Unimplemented if what the two sides read is not the same, or for
// nodes in bodies or with bodies.
absl::StatusOr<PerSide<std::shared_ptr<const Model>>> CutRewrite(
    const PerSide<const Model*>& models, const Comparison& comparison, const Rewrite& rewrite);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUT_SETS_REWRITE_MODELS_H_
