// Several observers of one run.
#ifndef ONNXCMP_CLI_OBSERVER_CHAIN_H_
#define ONNXCMP_CLI_OBSERVER_CHAIN_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "evaluator/result.h"
#include "evaluator/status_macros.h"

namespace onnxcmp::cli {

// Calls each in turn. The observers outlive the chain.
class ObserverChain : public Observer {
 public:
  explicit ObserverChain(std::vector<Observer*> observers) : observers_(std::move(observers)) {}

  void OnNodeStart(const NodeStart& start) override {
    for (Observer* observer : observers_) {
      observer->OnNodeStart(start);
    }
  }
  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
    for (Observer* observer : observers_) {
      OC_RETURN_IF_ERROR(observer->OnResult(result, replacement));
    }
    return absl::OkStatus();
  }

 private:
  std::vector<Observer*> observers_;
};

}  // namespace onnxcmp::cli

#endif  // ONNXCMP_CLI_OBSERVER_CHAIN_H_
