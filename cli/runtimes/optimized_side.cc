#include "cli/runtimes/optimized_side.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compare/sides/recording_side.h"
#include "evaluator/base/status_macros.h"
#include "record/runtimes/model_files.h"
#include "record/runtimes/runtime_spec.h"

namespace onnxcmp::cli {

absl::StatusOr<std::unique_ptr<RuntimeSide>> OpenOptimized(const Model& model,
                                                           std::shared_ptr<Runtime> runtime,
                                                           const OpRegistry& registry,
                                                           const LoadOptions& load,
                                                           const EvaluatorOptions& running) {
  // The first one's folder has the model.
  struct Both {
    Both(std::shared_ptr<Runtime> optimizing, RuntimeSpec spec, RuntimeOptions options)
        : first(std::move(optimizing)), second(std::move(spec), std::move(options)) {}

    std::shared_ptr<Runtime> first;
    Runtime second;
  };
  OC_ASSIGN_OR_RETURN(const RuntimeInfo info, runtime->Start());
  if (!IsBinaryFile(model)) {
    return absl::InvalidArgumentError("--fused needs a model in a binary file");
  }
  if (!info.can_optimize) {
    return absl::InvalidArgumentError(
        absl::StrCat("--fused: ", info.name, " cannot write the models that it has optimized"));
  }
  OC_ASSIGN_OR_RETURN(const std::string file, runtime->NewFile(".onnx"));
  OC_ASSIGN_OR_RETURN(const RuntimeSession session, runtime->Load(model.path, {}, file));
  runtime->Unload(session);
  OC_ASSIGN_OR_RETURN(std::unique_ptr<Side> side, OpenSide(file, registry, load, running));
  RuntimeSpec spec = runtime->spec();
  std::erase_if(spec.options, [](const auto& option) { return option.first == "optimization"; });
  spec.options.emplace_back("optimization", "none");
  RuntimeOptions options = runtime->options();
  const auto both = std::make_shared<Both>(std::move(runtime), std::move(spec), std::move(options));
  return RuntimeSide::Create(std::move(side), std::shared_ptr<Runtime>(both, &both->second),
                             absl::StrCat(model.path, " as optimized"));
}

}  // namespace onnxcmp::cli
