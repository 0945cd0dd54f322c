// A model as a test has it: in a file, in memory, as text.
#ifndef ONNXCMP_TESTING_TEST_MODEL_H_
#define ONNXCMP_TESTING_TEST_MODEL_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/model.h"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace onnxcmp::testing {

// The model that a function of this library takes. Nothing is loaded before it is needed, and a
// model that cannot be loaded fails the test that needs it.
class TestModel {
 public:
  // A file, .onnx or .onnxtxt.
  TestModel(std::string path);  // NOLINT(google-explicit-constructor): a path is a model here
  TestModel(const char* path) : TestModel(std::string(path)) {}  // NOLINT: the same
  // A message, which may change or go once this returns. Its external data lie in `folder`; "": it
  // has none.
  TestModel(const onnx::ModelProto& proto, const std::string& folder = "");  // NOLINT: the same
  // A model that is loaded already, and what LoadModel() returns.
  TestModel(std::shared_ptr<const Model> model);                  // NOLINT: the same
  TestModel(absl::StatusOr<std::shared_ptr<const Model>> model);  // NOLINT: the same
  // The same; the model must outlive this.
  TestModel(const Model& model);  // NOLINT: the same

  // `load` counts for what is not loaded yet. Errors as those of LoadModel().
  absl::StatusOr<std::shared_ptr<const Model>> Load(const OpRegistry& registry,
                                                    const LoadOptions& load) const;

 private:
  using Loader = std::function<absl::StatusOr<std::shared_ptr<const Model>>(const OpRegistry&,
                                                                            const LoadOptions&)>;
  explicit TestModel(Loader loader);
  friend TestModel ModelText(absl::string_view text);

  Loader loader_;
};

// A model in ONNX's text form:
//   ModelText(R"(<ir_version: 10, opset_import: ["": 21]>
//                g (float[n] x) => (float[n] y) { y = Relu(x) })")
TestModel ModelText(absl::string_view text);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTING_TEST_MODEL_H_
