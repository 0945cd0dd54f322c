#include "compare/inside/step_model.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/run/on_results.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

// Its reductions take axes as attributes, and it has CastLike.
constexpr int64_t kOpset = 17;
constexpr int64_t kIrVersion = 8;

}  // namespace

StepModel::StepModel() : model_(std::make_shared<Model>()) {
  model_->ir_version = kIrVersion;
  model_->imports = {{std::string(kOnnxDomain), kOpset}, {std::string(kMicrosoftDomain), 1}};
  imports_ = std::make_shared<const OpsetImports>(model_->imports);
}

std::string StepModel::NewName() { return absl::StrCat("s", names_++); }

std::string StepModel::Given(const Value& value) {
  std::string name = NewName();
  model_->graph.inputs.push_back({name, {}});
  feeds_[name] = value;
  return name;
}

std::string StepModel::Number(float number, const std::string& like) {
  std::string name = NewName();
  model_->graph.initializers.push_back({name, Value(Tensor::Of<float>({}, {number}))});
  return Add("CastLike", {name, like});
}

std::string StepModel::Integers(const std::vector<int64_t>& numbers) {
  std::string name = NewName();
  const auto count = static_cast<int64_t>(numbers.size());
  model_->graph.initializers.push_back({name, Value(Tensor::Of<int64_t>({count}, numbers))});
  return name;
}

std::string StepModel::Add(absl::string_view op_type, const std::vector<std::string>& inputs,
                           Attributes attributes) {
  return AddSeveral(op_type, inputs, std::move(attributes), 1).front();
}

std::vector<std::string> StepModel::AddSeveral(absl::string_view op_type,
                                               const std::vector<std::string>& inputs,
                                               Attributes attributes, size_t outputs) {
  Node node;
  node.op_type = std::string(op_type);
  node.inputs = inputs;
  for (size_t i = 0; i < outputs; ++i) node.outputs.push_back(NewName());
  node.attributes = std::move(attributes);
  node.imports = imports_;
  model_->graph.nodes.push_back(node);
  for (const std::string& output : node.outputs) model_->graph.outputs.push_back({output, {}});
  return node.outputs;
}

std::string StepModel::AddLike(const Node& node, const std::vector<std::string>& inputs,
                               Attributes attributes) {
  Node made = node;
  made.inputs = inputs;
  made.outputs = {NewName()};
  made.attributes = std::move(attributes);
  if (made.imports != nullptr) {
    for (const auto& [domain, version] : *made.imports)
      model_->imports.try_emplace(domain, version);
  }
  model_->graph.nodes.push_back(made);
  model_->graph.outputs.push_back({made.outputs.front(), {}});
  return made.outputs.front();
}

std::vector<Value> StepModel::Run(const Evaluator& evaluator) const {
  EvaluatorOptions options = evaluator.options();
  options.threads = 1;
  const absl::StatusOr<Evaluator> steps = Evaluator::Create(model_, evaluator.registry(), options);
  std::vector<Value> seen;
  OnResults watcher([&](const Result& result, auto* /*replacement*/) {
    if (result.kind == ResultKind::kResult) seen.push_back(result.value);
    return absl::OkStatus();
  });
  // Steps that this node's inputs do not allow give nothing; those before them count.
  if (steps.ok()) steps->Run(feeds_, &watcher).IgnoreError();
  return seen;
}

}  // namespace onnxcmp
