#include "generate/decoder_side.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compare/sides/runtime_side.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/evaluator.h"
#include "record/runtimes/runtime.h"

namespace onnxcmp {
namespace {

// A model that a runtime has loaded once; loaded again if its process is gone.
class RuntimeModel {
 public:
  RuntimeModel(std::shared_ptr<Runtime> runtime, const Model& model)
      : runtime_(std::move(runtime)), model_(model) {}

  absl::StatusOr<std::vector<Value>> Run(const Feeds& feeds) {
    if (!loaded_) {
      OC_ASSIGN_OR_RETURN(session_, runtime_->Load(model_.path, {}));
      loaded_ = true;
    }
    absl::StatusOr<RuntimeValues> values = runtime_->Run(session_, feeds);
    if (!values.ok()) {
      loaded_ = false;
      return values.status();
    }
    std::vector<Value> outputs;
    for (const ValueInfo& output : model_.graph.outputs) {
      OC_ASSIGN_OR_RETURN(Value value, runtime_->Read(*values, output.name));
      outputs.push_back(std::move(value));
    }
    runtime_->Remove(*values);
    return outputs;
  }

 private:
  const std::shared_ptr<Runtime> runtime_;
  const Model& model_;
  RuntimeSession session_;
  bool loaded_ = false;
};

}  // namespace

absl::StatusOr<Decoder::RunModel> RunnerOf(Side& side) {
  const Evaluator* const evaluator = side.evaluator();
  if (evaluator == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(side.summary().source, " is a recording: only models can take steps"));
  }
  if (const auto* runtime = dynamic_cast<RuntimeSide*>(&side)) {
    const auto model = std::make_shared<RuntimeModel>(runtime->runtime(), evaluator->model());
    return Decoder::RunModel([model](const Feeds& feeds) { return model->Run(feeds); });
  }
  return Decoder::RunModel([evaluator](const Feeds& feeds) { return evaluator->Run(feeds); });
}

}  // namespace onnxcmp
