#include "evaluator/run/execution.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/model/node_text.h"
#include "evaluator/plan/function_plan.h"
#include "evaluator/plan/in_double.h"
#include "evaluator/run/stored_values.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace onnxcmp {
namespace {

// Marks a status that already says at which node it happened.
constexpr char kLocated[] = "onnxcmp/located";

std::string PathOf(const Frame& frame, const Node& node) {
  absl::string_view own = node.call_path;
  // The call path of a node inside a subgraph repeats that of the node around it.
  if (absl::ConsumePrefix(&own, frame.outer_call_path)) absl::ConsumePrefix(&own, "/");
  if (frame.prefix.empty()) return std::string(own);
  return own.empty() ? frame.prefix : absl::StrCat(frame.prefix, "/", own);
}

// Adds once, at the innermost node: node, operator, path, input types.
absl::Status Locate(const absl::Status& status, const Node& node, absl::string_view path,
                    absl::Span<const Value> inputs) {
  if (status.GetPayload(kLocated).has_value()) return status;
  std::string types = absl::StrJoin(
      inputs, ", ", [](std::string* out, const Value& value) { out->append(value.TypeString()); });
  absl::Status located(status.code(),
                       absl::StrCat(DescribeNode(node, path), ": ", status.message(),
                                    " (inputs: ", types.empty() ? "none" : types, ")"));
  located.SetPayload(kLocated, absl::Cord());
  located.SetPayload("onnxcmp/node", absl::Cord(NodeLabel(node)));
  located.SetPayload("onnxcmp/operator", absl::Cord(OperatorName(node.domain, node.op_type)));
  located.SetPayload("onnxcmp/path", absl::Cord(path));
  return located;
}

std::shared_ptr<MemoryAccount> AccountOf(const EvaluatorOptions& options) {
  if (options.memory != nullptr) return options.memory;
  return std::make_shared<MemoryAccount>(
      options.max_memory > 0 ? options.max_memory : std::numeric_limits<int64_t>::max(),
      options.spare_memory != nullptr ? options.spare_memory : std::make_shared<SpareMemory>());
}

}  // namespace

class Execution::Context : public KernelContext {
 public:
  Context(Execution* execution, const NodePlan& node, absl::Span<const Value> inputs,
          const Frame& frame, absl::string_view path)
      : execution_(execution), node_(node), frame_(frame), path_(path) {
    inputs_ = inputs;
    outputs_.resize(node.outputs.size());
    for (Slot slot : node.outputs) wanted_.push_back(slot != kNoSlot);
    pool_ = execution->pool_.get();
    max_tensor_ = execution->options_.max_tensor;
    account_ = execution->account_;
    random_seed_ = execution->RandomSeed(*node.node, path);
  }

  uint64_t random_seed() const override {
    ++execution_->draws_;
    return random_seed_;
  }

  absl::StatusOr<std::vector<Value>> RunSubgraph(SubgraphId subgraph, std::vector<Value> inputs,
                                                 absl::string_view label) override {
    const GraphPlan& plan = *node_.subgraphs[static_cast<size_t>(subgraph)];
    std::string own = absl::StrCat(NodeLabel(*node_.node), "[", label, "]");
    Frame frame{&plan,
                path_.empty() ? own : absl::StrCat(path_, "/", own),
                node_.node->call_path,
                frame_.depth + 1,
                frame_.observed,
                {}};
    if (frame.observed) {
      execution_->observer_->OnGraphStart(
          GraphStart{*node_.node, *plan.graph, frame.prefix, frame.depth, inputs});
    }
    return execution_->RunGraph(plan, std::move(inputs), &frame_, std::move(frame));
  }

  const Graph& SubgraphOf(SubgraphId subgraph) const override {
    return *node_.subgraphs[static_cast<size_t>(subgraph)]->graph;
  }

  // Runs what the node stands for.
  absl::Status RunNode() {
    if (node_.body != nullptr) return RunBody(*node_.body, std::string(NodeLabel(*node_.node)));
    OC_RETURN_IF_ERROR(CheckInputs(*node_.signature, inputs_));
    if (node_.function != nullptr) {
      OC_ASSIGN_OR_RETURN(std::shared_ptr<const GraphPlan> body, node_.function->For(inputs_));
      if (body != nullptr) {
        const Node& node = *node_.node;
        return RunBody(*body, absl::StrCat(NodeLabel(node), " (",
                                           OperatorName(node.domain, node.op_type), ")"));
      }
    }
    if (!node_.kernel) {
      return absl::UnimplementedError("ONNX defines no body of this operator for its inputs");
    }
    OC_RETURN_IF_ERROR(node_.kernel(*this));
    return CheckAllWasRead();
  }

