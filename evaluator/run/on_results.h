// An observer that is one function, or two.
#ifndef ONNXCMP_EVALUATOR_RUN_ON_RESULTS_H_
#define ONNXCMP_EVALUATOR_RUN_ON_RESULTS_H_

#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Calls the function for every result, as Observer::OnResult is called, and the other one for every
// graph that starts.
class OnResults final : public Observer {
 public:
  using Function =
      std::function<absl::Status(const Result& result, std::optional<Value>* replacement)>;

  using GraphFunction = std::function<void(const GraphStart& start)>;

  explicit OnResults(Function function, GraphFunction on_graph = nullptr)
      : function_(std::move(function)), on_graph_(std::move(on_graph)) {}

  void OnGraphStart(const GraphStart& start) override {
    if (on_graph_) on_graph_(start);
  }

  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
    return function_(result, replacement);
  }

 private:
  Function function_;
  GraphFunction on_graph_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_RUN_ON_RESULTS_H_
