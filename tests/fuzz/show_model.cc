// A model, and what ModelMutator makes of it, as `onnxcmp show` looks at them.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/read_model.h"
#include "onnx/onnx_pb.h"
#include "show/drawing.h"
#include "show/drawing_json.h"
#include "show/model/model_stats.h"
#include "show/model/node_selection.h"
#include "show/model/pair_nodes.h"
#include "show/model/read_shown_model.h"
#include "show/onnx_text.h"
#include "show/render_drawing.h"
#include "show/render_model_json.h"
#include "show/render_pair_text.h"
#include "show/render_stats.h"
#include "show/render_text.h"
#include "tests/fuzz/limits.h"
#include "tests/fuzz/mutate_model.h"
#include "tests/fuzz/scratch.h"
#include "tests/fuzz/targets.h"

namespace onnxcmp::fuzz {
namespace {

absl::Status ShowAll(const std::string& left_path, const std::string& right_path) {
  ShowOptions options;
  options.functions = Functions::kInline;
  OC_ASSIGN_OR_RETURN(ShownModel left, ReadShownModel(left_path, Registry(), options));
  const TableOptions look = {.width = 80, .ascii = true};
  const NodeSelection all;
  RenderModelText(left, all, look);
  CountOperations(&left);
  const ModelStats stats = StatsOf(left);
  RenderStats(left, stats, look);
  OC_RETURN_IF_ERROR(CheckJson(ModelJson(left, all)));
  OC_RETURN_IF_ERROR(CheckJson(StatsJson(left, stats)));
  const Drawing one = DrawModels({&left}, {}, {all});
  RenderSvg(one);
  RenderDrawingDot(one);
  OC_ASSIGN_OR_RETURN(const ShownModel right, ReadShownModel(right_path, Registry(), options));
  const std::vector<NodePair> pairs = PairNodes(left.graph, right.graph);
  OC_RETURN_IF_ERROR(CheckJson(PairJson(left, right, pairs)));
  RenderPairText(left, right, pairs, all, all, look);
  const Drawing both = DrawModels({&left, &right}, {pairs}, {all, all});
  OC_RETURN_IF_ERROR(CheckJson(DrawingJson(both)));
  RenderDrawingPage(both);
  return absl::OkStatus();
}

absl::Status KeepFunctions(const std::string& path) {
  OC_ASSIGN_OR_RETURN(const ShownModel model, ReadShownModel(path, Registry()));
  RenderModelText(model, {}, {.width = 80});
  return CheckJson(ModelJson(model, {}));
}

}  // namespace

absl::Status CheckJson(const std::string& text) {
  if (nlohmann::json::accept(text)) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("this is no JSON: ", text.substr(0, 1000)));
}

absl::Status ShowModel(absl::string_view bytes) {
  const auto model = ReadModelBytes(bytes, /*max_depth=*/64);
  if (!model.ok()) return absl::OkStatus();
  const Scratch scratch;
  const std::string left = scratch.Write("left.onnx", (*model)->SerializeAsString());
  ModelMutator(bytes.size()).Mutate(model->get());
  const std::string right = scratch.Write("right.onnx", (*model)->SerializeAsString());
  OC_RETURN_IF_ERROR(Mistake(KeepFunctions(left)));
  OC_RETURN_IF_ERROR(Mistake(ModelToOnnxText(left, {.data_name = "m.data"}).status()));
  return Mistake(ShowAll(left, right));
}

}  // namespace onnxcmp::fuzz
