#include "evaluator/run/evaluator.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/plan/plan.h"
#include "evaluator/run/execution.h"

namespace onnxcmp {
namespace {

absl::Status WrongInputCount(const Node& node, size_t given) {
  return absl::InvalidArgumentError(
      absl::StrCat("the node has ", node.inputs.size(), " inputs, but ", given, " were given"));
}

absl::StatusOr<std::shared_ptr<const Plan>> PlanOf(std::shared_ptr<const Model> model,
                                                   const OpRegistry& registry,
                                                   const EvaluatorOptions& options) {
  return MakePlan(std::move(model), registry,
                  {.expand_functions = options.expand_functions,
                   .in_double = options.in_double,
                   .max_tensor = options.max_tensor});
}

}  // namespace

Run::Run(std::unique_ptr<Execution> execution) : execution_(std::move(execution)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

absl::StatusOr<bool> Run::Step() { return execution_->Step(); }
std::vector<Value> Run::TakeOutputs() { return execution_->TakeOutputs(); }

Evaluator::Evaluator(std::shared_ptr<const Model> model, std::shared_ptr<const OpRegistry> registry,
                     EvaluatorOptions options, std::shared_ptr<const Plan> plan,
                     std::shared_ptr<const ThreadPool> pool)
    : model_(std::move(model)),
      registry_(std::move(registry)),
      options_(std::move(options)),
      plan_(std::move(plan)),
      pool_(std::move(pool)) {}
Evaluator::Evaluator(const Evaluator&) = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;
Evaluator::~Evaluator() = default;

absl::StatusOr<Evaluator> Evaluator::Create(std::shared_ptr<const Model> model,
                                            const OpRegistry& registry,
                                            const EvaluatorOptions& options) {
  EvaluatorOptions settled = options;
  settled.threads = ThreadCount(settled.threads);
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, PlanOf(model, registry, options));
  return Evaluator(std::move(model), std::make_shared<const OpRegistry>(registry.Share()), settled,
                   std::move(plan),
                   std::make_shared<ThreadPool>(settled.threads, settled.spare_memory));
}

absl::StatusOr<Evaluator> Evaluator::InDouble() const {
  EvaluatorOptions options = options_;
  options.in_double = true;
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const Plan> plan, PlanOf(model_, *registry_, options));
  return Evaluator(model_, registry_, options, std::move(plan), pool_);
}

absl::StatusOr<onnxcmp::Run> Evaluator::Start(const Feeds& feeds, Observer* observer) const {
  auto execution = std::make_unique<Execution>(plan_, pool_, options_, observer);
  OC_RETURN_IF_ERROR(execution->Feed(feeds));
  return onnxcmp::Run(std::move(execution));
}

absl::StatusOr<std::vector<Value>> Evaluator::Run(const Feeds& feeds, Observer* observer) const {
  OC_ASSIGN_OR_RETURN(onnxcmp::Run run, Start(feeds, observer));
  while (true) {
    OC_ASSIGN_OR_RETURN(bool more, run.Step());
    if (!more) return run.TakeOutputs();
  }
}

std::vector<std::string> Evaluator::CapturesOf(int64_t index) const {
  std::vector<std::string> names;
  if (index < 0 || static_cast<size_t>(index) >= plan_->main->nodes.size()) return names;
  for (const Capture& capture :
       onnxcmp::CapturesOf(plan_->main->nodes[static_cast<size_t>(index)])) {
    names.emplace_back(capture.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::vector<Value>> Evaluator::RunNode(int64_t index, absl::Span<const Value> inputs,
                                                      const Feeds& captures) const {
  const GraphPlan& main = *plan_->main;
  if (index < 0 || static_cast<size_t>(index) >= main.nodes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no node ", index, ", the model has ", main.nodes.size()));
  }
  const NodePlan& node = main.nodes[static_cast<size_t>(index)];
  if (inputs.size() != node.inputs.size()) return WrongInputCount(*node.node, inputs.size());
  std::map<Slot, Value> captured;
  for (const Capture& capture : onnxcmp::CapturesOf(node)) {
    const Value* value = nullptr;
    for (size_t i = 0; i < main.initializers.size(); ++i) {
      if (main.initializers[i] == capture.around) value = &main.initial[i];
    }
    const auto given = captures.find(capture.name);
    if (given != captures.end()) value = &given->second;
    if (value == nullptr || value->empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no value for '", capture.name, "', which its subgraphs read"));
    }
    captured.emplace(capture.around, *value);
  }
  return Execution(plan_, pool_, options_, nullptr).RunAlone(node, inputs, captured);
}

}  // namespace onnxcmp
