#include "tests/support/test_folder.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "tools/backend_tests/backend_test.h"

namespace onnxcmp::testing {
namespace {

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

absl::StatusOr<std::vector<std::string>> RunTestFolder(const std::string& folder,
                                                       const OpRegistry& registry,
                                                       const EvaluatorOptions& options,
                                                       const Tolerance& tolerance) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model,
                      LoadModel(absl::StrCat(folder, "/model.onnx"), registry));
  OC_ASSIGN_OR_RETURN(const Evaluator evaluator, Evaluator::Create(model, registry, options));
  const Graph& graph = model->graph;
  std::vector<std::string> mismatches;
  for (int set = 0;; ++set) {
    const std::string data = absl::StrCat(folder, "/test_data_set_", set);
    if (!Exists(data)) {
      if (set > 0) return mismatches;
      return absl::NotFoundError(absl::StrCat("no test data in ", folder));
    }
    OC_ASSIGN_OR_RETURN(std::vector<Value> inputs,
                        ReadTestValues(absl::StrCat(data, "/input_"), graph.inputs));
    OC_ASSIGN_OR_RETURN(const std::vector<Value> want,
                        ReadTestValues(absl::StrCat(data, "/output_"), graph.outputs));
    if (want.empty() || want.size() != graph.outputs.size()) {
      return absl::NotFoundError(
          absl::StrCat(data, " has ", want.size(), " of ", graph.outputs.size(), " outputs"));
    }
    Feeds feeds;
    for (size_t i = 0; i < inputs.size(); ++i) {
      feeds[graph.inputs[i].name] = std::move(inputs[i]);
    }
    OC_ASSIGN_OR_RETURN(const std::vector<Value> got, evaluator.Run(feeds));
    for (size_t i = 0; i < want.size(); ++i) {
      Tolerance own = tolerance;
      // Two units in the last place, as ONNX's runner has it.
      if (want[i].is_tensor() && want[i].tensor().dtype() == DType::kBfloat16) {
        own.rtol = std::max(own.rtol, kBackendTestBfloat16);
      }
      if (std::optional<std::string> mismatch = Mismatch(got[i], want[i], own)) {
        mismatches.push_back(
            absl::StrCat("data set ", set, ", output ", graph.outputs[i].name, ": ", *mismatch));
      }
    }
  }
}

}  // namespace onnxcmp::testing
