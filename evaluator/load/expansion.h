// Operators that stand for nodes, which the graph around them decides, as that of a derivative.
// They are replaced when a model is loaded; later steps do not see them.
#ifndef ONNXCMP_EVALUATOR_LOAD_EXPANSION_H_
#define ONNXCMP_EVALUATOR_LOAD_EXPANSION_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// The graph around a node, as far as the node sees it: what stands before it in its graph, and in
// the graphs around that.
class ExpansionScope {
 public:
  // The node that makes this value; null for an input, an initializer, a value that is not known.
  // The pointer holds until the node that is replaced is done with.
  const Node* Producer(absl::string_view name) const;
  // True for a value of a graph that the node sees.
  bool Knows(absl::string_view name) const;
  // The number of dimensions of an initializer or an input, if it is known without a run.
  std::optional<int> Rank(absl::string_view name) const;
  // The values that a node reads: its inputs, and what its graphs read of those around them. Each
  // call counts towards a limit (ResourceExhausted).
  absl::StatusOr<std::vector<std::string>> Reads(const Node& node);

  // The schema of the node's operator; null for a call of a local function.
  const onnx::OpSchema* SchemaOf(const Node& node) const;
  // The nodes by which a local function, or the schema of an operator for inputs of any type, is
  // defined; null if it is not. Of an operator's outputs, those that the node names.
  absl::StatusOr<std::shared_ptr<const Graph>> BodyOf(const Node& node) const;

  // `suggested`, or with _2, _3, ... after it, if something in the model is called so.
  std::string NewName(const std::string& suggested);
  // How many nodes may still be added to the model.
  int64_t nodes_left() const;
  // Adds a node after those that are there. ResourceExhausted: nodes_left() is 0.
  absl::Status Add(Node node);

 private:
  friend class Expander;
  struct Shared;  // by all graphs of the model
  ExpansionScope(const Graph& graph, ExpansionScope* outer, Shared* shared);
  // Adds a node of the model, which counts towards nothing.
  void Append(Node node);
  void Define(const std::string& name, const Node* maker);
  // A name that this graph or one around it gives to a value though one around it has it; null if
  // there is none. What a name stands for depends on who reads it then.
  const std::string* AmbiguousName() const;
  const ExpansionScope* ScopeOf(absl::string_view name) const;

  ExpansionScope* outer_;
  Shared* shared_;
  std::optional<std::string> ambiguous_;
  std::deque<Node> nodes_;
  // By name; null: an input or an initializer.
  absl::flat_hash_map<std::string, const Node*> makers_;
  absl::flat_hash_map<std::string, int> ranks_;  // of inputs and initializers, as far as known
  // By node with graphs of its own: the values that these read of the graphs around them.
  absl::flat_hash_map<const Node*, std::vector<std::string>> captures_;
};

// Registered in the place of a kernel's maker:
//
//   registry.Add(kTrainingDomain, "Gradient", {1}, Expansion(ExpandGradient));
class Expansion {
 public:
  // Adds the nodes that `node` stands for, which make its outputs.
  using Function = std::function<absl::Status(const Node& node, ExpansionScope& scope)>;

  explicit Expansion(Function function) : function_(std::move(function)) {}

  absl::Status Expand(const Node& node, ExpansionScope& scope) const {
    return function_(node, scope);
  }
  // A node that is run by itself has no graph around it, which is an error.
  absl::StatusOr<Kernel> operator()(const KernelInit& node) const;

 private:
  Function function_;
};

// True if the strings among an operator's attributes are names of values, as all operators have
// them that are registered so: what renames values must rename them too.
bool NamesValues(const OpRegistry& registry, absl::string_view domain, absl::string_view op_type);

// Replaces the nodes of a model, and of the graphs in it, whose operators are registered so.
// `max_nodes`: how many nodes the model may come to (ResourceExhausted). Errors of a node say which
// one it is.
absl::Status ExpandNodes(const OpRegistry& registry, int64_t max_nodes, Model* model);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_EXPANSION_H_
