// A runtime's outputs that differ although none of its nodes does alone.
#ifndef ONNXCMP_CLI_RUNTIMES_SECOND_LOOK_H_
#define ONNXCMP_CLI_RUNTIMES_SECOND_LOOK_H_

#include <memory>

#include "absl/status/statusor.h"
#include "compare/compare.h"
#include "compare/outcome/comparison.h"
#include "compare/sides/runtime_side.h"
#include "compare/sides/side.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "evaluator/run/evaluator.h"

namespace onnxcmp::cli {

struct SecondLook {
  Side& left;
  RuntimeSide& right;
  struct {
    const OpRegistry& registry;
    LoadOptions load;
    EvaluatorOptions running;
  } open;
  CompareOptions compare;
  bool fused = false;  // the right is the model as its runtime has optimized it
};

// Looks once more at a comparison that ended as different without a cause. The reason may be what
// the runtime computes only when it may fuse: then its own optimized model is compared on `feeds`,
// at the price of another run, and takes the place of the comparison if it tells why; that side is
// returned, since the comparison refers to it. Or the left rounds more than the right: then the
// outputs are accepted. Else the nodes that give something else together are searched.
absl::StatusOr<std::unique_ptr<RuntimeSide>> LookAgainAtRuntime(const SecondLook& look,
                                                                const Feeds& feeds,
                                                                Comparison* comparison);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_RUNTIMES_SECOND_LOOK_H_
