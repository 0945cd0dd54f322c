// Whether a repro shows what the comparison showed.
#ifndef ONNXCMP_TESTS_COMPARE_CAUSES_REPRO_REPRODUCE_H_
#define ONNXCMP_TESTS_COMPARE_CAUSES_REPRO_REPRODUCE_H_

#include <memory>
#include <string>
#include <vector>

#include "compare/outcome/comparison.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"

namespace onnxcmp::testing {

// As it would be read from a file.
absl::StatusOr<std::shared_ptr<const Model>> Reloaded(const Model& model,
                                                      const LoadOptions& options = {});

// What a repro's models are fed.
Feeds FeedsOf(const Repro& repro);

// What is wrong with a cause's repro, a line each: ONNX's checker finds something, a model gives
// other values than it should, comparing both does not name the same result as a cause of the same
// kind, or not with the same difference. The models are serialized and loaded again.
std::vector<std::string> ReproProblems(const Comparison& comparison, const Cause& cause,
                                       const LoadOptions& options = {});

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_COMPARE_CAUSES_REPRO_REPRODUCE_H_