  std::vector<Value>& outputs() { return outputs_; }

 private:
  // A local function that is kept as one node, or an operator's body.
  absl::Status RunBody(const GraphPlan& body, std::string label) {
    const auto captures =
        node_.function == nullptr ? absl::Span<const Capture>() : node_.function->captures();
    std::vector<Value> inputs(inputs_.begin(), inputs_.end());
    // Inputs and outputs that a call leaves out at the end.
    inputs.resize(body.inputs.size() - captures.size());
    for (const Capture& capture : captures) inputs.push_back(frame_.at(capture.around));
    Frame frame{&body,
                path_.empty() ? std::move(label) : absl::StrCat(path_, "/", label),
                "",
                frame_.depth,
                /*observed=*/false,
                {}};
    OC_ASSIGN_OR_RETURN(std::vector<Value> outputs,
                        execution_->RunGraph(body, std::move(inputs), nullptr, std::move(frame)));
    // A function has all its outputs, an operator's body those that are wanted.
    size_t next = 0;
    for (size_t i = 0; i < outputs_.size() && next < outputs.size(); ++i) {
      if (wanted_[i]) outputs_[i] = std::move(outputs[next]);
      if (wanted_[i] || node_.function == nullptr) ++next;
    }
    return absl::OkStatus();
  }

  // A given input that the kernel never looked at would be ignored.
  absl::Status CheckAllWasRead() const {
    const int unread = UnreadInput();
    if (unread < 0) return absl::OkStatus();
    const auto is_empty = [](const Value& value) {
      return value.empty() || (value.is_tensor() && value.tensor().num_elements() == 0);
    };
    if (std::all_of(outputs_.begin(), outputs_.end(), is_empty)) return absl::OkStatus();
    const std::vector<ParameterType>& formal = node_.signature->inputs;
    const size_t index = std::min(static_cast<size_t>(unread), formal.size() - 1);
    return absl::UnimplementedError(
        absl::StrCat("its input ", unread, " (", formal[index].name, ") is not supported"));
  }

  Execution* execution_;
  const NodePlan& node_;
  const Frame& frame_;
  absl::string_view path_;
};

Execution::Execution(std::shared_ptr<const Plan> plan, std::shared_ptr<const ThreadPool> pool,
                     const EvaluatorOptions& options, Observer* observer)
    : plan_(std::move(plan)),
      pool_(std::move(pool)),
      options_(options),
      account_(AccountOf(options)),
      observer_(observer),
      main_{plan_->main.get(), "", "", 0, observer != nullptr, {}},
      fed_(plan_->main->inputs.size()) {}

