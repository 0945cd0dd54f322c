#include "cli/parts/given_model.h"

#include <memory>
#include <string>
#include <utility>

#include "cli/process/messages.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/model.h"
#include "feed/feeds.h"
#include "tools/parts/known_model.h"

namespace onnxcmp::cli {

void GivenModel::AddTo(CLI::App& app) {
  app.add_option("--inputs", inputs, "An .npz, or a folder of input_N.pb")
      ->group(kInputs)
      ->type_name("F");
  app.add_flag("--partial", partial, "Accept what the file has and the model lacks")
      ->group(kInputs);
  run.AddTo(app);
}

LoadOptions GivenModel::load() const {
  LoadOptions load = run.load();
  load.functions = Functions::kKeep;
  return load;
}

absl::StatusOr<FedModel> GivenModel::Read(const OpRegistry& registry) const {
  std::shared_ptr<const Model> model;
  OC_ASSIGN_OR_RETURN(model, LoadModel(path, registry, load()));
  OC_ASSIGN_OR_RETURN(MatchedFeeds matched, run.feeds(model->graph, inputs, partial));
  if (!run.quiet) {
    for (const std::string& note : matched.notes) PrintNote(note);
    if (const std::string note = run.Assumption(model->graph); !note.empty()) PrintNote(note);
  }
  model = nullptr;
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<onnx::ModelProto> proto,
                      ReadWholeModel(path, registry, load()));
  return FedModel{std::move(*proto), std::move(matched.feeds)};
}

CompareArguments GivenModel::Beside(const std::string& right) const {
  CompareArguments comparison;
  comparison.left = path;
  comparison.right = right;
  comparison.inputs.inputs = inputs;
  comparison.options.partial = partial;
  comparison.run = run;
  return comparison;
}

}  // namespace onnxcmp::cli
