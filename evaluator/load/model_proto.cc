#include "evaluator/load/model_proto.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/kernels/lazy_schemas.h"
#include "evaluator/load/node_proto.h"
#include "evaluator/model/outer_names.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

constexpr char kWrapperDomain[] = "onnxcmp";
// The first with initializers that are no inputs, and the first with functions.
constexpr int64_t kFreeInitializersIr = 4;
constexpr int64_t kFunctionsIr = 8;

// How many nodes are of which version, by domain.
using VersionCounts = std::map<std::string, std::map<int64_t, int64_t>>;

// True if a node's operator is the same in two versions of its domain.
bool IsSameIn(const Node& node, int64_t a, int64_t b) {
  if (a == b) return true;
  const auto since = [&](int64_t version) {
    return LazySchemas::OfOnnx().SinceVersion(node.domain, node.op_type, static_cast<int>(version));
  };
  return since(a) > 0 && since(a) == since(b);
}

// The most frequent versions; of equally frequent ones the newest.
OpsetImports MostFrequent(const VersionCounts& counts) {
  OpsetImports imports;
  for (const auto& [domain, versions] : counts) {
    int64_t most = 0;
    for (const auto& [version, count] : versions) {
      if (count < most) continue;
      most = count;
      imports[domain] = version;
    }
  }
  return imports;
}

template <typename Proto>
void SetImports(const OpsetImports& imports, Proto* proto) {
  for (const auto& [domain, version] : imports) {
    auto* import = proto->add_opset_import();
    import->set_domain(domain);
    import->set_version(version);
  }
}

class ModelWriter {
  // A graph, or a function's body, with the graphs inside.
  struct Scope {
    OpsetImports imports;
    const Node* wrapped = nullptr;  // is written as it is
  };

  auto Adder(Scope* scope) {
    return [this, scope](const Node& node, onnx::GraphProto* graph) {
      return Add(node, scope, graph->add_node());
    };
  }

 public:
  ModelWriter(const Model& model, onnx::ModelProto* proto) : model_(model), proto_(proto) {}

  absl::Status Write() {
    proto_->Clear();
    proto_->set_producer_name(model_.producer);
    VersionCounts counts;
    for (const Node& node : model_.graph.nodes) CountVersions(node, &counts);
    Scope scope = {MostFrequent(counts)};
    // A model without nodes needs one, too.
    if (!scope.imports.contains(kOnnxDomain)) {
      const auto import = model_.imports.find(kOnnxDomain);
      scope.imports[std::string(kOnnxDomain)] = import == model_.imports.end() ? 1 : import->second;
    }
    OC_RETURN_IF_ERROR(GraphToProto(model_.graph, proto_->mutable_graph(), Adder(&scope)));
    SetImports(scope.imports, proto_);
    proto_->set_ir_version(std::max(
        model_.ir_version, proto_->functions_size() > 0 ? kFunctionsIr : kFreeInitializersIr));
    return absl::OkStatus();
  }

 private:
  absl::Status Add(const Node& node, Scope* scope, onnx::NodeProto* proto) {
    if (node.body != nullptr) return AddCall(node, scope, proto);
    if (&node != scope->wrapped && !IsSameIn(node, scope->imports[node.domain], VersionOf(node))) {
      return AddWrapped(node, scope, proto);
    }
    return NodeToProto(node, proto, Adder(scope));
  }

  // The version that a node's operator is of; 1 where nothing says.
  int64_t VersionOf(const Node& node) const {
    const OpsetImports& imports = node.imports == nullptr ? model_.imports : *node.imports;
    const auto import = imports.find(node.domain);
    return import == imports.end() ? 1 : import->second;
  }

  void CountVersions(const Node& node, VersionCounts* counts) const {
    ++(*counts)[node.domain][VersionOf(node)];
    for (const Graph* graph : GraphsOf(node)) {
      for (const Node& inner : graph->nodes) CountVersions(inner, counts);
    }
  }

  // A node in a function of its own. What its graphs capture must become inputs.
  absl::Status AddWrapped(const Node& node, Scope* scope, onnx::NodeProto* proto) {
    const std::string name = NewName(kWrapperDomain, node.op_type);
    onnx::FunctionProto function;
    std::set<std::string> read;
    std::vector<std::string> inputs = node.inputs;
    for (std::string& capture : OuterNames(node)) inputs.push_back(std::move(capture));
    for (const std::string& input : inputs) {
      if (!input.empty() && read.insert(input).second) function.add_input(input);
    }
    for (const std::string& output : node.outputs) {
      if (!output.empty()) function.add_output(output);
    }
    VersionCounts counts;
    CountVersions(node, &counts);
    Scope inside = {MostFrequent(counts), &node};
    inside.imports[node.domain] = VersionOf(node);
    OC_RETURN_IF_ERROR(Add(node, &inside, function.add_node()));
    *proto->mutable_input() = function.input();
    *proto->mutable_output() = function.output();
    proto->set_name(node.name);
    Finish(kWrapperDomain, name, inside, &function);
    Call(kWrapperDomain, name, scope, proto);
    return absl::OkStatus();
  }

  absl::Status AddCall(const Node& node, Scope* scope, onnx::NodeProto* proto) {
    OC_RETURN_IF_ERROR(NodeToProto(node, proto, Adder(scope)));
    const auto known = bodies_.find(node.body.get());
    if (known != bodies_.end()) {
      Call(node.domain, known->second, scope, proto);
      return absl::OkStatus();
    }
    const std::string name = NewName(node.domain, node.op_type);
    bodies_[node.body.get()] = name;
    onnx::FunctionProto function;
    for (const ValueInfo& input : node.body->inputs) function.add_input(input.name);
    for (const ValueInfo& output : node.body->outputs) function.add_output(output.name);
    // They are bound in the body; the call still shows them.
    for (const auto& [attribute, value] : node.attributes) function.add_attribute(attribute);
    VersionCounts counts;
    for (const Node& inner : node.body->nodes) CountVersions(inner, &counts);
    Scope inside = {MostFrequent(counts)};
    for (const Node& inner : node.body->nodes) {
      OC_RETURN_IF_ERROR(Add(inner, &inside, function.add_node()));
    }
    Finish(node.domain, name, inside, &function);
    Call(node.domain, name, scope, proto);
    return absl::OkStatus();
  }

  // "Name", or "Name_2" if that is taken.
  std::string NewName(const std::string& domain, const std::string& wanted) {
    std::string name = wanted;
    for (int i = 2; !functions_.emplace(domain, name).second; ++i) {
      name = absl::StrCat(wanted, "_", i);
    }
    return name;
  }

  void Finish(const std::string& domain, const std::string& name, const Scope& inside,
              onnx::FunctionProto* function) {
    function->set_domain(domain);
    function->set_name(name);
    SetImports(inside.imports, function);
    proto_->add_functions()->Swap(function);
  }

  void Call(const std::string& domain, const std::string& name, Scope* scope,
            onnx::NodeProto* proto) {
    proto->set_domain(domain);
    proto->set_op_type(name);
    proto->clear_overload();
    scope->imports.try_emplace(domain, 1);
  }

  const Model& model_;
  onnx::ModelProto* proto_;
  std::set<std::pair<std::string, std::string>> functions_;  // domain, name
  absl::flat_hash_map<const Graph*, std::string> bodies_;    // their functions' names
};

}  // namespace

absl::Status ModelToProto(const Model& model, onnx::ModelProto* proto) {
  return ModelWriter(model, proto).Write();
}

}  // namespace onnxcmp
