#include <memory>
#include <utility>
#include <vector>

#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "evaluator/run/evaluator.h"
#include "feed/generated_targets.h"
#include "ops/operators.h"
#include "tests/fuzz/limits.h"
#include "tests/fuzz/targets.h"

namespace onnxcmp::fuzz {
namespace {

absl::Status Run(absl::string_view bytes, const LoadOptions& load,
                 const EvaluatorOptions& options) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model,
                      LoadModelFromBytes(bytes, Registry(), load));
  OC_ASSIGN_OR_RETURN(const Evaluator evaluator, Evaluator::Create(model, Registry(), options));
  OC_ASSIGN_OR_RETURN(std::vector<NamedValue> values,
                      GenerateInputs(model->graph, LimitedInputs()));
  Feeds feeds;
  for (NamedValue& value : values) feeds[value.name] = std::move(value.value);
  return evaluator.Run(feeds).status();
}

}  // namespace

const OpRegistry& Registry() {
  static const OpRegistry* const kRegistry = new OpRegistry(AllOperators());
  return *kRegistry;
}

absl::Status RunModel(absl::string_view bytes) {
  LoadOptions load = LimitedLoad();
  EvaluatorOptions options = LimitedRun();
  OC_RETURN_IF_ERROR(Mistake(Run(bytes, load, options)));
  options.expand_functions = true;
  OC_RETURN_IF_ERROR(Mistake(Run(bytes, load, options)));
  load.functions = Functions::kKeep;
  options.expand_functions = false;
  options.in_double = true;
  return Mistake(Run(bytes, load, options));
}

}  // namespace onnxcmp::fuzz
