#include "tests/support/model_test.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {

absl::StatusOr<Evaluator> EvaluatorFromText(absl::string_view text, const OpRegistry& registry,
                                            const EvaluatorOptions& options) {
  OC_ASSIGN_OR_RETURN(auto model, LoadModelFromText(text, registry));
  return Evaluator::Create(std::move(model), registry, options);
}

absl::StatusOr<Evaluator> EvaluatorFromText(absl::string_view text,
                                            const EvaluatorOptions& options) {
  return EvaluatorFromText(text, Registry(), options);
}

absl::StatusOr<std::vector<Value>> RunText(absl::string_view text, const Feeds& feeds,
                                           Observer* observer, const EvaluatorOptions& options) {
  OC_ASSIGN_OR_RETURN(const Evaluator evaluator, EvaluatorFromText(text, options));
  return evaluator.Run(feeds, observer);
}

absl::StatusOr<Tensor> TensorAt(const absl::StatusOr<std::vector<Value>>& outputs, size_t index) {
  OC_RETURN_IF_ERROR(outputs.status());
  if (index >= outputs->size() || !(*outputs)[index].is_tensor()) {
    return absl::OutOfRangeError(absl::StrCat("output ", index, " is no tensor"));
  }
  return (*outputs)[index].tensor();
}

absl::Status Recorder::OnResult(const Result& result, std::optional<Value>* /*replacement*/) {
  entries_.push_back({result.kind, std::string(result.name),
                      result.node == nullptr ? "" : result.node->op_type, std::string(result.path),
                      result.depth, result.value});
  return absl::OkStatus();
}

std::vector<std::string> Recorder::Lines() const {
  std::vector<std::string> lines;
  for (const Entry& entry : entries_) {
    std::string line = absl::StrCat(ResultKindName(entry.kind), " ", entry.name);
    if (!entry.op_type.empty()) absl::StrAppend(&line, " ", entry.op_type);
    if (!entry.path.empty()) absl::StrAppend(&line, " ", entry.path);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace onnxcmp::testing
