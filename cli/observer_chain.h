// Several observers of one run.
#ifndef ONNXCMP_CLI_OBSERVER_CHAIN_H_
#define ONNXCMP_CLI_OBSERVER_CHAIN_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp::cli {

// Calls each in turn, at a node's end the last one first, so that the time measured by the last one
// excludes the others. The observers must outlive the chain.
class ObserverChain : public Observer {
 public:
  explicit ObserverChain(std::vector<Observer*> observers) : observers_(std::move(observers)) {}

  void OnNodeStart(const NodeStart& start) override {
    for (Observer* observer : observers_) {
      observer->OnNodeStart(start);
    }
  }
  void OnNodeEnd(const NodeEnd& end) override {
    for (auto observer = observers_.rbegin(); observer != observers_.rend(); ++observer) {
      (*observer)->OnNodeEnd(end);
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
