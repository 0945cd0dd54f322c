#include "evaluator/load/expansion.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/function_body.h"
#include "evaluator/model/node_text.h"
#include "evaluator/model/outer_names.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {
namespace {

// A small file must not make a large model: nodes for each one that is there, but always this many.
constexpr int64_t kAllowedNodeGrowth = 1'000;
constexpr int64_t kAlwaysAllowedNodes = 10'000;
// Nodes that all searches through a model may come by: seconds.
constexpr int64_t kMaxReads = 20'000'000;

// No schema for a call of a local function.
ResolvedOperator Resolve(const Node& node, const OpsetImports& of_model,
                         const OpRegistry& registry) {
  ResolvedOperator op;
  op.imports = node.imports != nullptr ? node.imports.get() : &of_model;
  if (node.body != nullptr) return op;
  const auto import = op.imports->find(node.domain);
  op.opset_version =
      import != op.imports->end() ? import->second : registry.LatestVersion(node.domain);
  op.schema = registry.FindSchema(node.domain, node.op_type, op.opset_version);
  return op;
}

const Expansion* FindExpansion(const onnx::OpSchema* schema, const OpRegistry& registry) {
  if (schema == nullptr) return nullptr;
  const KernelMaker* maker =
      registry.FindKernel(schema->domain(), schema->Name(), schema->SinceVersion());
  return maker == nullptr ? nullptr : maker->target<Expansion>();
}

}  // namespace

struct ExpansionScope::Shared {
  const OpRegistry& registry;
  const OpsetImports& imports;  // the model's
  int64_t nodes_left;
  int64_t reads_left = kMaxReads;
  absl::flat_hash_set<std::string> names = {};  // of values and nodes everywhere in the model
  absl::flat_hash_map<std::string, int64_t> numbers = {};  // the last after a suggested name
};

ExpansionScope::ExpansionScope(const Graph& graph, ExpansionScope* outer, Shared* shared)
    : outer_(outer), shared_(shared) {
  for (const ValueInfo& input : graph.inputs) {
    Define(input.name, nullptr);
    if (!input.type.shape.has_value()) continue;
    ranks_[input.name] = static_cast<int>(input.type.shape->size());
  }
  for (const Initializer& initializer : graph.initializers) {
    Define(initializer.name, nullptr);
    if (initializer.value.is_tensor()) {
      ranks_[initializer.name] = initializer.value.tensor().rank();
    }
  }
}

const ExpansionScope* ExpansionScope::ScopeOf(absl::string_view name) const {
  const ExpansionScope* scope = this;
  while (scope != nullptr && !scope->makers_.contains(name)) scope = scope->outer_;
  return scope;
}

const Node* ExpansionScope::Producer(absl::string_view name) const {
  const ExpansionScope* scope = ScopeOf(name);
  return scope == nullptr ? nullptr : scope->makers_.at(name);
}

bool ExpansionScope::Knows(absl::string_view name) const { return ScopeOf(name) != nullptr; }

std::optional<int> ExpansionScope::Rank(absl::string_view name) const {
  const ExpansionScope* scope = ScopeOf(name);
  if (scope == nullptr) return std::nullopt;
  const auto found = scope->ranks_.find(name);
  return found == scope->ranks_.end() ? std::nullopt : std::optional<int>(found->second);
}

absl::StatusOr<std::vector<std::string>> ExpansionScope::Reads(const Node& node) {
  if (--shared_->reads_left < 0) {
    return absl::ResourceExhaustedError(
        "too many nodes have to be looked at to find what values depend on");
  }
  std::vector<std::string> reads;
  for (const std::string& input : node.inputs) {
    if (!input.empty()) reads.push_back(input);
  }
  if (GraphsOf(node).empty()) return reads;
  auto [known, added] = captures_.try_emplace(&node);
  if (added) known->second = OuterNames(node);
  reads.insert(reads.end(), known->second.begin(), known->second.end());
  return reads;
}

const onnx::OpSchema* ExpansionScope::SchemaOf(const Node& node) const {
  return Resolve(node, shared_->imports, shared_->registry).schema;
}

absl::StatusOr<std::shared_ptr<const Graph>> ExpansionScope::BodyOf(const Node& node) const {
  if (node.body != nullptr) return node.body;
  const ResolvedOperator op = Resolve(node, shared_->imports, shared_->registry);
  if (op.schema == nullptr || BodyKindOf(*op.schema, op.opset_version) != BodyKind::kStatic) {
    return nullptr;
  }
  return FunctionBody(node, op, {}, {}, shared_->registry);
}

std::string ExpansionScope::NewName(const std::string& suggested) {
  std::string name = suggested;
  if (shared_->names.insert(name).second) return name;
  int64_t& number = shared_->numbers.try_emplace(suggested, 1).first->second;
  do {
    name = absl::StrCat(suggested, "_", ++number);
  } while (!shared_->names.insert(name).second);
  return name;
}

int64_t ExpansionScope::nodes_left() const { return shared_->nodes_left; }

absl::Status ExpansionScope::Add(Node node) {
  if (shared_->nodes_left <= 0) {
    return absl::ResourceExhaustedError("the model would become many times larger than its file");
  }
  --shared_->nodes_left;
  Append(std::move(node));
  return absl::OkStatus();
}

void ExpansionScope::Append(Node node) {
  const Node& added = nodes_.emplace_back(std::move(node));
  for (const std::string& output : added.outputs) {
    if (!output.empty()) Define(output, &added);
  }
}

