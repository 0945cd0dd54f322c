// The nodes of one rewrite, cut out of both models.
#ifndef ONNXCMP_PROVE_TRIALS_REWRITE_MODELS_H_
#define ONNXCMP_PROVE_TRIALS_REWRITE_MODELS_H_

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "compare/outcome/comparison.h"
#include "evaluator/model/model.h"
#include "prove/rewrites.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Two models with the same inputs and outputs in the same order, in the shapes of the run;
// constants are each side's own. Where the two sides of the rewrite read other values, the nodes
// before them are in the models, too, from what both have. Unimplemented if there is nothing such,
// or for nodes in bodies or with bodies. `shapes`: a comparison at other sizes, which the models
// have instead; null: those of `comparison`.
absl::StatusOr<PerSide<std::shared_ptr<const Model>>> CutRewrite(
    const PerSide<const Model*>& models, const Comparison& comparison, const RewritePlace& place,
    const Comparison* shapes = nullptr);

// The first pair that depends on a rewrite on both sides; nothing if there is none. A pair may be
// one by chance, as LeakyRelu(x) and 0.1 x of numbers that are all negative: then both sides agree
// at the next one again.
std::optional<RewritePlace> NextBehind(const Comparison& comparison, const RewritePlace& place);

// The models of `next`, in which the pairs of `place` are computed, too.
absl::StatusOr<PerSide<std::shared_ptr<const Model>>> CutWithNext(
    const PerSide<const Model*>& models, const Comparison& comparison, const RewritePlace& place,
    const RewritePlace& next, const Comparison* shapes = nullptr);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_TRIALS_REWRITE_MODELS_H_
