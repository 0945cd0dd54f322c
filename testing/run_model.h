// Running a model in a test.
#ifndef ONNXCMP_TESTING_RUN_MODEL_H_
#define ONNXCMP_TESTING_RUN_MODEL_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "testing/test_model.h"

namespace onnxcmp::testing {

struct RunOptions {
  const OpRegistry* registry = nullptr;  // null: all operators (ops/operators.h)
  LoadOptions load = {};
  EvaluatorOptions evaluator = {};
};

// The graph's outputs in their order.
class ModelOutputs {
 public:
  ModelOutputs(std::vector<std::string> names, std::vector<Value> values)
      : names_(std::move(names)), values_(std::move(values)) {}

  size_t size() const { return values_.size(); }
  const std::string& name(size_t i) const { return names_[i]; }
  const Value& operator[](size_t i) const { return values_[i]; }
  // Null if no output has this name.
  const Value* Find(absl::string_view name) const;

 private:
  std::vector<std::string> names_;
  std::vector<Value> values_;
};

// The text that GoogleTest prints: "y float[2], z int64[]"; or the error.
void PrintTo(const ModelOutputs& outputs, std::ostream* os);
void PrintTo(const absl::StatusOr<ModelOutputs>& outputs, std::ostream* os);

// Loads the model and runs it on values for its inputs by name (Evaluator::Run). Errors as those of
// LoadModel() and Evaluator.
absl::StatusOr<ModelOutputs> RunModel(const TestModel& model, const Feeds& feeds,
                                      const RunOptions& options = {});

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTING_RUN_MODEL_H_