absl::Status Execution::Feed(const Feeds& feeds) {
  main_.slots.resize(static_cast<size_t>(main_.plan->num_slots));
  const Graph& graph = *main_.plan->graph;
  auto expected = [&graph] {
    return absl::StrJoin(graph.inputs, ", ", [](std::string* out, const ValueInfo& input) {
      absl::StrAppend(out, input.name, " ", TypeInfoToString(input.type));
    });
  };
  size_t used = 0;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const ValueInfo& input = graph.inputs[i];
    auto feed = feeds.find(input.name);
    if (feed == feeds.end()) {
      bool has_default = std::any_of(
          graph.initializers.begin(), graph.initializers.end(),
          [&](const Initializer& initializer) { return initializer.name == input.name; });
      if (has_default) continue;
      return absl::InvalidArgumentError(absl::StrCat("no value for input '", input.name,
                                                     "'; the model's inputs are ", expected()));
    }
    OC_RETURN_IF_ERROR(CheckFeed(input, feed->second));
    main_.slots[static_cast<size_t>(main_.plan->inputs[i])] = feed->second;
    fed_[i] = true;
    ++used;
  }
  if (used != feeds.size()) {
    std::vector<absl::string_view> unknown;
    for (const auto& [name, value] : feeds) {
      bool known = std::any_of(graph.inputs.begin(), graph.inputs.end(),
                               [&name = name](const ValueInfo& v) { return v.name == name; });
      if (!known) unknown.push_back(name);
    }
    std::sort(unknown.begin(), unknown.end());
    return absl::InvalidArgumentError(absl::StrCat("the model has no input '",
                                                   absl::StrJoin(unknown, "', '"),
                                                   "'; its inputs are ", expected()));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Execution::Step() {
  if (over_) return absl::FailedPreconditionError("the run is over");
  auto step = [this]() -> absl::Status {
    if (!started_) {
      started_ = true;
      OC_RETURN_IF_ERROR(ReportInitializersAndInputs());
    }
    if (next_ < main_.plan->nodes.size()) {
      OC_RETURN_IF_ERROR(RunNode(main_.plan->nodes[next_++], &main_));
    }
    return next_ == main_.plan->nodes.size() ? ReportOutputs() : absl::OkStatus();
  };
  if (absl::Status status = step(); !status.ok()) {
    over_ = true;
    return status;
  }
  over_ = next_ == main_.plan->nodes.size();
  return !over_;
}

std::vector<Value> Execution::TakeOutputs() {
  std::vector<Value> outputs;
  for (Slot slot : main_.plan->outputs) outputs.push_back(main_.slots[static_cast<size_t>(slot)]);
  return outputs;
}

absl::Status Execution::ReportInitializersAndInputs() {
  const Graph& graph = *main_.plan->graph;
  for (size_t i = 0; i < graph.initializers.size(); ++i) {
    Value value = graph.initializers[i].value;
    OC_RETURN_IF_ERROR(
        Report(ResultKind::kInitializer, graph.initializers[i].name, nullptr, "", 0, &value));
    Value& slot = main_.slots[static_cast<size_t>(main_.plan->initializers[i])];
    // A fed value goes before the default.
    if (!slot.empty()) continue;
    if (value.is_sparse()) {
      slot = main_.plan->initial[i];
    } else {
      slot = std::move(value);
    }
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (!fed_[i]) continue;
    OC_RETURN_IF_ERROR(Report(ResultKind::kInput, graph.inputs[i].name, nullptr, "", 0,
                              &main_.slots[static_cast<size_t>(main_.plan->inputs[i])]));
  }
  return absl::OkStatus();
}

absl::Status Execution::ReportOutputs() {
  const Graph& graph = *main_.plan->graph;
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    OC_RETURN_IF_ERROR(Report(ResultKind::kOutput, graph.outputs[i].name, nullptr, "", 0,
                              &main_.slots[static_cast<size_t>(main_.plan->outputs[i])]));
  }
  return absl::OkStatus();
}

absl::Status Execution::Report(ResultKind kind, absl::string_view name, const Node* node,
                               absl::string_view path, int depth, Value* value) {
  if (observer_ == nullptr) return absl::OkStatus();
  std::optional<Value> replacement;
  OC_RETURN_IF_ERROR(
      observer_->OnResult(Result{kind, name, node, path, depth, *value}, &replacement));
  if (replacement.has_value()) *value = *std::move(replacement);
  return absl::OkStatus();
}

absl::Status Execution::RunNode(const NodePlan& plan, Frame* frame) {
  const Node& node = *plan.node;
  std::string path = PathOf(*frame, node);
  if (observer_ != nullptr) {
    observer_->OnNodeStart(NodeStart{node, path,
                                     static_cast<int64_t>(std::max<size_t>(next_, 1) - 1),
                                     static_cast<int64_t>(main_.plan->nodes.size())});
  }
  std::vector<Value> inputs;
  inputs.reserve(plan.inputs.size());
  for (Slot slot : plan.inputs) inputs.push_back(slot == kNoSlot ? Value() : frame->at(slot));
  OC_ASSIGN_OR_RETURN(std::vector<Value> outputs, frame->observed
                                                      ? KnownOrComputed(plan, inputs, *frame, path)
                                                      : Compute(plan, inputs, *frame, path));
  if (observer_ != nullptr) observer_->OnNodeEnd(NodeEnd{node, path, inputs, outputs});
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (plan.outputs[i] == kNoSlot) continue;
    if (frame->observed) {
      OC_RETURN_IF_ERROR(
          Report(ResultKind::kResult, node.outputs[i], &node, path, frame->depth, &outputs[i]));
    }
    frame->slots[static_cast<size_t>(plan.outputs[i])] = std::move(outputs[i]);
  }
  for (Slot slot : plan.releases) frame->slots[static_cast<size_t>(slot)] = Value();
  return absl::OkStatus();
}

uint64_t Execution::RandomSeed(const Node& node, absl::string_view path) const {
  const absl::string_view label = NodeLabel(node);
  return XXH3_64bits_withSeed(label.data(), label.size(),
                              XXH3_64bits_withSeed(path.data(), path.size(), options_.seed));
}

