// An observer of results that is one function.
#ifndef ONNXCMP_EVALUATOR_RUN_ON_RESULTS_H_
#define ONNXCMP_EVALUATOR_RUN_ON_RESULTS_H_

#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Calls the function for every result, as Observer::OnResult is called.
class OnResults final : public Observer {
 public:
  using Function =
      std::function<absl::Status(const Result& result, std::optional<Value>* replacement)>;

  explicit OnResults(Function function) : function_(std::move(function)) {}

  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
    return function_(result, replacement);
  }

 private:
  Function function_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_RUN_ON_RESULTS_H_
