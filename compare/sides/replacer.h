// Replaces results of the main graph by given values while a model runs.
#ifndef ONNXCMP_COMPARE_SIDES_REPLACER_H_
#define ONNXCMP_COMPARE_SIDES_REPLACER_H_

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

class Replacer : public Observer {
 public:
  // By name. The names must outlive the object.
  explicit Replacer(absl::flat_hash_map<absl::string_view, Value> values)
      : values_(std::move(values)) {}

  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
    if (result.depth > 0 || result.kind == ResultKind::kOutput) return absl::OkStatus();
    const auto it = values_.find(result.name);
    if (it != values_.end()) *replacement = it->second;
    return absl::OkStatus();
  }

 private:
  absl::flat_hash_map<absl::string_view, Value> values_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_REPLACER_H_