absl::StatusOr<std::vector<Value>> Execution::KnownOrComputed(const NodePlan& plan,
                                                              absl::Span<const Value> inputs,
                                                              const Frame& frame,
                                                              absl::string_view path) {
  if (plan.body != nullptr || !plan.subgraphs.empty()) return Compute(plan, inputs, frame, path);
  const PendingNode run = {*plan.node, path, inputs, frame.depth, RandomSeed(*plan.node, path)};
  if (std::optional<std::vector<Value>> known = observer_->KnownOutputs(run)) {
    const absl::Status status = CountStep();
    if (!status.ok()) return Locate(status, *plan.node, path, inputs);
    return *std::move(known);
  }
  const int64_t draws = draws_;
  OC_ASSIGN_OR_RETURN(std::vector<Value> outputs, Compute(plan, inputs, frame, path));
  observer_->OnNodeOutputs(run, absl::MakeSpan(outputs), draws_ != draws);
  return outputs;
}

absl::Status Execution::CountStep() {
  if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) {
    return absl::CancelledError("the run was stopped");
  }
  if (options_.max_steps <= 0 || ++steps_ <= options_.max_steps) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the run comes to more than ", options_.max_steps, " steps, which is the limit"));
}

absl::Status Execution::MakeDouble(std::vector<Value>* values) const {
  for (Value& value : *values) {
    OC_ASSIGN_OR_RETURN(value, InDouble(value, options_.max_tensor, pool_.get()));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Value>> Execution::Compute(const NodePlan& plan,
                                                      absl::Span<const Value> inputs,
                                                      const Frame& frame, absl::string_view path) {
  const Node& node = *plan.node;
  absl::Status status = CountStep();
  StoredValues stored(pool_.get());
  const auto around = [&frame](Slot slot) -> const Value& { return frame.at(slot); };
  if (status.ok()) status = stored.Load(plan, around, &inputs);
  std::vector<Value> doubles;
  if (options_.in_double) {
    doubles.assign(inputs.begin(), inputs.end());
    inputs = doubles;
    if (status.ok()) status = MakeDouble(&doubles);
  }
  Context context(this, plan, inputs, frame, path);
  if (status.ok()) status = context.RunNode();
  if (status.ok() && options_.in_double) status = MakeDouble(&context.outputs());
  if (!status.ok()) return Locate(status, node, path, inputs);
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    if (plan.outputs[i] == kNoSlot || !context.outputs()[i].empty()) continue;
    return Locate(absl::UnimplementedError(absl::StrCat("its output ", i, " (", node.outputs[i],
                                                        ") is not computed in this form")),
                  node, path, inputs);
  }
  return std::move(context.outputs());
}

absl::StatusOr<std::vector<Value>> Execution::RunAlone(const NodePlan& node,
                                                       absl::Span<const Value> inputs,
                                                       const std::map<Slot, Value>& captured) {
  Frame frame{main_.plan, "", "", 0, /*observed=*/false, {}, &captured};
  return Compute(node, inputs, frame, PathOf(frame, *node.node));
}

absl::StatusOr<std::vector<Value>> Execution::RunGraph(const GraphPlan& plan,
                                                       std::vector<Value> inputs,
                                                       const Frame* outer, Frame frame) {
  // So that a loop over an empty graph ends too.
  OC_RETURN_IF_ERROR(CountStep());
  frame.slots.resize(static_cast<size_t>(plan.num_slots));
  for (const Capture& capture : plan.captures) {
    frame.slots[static_cast<size_t>(capture.here)] = outer->at(capture.around);
  }
  for (size_t i = 0; i < plan.initializers.size(); ++i) {
    frame.slots[static_cast<size_t>(plan.initializers[i])] = plan.initial[i];
  }
  // Inputs that an initializer gives a default, as files before IR version 4 list them, come last.
  const size_t given = std::min(inputs.size(), plan.inputs.size());
  const auto has_value = [&frame](Slot slot) {
    return !frame.slots[static_cast<size_t>(slot)].empty();
  };
  if (given < inputs.size() || !std::all_of(plan.inputs.begin() + static_cast<int64_t>(given),
                                            plan.inputs.end(), has_value)) {
    return absl::InvalidArgumentError(absl::StrCat("its graph '", plan.graph->name, "' takes ",
                                                   plan.inputs.size(), " inputs, not ",
                                                   inputs.size()));
  }
  for (size_t i = 0; i < given; ++i) {
    frame.slots[static_cast<size_t>(plan.inputs[i])] = std::move(inputs[i]);
  }
  for (const NodePlan& node : plan.nodes) OC_RETURN_IF_ERROR(RunNode(node, &frame));
  std::vector<Value> outputs;
  outputs.reserve(plan.outputs.size());
  for (Slot slot : plan.outputs) outputs.push_back(frame.slots[static_cast<size_t>(slot)]);
  return outputs;
}

}  // namespace onnxcmp
