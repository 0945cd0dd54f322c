#include "testing/run_model.h"

#include <memory>
#include <optional>

#include "evaluator/base/status_macros.h"
#include "ops/operators.h"

namespace onnxcmp::testing {

const Value* ModelOutputs::Find(absl::string_view name) const {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return &values_[i];
  }
  return nullptr;
}

void PrintTo(const ModelOutputs& outputs, std::ostream* os) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    *os << (i == 0 ? "" : ", ") << outputs.name(i) << " " << outputs[i].TypeString();
  }
}

void PrintTo(const absl::StatusOr<ModelOutputs>& outputs, std::ostream* os) {
  if (outputs.ok()) {
    PrintTo(*outputs, os);
  } else {
    *os << outputs.status();
  }
}

absl::StatusOr<ModelOutputs> RunModel(const TestModel& model, const Feeds& feeds,
                                      const RunOptions& options) {
  std::optional<OpRegistry> all;
  if (options.registry == nullptr) all = AllOperators();
  const OpRegistry& registry = all.has_value() ? *all : *options.registry;
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> loaded,
                      model.Load(registry, options.load));
  OC_ASSIGN_OR_RETURN(const Evaluator evaluator,
                      Evaluator::Create(loaded, registry, options.evaluator));
  OC_ASSIGN_OR_RETURN(std::vector<Value> values, evaluator.Run(feeds));
  std::vector<std::string> names;
  for (const ValueInfo& output : loaded->graph.outputs) names.push_back(output.name);
  return ModelOutputs(std::move(names), std::move(values));
}

}  // namespace onnxcmp::testing
