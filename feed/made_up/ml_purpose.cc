#include "feed/made_up/ml_purpose.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/tensor.h"
#include "feed/made_up/known_keys.h"
#include "feed/made_up/traced_size.h"
#include "feed/made_up/tree_paths.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

double ElementOf(const Node& node, absl::string_view name, int64_t i, double otherwise) {
  const auto* numbers = AttributeOf<std::vector<float>>(node, name);
  if (numbers == nullptr || numbers->empty()) return otherwise;
  if (numbers->size() == 1) return (*numbers)[0];
  return i >= 0 && static_cast<size_t>(i) < numbers->size() ? (*numbers)[static_cast<size_t>(i)]
                                                            : otherwise;
}

// The input from which a scaler computes this number of a feature of the view.
double Before(const FeatureView& view, int64_t feature, double number) {
  if (view.scaler != nullptr) {
    const double scale = ElementOf(*view.scaler, "scale", view.scaled + feature, 1);
    const double offset = ElementOf(*view.scaler, "offset", view.scaled + feature, 0);
    if (scale != 0) number = number / scale + offset;
  }
  return view.gain == 0 ? number : (number - view.offset) / view.gain;
}

// The input's column of a feature of the view; nothing if it has none.
std::optional<int64_t> ColumnOf(const FeatureView& view, int64_t feature) {
  if (feature < 0 || view.columns.empty()) {
    return feature < 0 ? std::nullopt : std::optional<int64_t>(feature);
  }
  const auto at = static_cast<size_t>(feature);
  return at < view.columns.size() ? std::optional<int64_t>(view.columns[at]) : std::nullopt;
}

// Converts features from the trees' to the input's.
void SeenFromInput(const FeatureView& view, FeaturePurpose* found) {
  if (!view.column.has_value()) {
    found->thresholds.clear();
    found->paths.clear();
    return;
  }
  const int64_t first = *view.column;
  absl::flat_hash_map<int64_t, std::vector<double>> thresholds;
  for (auto& [feature, values] : found->thresholds) {
    const std::optional<int64_t> column = ColumnOf(view, feature - first);
    if (!column.has_value()) continue;
    for (double& value : values) value = Before(view, feature - first, value);
    thresholds[*column] = std::move(values);
  }
  found->thresholds = std::move(thresholds);
  std::vector<TreePath> paths;
  for (TreePath& path : found->paths) {
    TreePath seen;
    for (const auto& [feature, range] : path) {
      const std::optional<int64_t> column = ColumnOf(view, feature - first);
      if (!column.has_value()) continue;
      const double least = Before(view, feature - first, range.least);
      const double greatest = Before(view, feature - first, range.greatest);
      seen.push_back({*column, {std::min(least, greatest), std::max(least, greatest)}});
    }
    if (!seen.empty()) paths.push_back(std::move(seen));
  }
  found->paths = std::move(paths);
}

}  // namespace

std::string UseText(const Node& node, absl::string_view what) {
  return absl::StrCat(what, " of ", node.op_type,
                      node.name.empty()
                          ? absl::StrCat(" -> `", node.outputs.empty() ? "" : node.outputs[0], "`")
                          : absl::StrCat(" `", node.name, "`"));
}

bool PassesFeatures(const Node& node) {
  return node.domain == kMlDomain && (node.op_type == "Imputer" || node.op_type == "Scaler" ||
                                      node.op_type == "ArrayFeatureExtractor");
}

void PassColumns(const GraphScope& scope, const Node& node, size_t slot, FeatureView* view) {
  if (node.op_type == "Scaler") {
    view->scaler = &node;
    view->scaled = view->column.value_or(0);
  }
  // The columns before the input's own.
  for (size_t i = 0; node.op_type == "Concat" && i < slot && view->column.has_value(); ++i) {
    const auto size = SizeAlong(scope, node.inputs[i], -1);
    if (size.has_value() && size->fixed.has_value()) {
      *view->column += *size->fixed;
    } else {
      view->column.reset();
    }
  }
  const bool along_rows = IsOneOf(node, {"Gather"}) && IntAttribute(node, "axis").value_or(0) == 1;
  if ((!along_rows && node.op_type != "ArrayFeatureExtractor") || slot != 0) return;
  const Tensor* places = ConstantIn(scope, node.inputs[1]);
  const absl::StatusOr<Tensor> whole =
      places == nullptr ? absl::StatusOr<Tensor>(Tensor()) : places->Contiguous();
  if (places == nullptr || !whole.ok() || whole->dtype() != DType::kInt64) {
    view->column.reset();
    return;
  }
  std::vector<int64_t> selected;
  for (int64_t i = 0; i < whole->num_elements(); ++i) {
    const std::optional<int64_t> column =
        ColumnOf(*view, whole->data<int64_t>()[i] - view->column.value_or(0));
    if (!column.has_value()) view->column.reset();
    selected.push_back(column.value_or(0));
  }
  view->columns = std::move(selected);
  if (view->column.has_value()) view->column = 0;
  view->scaler = nullptr;
}

