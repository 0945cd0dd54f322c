#include "compare/causes/bodies/body_iterations.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/on_results.h"

namespace onnxcmp {
namespace {

using Visitor = absl::FunctionRef<absl::StatusOr<bool>(const Iteration& iteration)>;

// Collects the inputs and outputs of each graph that the node runs.
class IterationTaker {
 public:
  IterationTaker(const std::vector<Body>& bodies, Visitor visit) : bodies_(bodies), visit_(visit) {}

  bool enough() const { return enough_; }
  const absl::Status& status() const { return status_; }

  void Start(const GraphStart& start) {
    if (start.depth > 1) {
      if (current_.has_value() && std::find(current_->inner.begin(), current_->inner.end(),
                                            &start.graph) == current_->inner.end()) {
        current_->inner.push_back(&start.graph);
      }
      return;
    }
    Finish();
    const auto body = std::find_if(bodies_.begin(), bodies_.end(), [&](const Body& candidate) {
      return candidate.graph.get() == &start.graph;
    });
    if (body == bodies_.end() || enough_) return;
    current_.emplace();
    current_->path = std::string(start.path);
    current_->label = current_->path.substr(PathOfNode(start.node).size());
    current_->body = *body;
    current_->inputs.assign(start.inputs.begin(), start.inputs.end());
    results_.clear();
  }

  absl::Status See(const Result& result) {
    if (enough_) return absl::CancelledError("enough iterations have been seen");
    if (result.depth == 1 && current_.has_value()) results_[result.name] = result.value;
    return absl::OkStatus();
  }

  // Shows the current iteration.
  void Finish() {
    if (!current_.has_value() || enough_) return;
    const Graph& graph = *current_->body.graph;
    for (size_t i = 0; i < current_->inputs.size() && i < graph.inputs.size(); ++i) {
      results_.try_emplace(graph.inputs[i].name, current_->inputs[i]);
    }
    for (const Initializer& initializer : graph.initializers) {
      results_.try_emplace(initializer.name, initializer.value);
    }
    for (const ValueInfo& output : graph.outputs) {
      const auto it = results_.find(output.name);
      current_->outputs.push_back(it != results_.end() ? it->second : Value());
    }
    const absl::StatusOr<bool> more = visit_(*current_);
    status_ = more.status();
    enough_ = !more.ok() || !*more;
    current_.reset();
  }

 private:
  const std::vector<Body>& bodies_;
  Visitor visit_;
  std::optional<Iteration> current_;
  absl::flat_hash_map<std::string, Value> results_;  // results of the current iteration
  bool enough_ = false;
  absl::Status status_;
};

// A function runs its body once, on the inputs of the call.
absl::Status ShowCall(const SideGraph& graph, int n, absl::FunctionRef<const Value&(int r)> value,
                      Visitor visit) {
  const SideGraph::GraphNode& node = graph.node(n);
  Iteration call;
  call.path = PathOfNode(*node.node);
  call.body = {"", node.node->body};
  for (const int input : node.made->inputs) {
    call.inputs.push_back(input == kNone ? Value() : value(input));
  }
  call.inputs.resize(node.node->body->inputs.size());
  for (const int output : node.made->outputs) {
    call.outputs.push_back(output == kNone ? Value() : value(output));
  }
  call.outputs.resize(node.node->body->outputs.size());
  return visit(call).status();
}

}  // namespace

absl::Status ForEachIteration(const SideGraph& graph, int n,
                              absl::FunctionRef<const Value&(int r)> value, Visitor visit) {
  const SideGraph::GraphNode& node = graph.node(n);
  if (node.node == nullptr) return absl::FailedPreconditionError("there is no model");
  if (node.node->body != nullptr) return ShowCall(graph, n, value, visit);
  const Evaluator& whole = *graph.evaluator();
  Feeds feeds;
  for (size_t i = 0; i < node.made->inputs.size(); ++i) {
    const int input = node.made->inputs[i];
    if (input != kNone) feeds[node.node->inputs[i]] = value(input);
  }
  for (size_t i = 0; i < node.captures.size(); ++i) {
    feeds[node.capture_names[i]] = value(node.captures[i]);
  }
  OC_ASSIGN_OR_RETURN(const Evaluator alone,
                      Evaluator::Create(ModelOfNode(whole.model(), *node.node, node.capture_names),
                                        whole.registry(), whole.options()));
  const std::vector<Body> bodies = BodiesOf(*node.node);
  IterationTaker taker(bodies, visit);
  OnResults watcher([&](const Result& result, auto* /*replacement*/) { return taker.See(result); },
                    [&](const GraphStart& start) { taker.Start(start); });
  const absl::Status run = alone.Run(feeds, &watcher).status();
  if (run.ok()) taker.Finish();
  OC_RETURN_IF_ERROR(taker.status());
  return taker.enough() ? absl::OkStatus() : run;
}

}  // namespace onnxcmp
