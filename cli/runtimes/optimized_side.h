// A model as a runtime has optimized it, in the place of the model.
#ifndef ONNXCMP_CLI_RUNTIMES_OPTIMIZED_SIDE_H_
#define ONNXCMP_CLI_RUNTIMES_OPTIMIZED_SIDE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "compare/sides/runtime_side.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "record/runtimes/runtime.h"

namespace onnxcmp::cli {

// It runs in the runtime without any further optimization. InvalidArgument for a model that is not
// in a binary file, and for a runtime that cannot write what it has optimized.
absl::StatusOr<std::unique_ptr<RuntimeSide>> OpenOptimized(const Model& model,
                                                           std::shared_ptr<Runtime> runtime,
                                                           const OpRegistry& registry,
                                                           const LoadOptions& load,
                                                           const EvaluatorOptions& running);

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_RUNTIMES_OPTIMIZED_SIDE_H_