std::optional<InputPurpose> PurposeOfMl(const Node& node, size_t slot, DType dtype,
                                        const FeatureView& view) {
  InputPurpose found;
  if (slot == 0 && node.op_type.starts_with("TreeEnsemble")) {
    FeaturePurpose features;
    AddThresholds(node, &features);
    features.paths = PathsOf(node);
    SeenFromInput(view, &features);
    found.why = UseText(node, features.kName);
    found.purpose = std::move(features);
    return found;
  }
  if (slot == 1 && node.op_type == "ArrayFeatureExtractor") {
    found.purpose = IdPurpose();
    found.not_negative = true;
    found.limit = 1;
    return found;
  }
  if (dtype == DType::kString) found.purpose = TextPurpose();
  for (const auto& [name, attribute] : node.attributes) {
    if (const auto* words = std::get_if<std::vector<std::string>>(&attribute)) {
      found.words.insert(found.words.end(), words->begin(), words->end());
    }
    AddKeysOf(attribute, &found);
    const auto* keys = std::get_if<std::vector<int64_t>>(&attribute);
    if (keys != nullptr && (name == "keys_int64s" || name == "cats_int64s")) {
      for (const int64_t key : *keys) found.keys.push_back(static_cast<double>(key));
    }
    const auto* floats = std::get_if<std::vector<float>>(&attribute);
    if (floats != nullptr && name == "keys_floats") {
      for (const float key : *floats) found.keys.push_back(key);
    }
  }
  if (found.words.empty() && found.keys.empty()) return std::nullopt;
  found.why = UseText(node, "keys");
  return found;
}

void AddDemanded(const Node& node, const FeatureView& view, InputPurpose* to) {
  if (node.op_type != "OneHotEncoder" || IntAttribute(node, "zeros").value_or(1) != 0) return;
  if (AttributeOf<std::vector<std::string>>(node, "cats_strings") != nullptr) {
    to->only_known = true;
  }
  const auto* keys = AttributeOf<std::vector<int64_t>>(node, "cats_int64s");
  if (keys == nullptr || !view.column.has_value()) return;
  std::vector<int64_t> columns = view.columns;
  if (columns.empty()) columns.push_back(InputPurpose::kEachColumn);
  for (const int64_t column : columns) {
    for (const int64_t key : *keys) {
      to->demanded[column].push_back(Before(view, 0, static_cast<double>(key)));
    }
  }
}

void AddMissing(const Node& node, DType dtype, InputPurpose* to) {
  if (node.op_type == "Imputer") {
    if (IsFloatingPoint(dtype)) {
      const auto* replaced = AttributeOf<float>(node, "replaced_value_float");
      to->missing.push_back(replaced == nullptr ? 0 : *replaced);
    } else {
      to->missing.push_back(
          static_cast<double>(IntAttribute(node, "replaced_value_int64").value_or(0)));
    }
  }
  if (node.op_type.starts_with("TreeEnsemble") && IsFloatingPoint(dtype) && TracksMissing(node)) {
    to->missing.push_back(std::numeric_limits<double>::quiet_NaN());
  }
}

InputPurpose PurposeOfText(const GraphScope& scope, const Node& node, size_t slot) {
  InputPurpose found;
  found.purpose = TextPurpose();
  found.why = UseText(node, PurposeName(found.purpose));
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Tensor* constant = i == slot ? nullptr : ConstantIn(scope, node.inputs[i]);
    if (constant == nullptr || constant->dtype() != DType::kString) continue;
    const absl::StatusOr<Tensor> whole = constant->Contiguous();
    for (int64_t k = 0; whole.ok() && k < whole->num_elements(); ++k) {
      found.words.push_back(whole->string_data()[k]);
    }
  }
  for (const auto& [name, attribute] : node.attributes) {
    if (const auto* words = std::get_if<std::vector<std::string>>(&attribute)) {
      found.words.insert(found.words.end(), words->begin(), words->end());
    }
  }
  // Text that is parsed as numbers.
  if (node.op_type == "Cast" || node.op_type == "CastLike") {
    found.words = {"1.5", "-2", "0.125", "37", "1e-3", "-0.5"};
  }
  return found;
}

}  // namespace onnxcmp
