#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/read_model.h"
#include "feed/input_sets.h"
#include "onnx/onnx_pb.h"
#include "reports/render_csv.h"
#include "reports/render_html.h"
#include "reports/render_json.h"
#include "reports/render_junit.h"
#include "reports/render_markdown.h"
#include "reports/render_table.h"
#include "tests/fuzz/limits.h"
#include "tests/fuzz/mutate_model.h"
#include "tests/fuzz/targets.h"
#include "tools/classic/classic_alignment.h"
#include "tools/classic/classic_nodes.h"
#include "tools/classic/classic_stream.h"
#include "tools/classic/classic_table.h"

namespace onnxcmp::fuzz {
namespace {

// As `onnxcmp LEFT RIGHT` does it; the reports are made and thrown away.
absl::Status CompareSides(ModelSide& left, ModelSide& right) {
  InputOptions inputs;
  inputs.generated = LimitedInputs();
  OC_ASSIGN_OR_RETURN(InputSets sets, InputSets::Open(left.graph(), right.graph(), inputs));
  OC_ASSIGN_OR_RETURN(FedInputs fed, sets.Get(0));
  left.SetFeeds(std::move(fed.left));
  right.SetFeeds(std::move(fed.right));
  CompareOptions options;
  options.threads = 1;
  // So little that values are computed again.
  options.keep_values = 4096;
  for (const bool in_depth : {false, true}) {
    options.shadow = in_depth;
    options.explain = in_depth ? "0" : "";
    OC_ASSIGN_OR_RETURN(const Comparison comparison, Compare(left, right, options));
    OC_RETURN_IF_ERROR(CheckJson(RenderJson(comparison)));
    OC_RETURN_IF_ERROR(CheckJson(PageData(comparison, {})));
    RenderCsv(comparison);
    RenderJunit(comparison);
    RenderMarkdown(comparison);
    for (const auto rows : {TableOptions::Rows::kFolded, TableOptions::Rows::kAll}) {
      RenderTable(comparison, {.width = 80, .color = in_depth, .ascii = in_depth, .rows = rows});
    }
    RenderTable(comparison, {.only_not_finite = true});
  }
  return absl::OkStatus();
}

absl::Status PrintClassic(const std::vector<ClassicRow>& left, const std::vector<ClassicRow>& right,
                          bool keep_tensors) {
  OC_ASSIGN_OR_RETURN(const std::vector<ClassicStep> steps, AlignClassic(left, right));
  ClassicTable(left, right, steps, {.column_size = 60, .keep_tensors = keep_tensors});
  return absl::OkStatus();
}

std::vector<ClassicRow> ClassicRows(const ModelSide& side) {
  ClassicStream stream(/*keep_tensors=*/true, /*pool=*/nullptr);
  side.evaluator()->Run(*side.feeds(), stream.observer()).IgnoreError();
  return stream.TakeRows();
}

absl::Status CompareClassically(const std::array<std::unique_ptr<ModelSide>, 2>& sides,
                                const std::array<std::string, 2>& models) {
  OC_RETURN_IF_ERROR(PrintClassic(ClassicRows(*sides[0]), ClassicRows(*sides[1]), true));
  std::array<std::vector<ClassicRow>, 2> rows;
  for (size_t i = 0; i < 2; ++i) {
    onnx::ModelProto model;
    if (!model.ParseFromString(models[i])) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(rows[i], ClassicNodeRows(model, nullptr));
  }
  return PrintClassic(rows[0], rows[1], false);
}

}  // namespace

absl::Status CompareModels(uint64_t seed, absl::string_view bytes) {
  const auto model = ReadModelBytes(bytes, /*max_depth=*/64);
  if (!model.ok()) return absl::OkStatus();
  std::array<std::string, 2> models = {(*model)->SerializeAsString(), ""};
  ModelMutator(seed).Mutate(model->get());
  models[1] = (*model)->SerializeAsString();
  std::array<std::unique_ptr<ModelSide>, 2> sides;
  for (size_t i = 0; i < 2; ++i) {
    const auto loaded = LoadModelFromBytes(models[i], Registry(), LimitedLoad());
    if (!loaded.ok()) return Mistake(loaded.status());
    auto side = ModelSide::Create(*loaded, Registry(), LimitedRun());
    if (!side.ok()) return Mistake(side.status());
    sides[i] = *std::move(side);
  }
  OC_RETURN_IF_ERROR(Mistake(CompareSides(*sides[0], *sides[1])));
  return Mistake(CompareClassically(sides, models));
}

absl::Status CompareModels(absl::string_view bytes) {
  uint64_t seed = 0;
  if (bytes.size() < sizeof(seed)) return absl::OkStatus();
  std::memcpy(&seed, bytes.data(), sizeof(seed));
  return CompareModels(seed, bytes.substr(sizeof(seed)));
}

}  // namespace onnxcmp::fuzz
