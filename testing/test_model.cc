#include "testing/test_model.h"

#include <utility>

#include "absl/status/status.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp::testing {

TestModel::TestModel(Loader loader) : loader_(std::move(loader)) {}

TestModel::TestModel(std::string path)
    : loader_([path = std::move(path)](const OpRegistry& registry, const LoadOptions& load) {
        return LoadModel(path, registry, load);
      }) {}

TestModel::TestModel(const onnx::ModelProto& proto, const std::string& folder) {
  auto bytes = std::make_shared<std::string>();
  const bool written = proto.SerializeToString(bytes.get());
  loader_ = [bytes, folder, written](
                const OpRegistry& registry,
                const LoadOptions& load) -> absl::StatusOr<std::shared_ptr<const Model>> {
    if (!written) {
      return absl::InvalidArgumentError(
          "the model's message cannot be serialized: it is over 2 GB");
    }
    return LoadModelFromBytes(*bytes, registry, load, folder);
  };
}

TestModel::TestModel(std::shared_ptr<const Model> model)
    : TestModel(absl::StatusOr<std::shared_ptr<const Model>>(std::move(model))) {}

TestModel::TestModel(absl::StatusOr<std::shared_ptr<const Model>> model) {
  if (model.ok() && *model == nullptr) model = absl::InvalidArgumentError("the model is null");
  loader_ = [model = std::move(model)](const OpRegistry& /*registry*/,
                                       const LoadOptions& /*load*/) { return model; };
}

TestModel::TestModel(const Model& model)
    : TestModel(std::shared_ptr<const Model>(std::shared_ptr<const Model>(), &model)) {}

absl::StatusOr<std::shared_ptr<const Model>> TestModel::Load(const OpRegistry& registry,
                                                             const LoadOptions& load) const {
  return loader_(registry, load);
}

TestModel ModelText(absl::string_view text) {
  return TestModel(TestModel::Loader(
      [text = std::string(text)](const OpRegistry& registry, const LoadOptions& load) {
        return LoadModelFromText(text, registry, load);
      }));
}

}  // namespace onnxcmp::testing
