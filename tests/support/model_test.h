// Runs models that tests write in ONNX's text syntax.
//
//   auto outputs = RunText(R"(<ir_version: 9, opset_import: ["": 18]>
//       g (float[n] x) => (float[n] y) { y = Add(x, x) })", {{"x", Tensor::Of<float>({1}, {2})}});
#ifndef ONNXCMP_TESTS_SUPPORT_MODEL_TEST_H_
#define ONNXCMP_TESTS_SUPPORT_MODEL_TEST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/run/result.h"

namespace onnxcmp::testing {

absl::StatusOr<Evaluator> EvaluatorFromText(absl::string_view text,
                                            const EvaluatorOptions& options = {.threads = 1});
absl::StatusOr<Evaluator> EvaluatorFromText(absl::string_view text, const OpRegistry& registry,
                                            const EvaluatorOptions& options = {.threads = 1});

absl::StatusOr<std::vector<Value>> RunText(absl::string_view text, const Feeds& feeds,
                                           Observer* observer = nullptr,
                                           const EvaluatorOptions& options = {.threads = 1});

// Output `index` as a tensor, an error if there is no such output or it is none.
absl::StatusOr<Tensor> TensorAt(const absl::StatusOr<std::vector<Value>>& outputs, size_t index);

// Keeps all results.
class Recorder : public Observer {
 public:
  struct Entry {
    ResultKind kind;
    std::string name;
    std::string op_type;  // "" unless a result
    std::string path;
    int depth;
    Value value;
  };

  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override;

  const std::vector<Entry>& entries() const { return entries_; }
  // "RESULT y Add loop[2]": kind, name, operator and path, as far as there are such.
  std::vector<std::string> Lines() const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_MODEL_TEST_H_
