// Models of constants alone: values that were saved as a model.
#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/on_results.h"
#include "record/recordings/nested_name.h"
#include "record/recordings/recorded_values.h"

namespace onnxcmp {
namespace {

constexpr char kModuleDomain[] = "torch";  // domain of PyTorch's modules

// True if a node passes on constants, or joins them.
bool ComputesNothing(const Node& node) {
  static constexpr absl::string_view kNames[] = {"Constant", "Identity", "SequenceConstruct",
                                                 "SequenceEmpty"};
  return node.domain == kOnnxDomain &&
         std::find(std::begin(kNames), std::end(kNames), node.op_type) != std::end(kNames);
}

// The values belong to the model, which is in memory or mapped.
class Constants : public RecordedValues {
 public:
  void Add(const std::string& name, Value value) {
    std::optional<NestedName> nested = ParseNestedName(name);
    if (nested.has_value() && nested->is_empty) {
      ++empty_;
      return;
    }
    RecordedResult result;
    if (nested.has_value()) {
      result.name = nested->name;
      if (nested->is_output) result.op_type = nested->module_class;
      if (!result.op_type.empty()) result.domain = kModuleDomain;
      if (nested->is_root) AddToRoot(*nested);
    }
    // Two spellings of one place: their own names distinguish them.
    if (result.name.empty() || !names_.insert(result.name).second) {
      result.name = name;
      names_.insert(name);
    }
    results_.push_back(std::move(result));
    values_.push_back(std::move(value));
  }

  void Finish() {
    if (root_calls_.size() == 1) ShowRoot();
    if (empty_ > 0) {
      notes_.push_back(absl::StrCat("empty tuples, lists and dicts left out: ", empty_));
    }
  }

  absl::StatusOr<Read> ReadValue(size_t index) override { return Read{values_[index]}; }

 private:
  void AddToRoot(const NestedName& name) {
    root_calls_.insert(name.call);
    (name.is_output ? root_outputs_ : root_inputs_).push_back(results_.size());
    plain_outputs_ = plain_outputs_ && (!name.is_output || name.is_plain);
  }

  // If the outermost module was called once, its inputs and outputs are the model's. An exporter
  // flattens tuples, lists and dicts in their order; other classes, such as caches, have their own
  // order.
  void ShowRoot() {
    for (const size_t input : root_inputs_) results_[input].kind = ResultKind::kInput;
    if (!plain_outputs_) return;
    for (const size_t output : root_outputs_) {
      RecordedResult shown = results_[output];
      shown.kind = ResultKind::kOutput;
      shown.op_type.clear();
      shown.domain.clear();
      results_.push_back(std::move(shown));
      values_.push_back(Value(values_[output]));
    }
  }

  std::vector<Value> values_;
  absl::flat_hash_set<std::string> names_;
  absl::flat_hash_set<std::string> root_calls_;
  std::vector<size_t> root_inputs_;
  std::vector<size_t> root_outputs_;
  bool plain_outputs_ = true;
  int64_t empty_ = 0;
};

}  // namespace

bool HoldsConstantsOnly(const Graph& graph) {
  return graph.inputs.empty() && !(graph.initializers.empty() && graph.nodes.empty()) &&
         std::all_of(graph.nodes.begin(), graph.nodes.end(), ComputesNothing);
}

absl::StatusOr<std::unique_ptr<RecordedValues>> ConstantsOf(const Evaluator& evaluator) {
  std::vector<std::pair<std::string, Value>> outputs;
  std::vector<std::pair<std::string, Value>> others;
  OnResults keeper([&](const Result& result, auto* /*replacement*/) {
    auto& kept = result.kind == ResultKind::kOutput ? outputs : others;
    kept.emplace_back(std::string(result.name), result.value);
    return absl::OkStatus();
  });
  OC_RETURN_IF_ERROR(evaluator.Run({}, &keeper).status());
  const Graph& graph = evaluator.model().graph;
  // The parts of an output need not be shown again.
  absl::flat_hash_set<absl::string_view> shown;
  for (const auto& [name, value] : outputs) shown.insert(name);
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (std::none_of(node->outputs.begin(), node->outputs.end(),
                     [&](const std::string& output) { return shown.contains(output); })) {
      continue;
    }
    shown.insert(node->inputs.begin(), node->inputs.end());
  }
  auto constants = std::make_unique<Constants>();
  for (auto& [name, value] : outputs) constants->Add(name, std::move(value));
  for (auto& [name, value] : others) {
    if (!shown.contains(name)) constants->Add(name, std::move(value));
  }
  constants->Finish();
  return constants;
}

}  // namespace onnxcmp