void ExpansionScope::Define(const std::string& name, const Node* maker) {
  makers_[name] = maker;
  if (outer_ != nullptr && outer_->Knows(name)) ambiguous_ = name;
}

const std::string* ExpansionScope::AmbiguousName() const {
  const ExpansionScope* scope = this;
  while (scope != nullptr && !scope->ambiguous_.has_value()) scope = scope->outer_;
  return scope == nullptr ? nullptr : &*scope->ambiguous_;
}

absl::StatusOr<Kernel> Expansion::operator()(const KernelInit& /*node*/) const {
  return absl::UnimplementedError("it needs the graph around it, and is run by itself");
}

class Expander {
 public:
  Expander(const OpRegistry& registry, int64_t max_nodes, Model* model)
      : model_(*model), shared_{registry, model->imports, max_nodes} {}

  absl::Status Run() {
    if (!Concerns(model_.graph)) return absl::OkStatus();
    AddNames(model_.graph);
    shared_.nodes_left = std::min(shared_.nodes_left - num_nodes_,
                                  std::max(kAlwaysAllowedNodes, num_nodes_ * kAllowedNodeGrowth));
    return ExpandGraph(&model_.graph, nullptr);
  }

 private:
  const Expansion* ExpansionOf(const Node& node) const {
    return FindExpansion(Resolve(node, shared_.imports, shared_.registry).schema, shared_.registry);
  }

  // The graphs in a node's attributes, and the body of a call of a local function.
  template <typename Visitor>
  static void ForEachGraph(const Node& node, const Visitor& visit) {
    for (const Graph* graph : GraphsOf(node)) visit(*graph);
    if (node.body != nullptr) visit(*node.body);
  }

  // True if anything in the graph is to be replaced. Bodies of functions are shared by their calls.
  bool Concerns(const Graph& graph) {
    auto [known, added] = concerned_.try_emplace(&graph, false);
    if (!added) return known->second;
    bool concerned = false;
    for (const Node& node : graph.nodes) {
      concerned = concerned || ExpansionOf(node) != nullptr;
      ForEachGraph(node, [&](const Graph& inner) { concerned = Concerns(inner) || concerned; });
    }
    return concerned_[&graph] = concerned;
  }

  void AddNames(const Graph& graph) {
    if (!named_.insert(&graph).second) return;
    shared_.names.merge(OwnNames(graph));
    for (const Node& node : graph.nodes) {
      ++num_nodes_;
      shared_.names.insert(node.name);
      ForEachGraph(node, [this](const Graph& inner) { AddNames(inner); });
    }
  }

  absl::Status ExpandGraph(Graph* graph, ExpansionScope* outer) {
    ExpansionScope scope(*graph, outer, &shared_);
    for (Node& node : graph->nodes) {
      if (const Expansion* expansion = ExpansionOf(node); expansion != nullptr) {
        if (absl::Status status = Expand(*expansion, node, &scope); !status.ok()) {
          return Annotate(status, DescribeNode(node, node.call_path));
        }
        continue;
      }
      OC_RETURN_IF_ERROR(ExpandInside(&node, &scope));
      scope.Append(std::move(node));
    }
    graph->nodes.assign(std::make_move_iterator(scope.nodes_.begin()),
                        std::make_move_iterator(scope.nodes_.end()));
    return absl::OkStatus();
  }

  static absl::Status Expand(const Expansion& expansion, const Node& node, ExpansionScope* scope) {
    if (const std::string* name = scope->AmbiguousName(); name != nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(Quoted(*name), " is a value of its graph and of one around it"));
    }
    return expansion.Expand(node, *scope);
  }

  absl::Status ExpandInside(Node* node, ExpansionScope* scope) {
    for (auto& [name, attribute] : node->attributes) {
      if (auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
        OC_RETURN_IF_ERROR(Replace(graph, scope));
      } else if (auto* list = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute)) {
        for (std::shared_ptr<const Graph>& element : *list) {
          OC_RETURN_IF_ERROR(Replace(&element, scope));
        }
      }
    }
    if (node->body == nullptr || !Concerns(*node->body)) return absl::OkStatus();
    auto expanded = bodies_.find(node->body);
    if (expanded == bodies_.end()) {
      std::shared_ptr<const Graph> body = node->body;
      OC_RETURN_IF_ERROR(Replace(&body, nullptr));
      expanded = bodies_.emplace(node->body, std::move(body)).first;
    }
    node->body = expanded->second;
    return absl::OkStatus();
  }

  absl::Status Replace(std::shared_ptr<const Graph>* graph, ExpansionScope* outer) {
    if (!Concerns(**graph)) return absl::OkStatus();
    auto copy = std::make_shared<Graph>(**graph);
    OC_RETURN_IF_ERROR(ExpandGraph(copy.get(), outer));
    *graph = std::move(copy);
    return absl::OkStatus();
  }

  Model& model_;
  ExpansionScope::Shared shared_;
  int64_t num_nodes_ = 0;
  absl::flat_hash_map<const Graph*, bool> concerned_;
  absl::flat_hash_set<const Graph*> named_;
  absl::flat_hash_map<std::shared_ptr<const Graph>, std::shared_ptr<const Graph>> bodies_;
};

bool NamesValues(const OpRegistry& registry, absl::string_view domain, absl::string_view op_type) {
  const int64_t version = registry.LatestVersion(domain);
  return FindExpansion(registry.FindSchema(domain, op_type, version), registry) != nullptr;
}

absl::Status ExpandNodes(const OpRegistry& registry, int64_t max_nodes, Model* model) {
  return Expander(registry, max_nodes, model).Run();
}

}  // namespace onnxcmp
