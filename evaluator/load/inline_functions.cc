#include "evaluator/load/inline_functions.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/name_scopes.h"
#include "evaluator/load/proto_walk.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

using OriginPtr = std::shared_ptr<const Origin>;
using NodePtr = std::unique_ptr<onnx::NodeProto>;

class Inliner {
 public:
  Inliner(onnx::ModelProto* model, const FunctionTable& functions, const OpRegistry& registry,
          const LoadOptions& options, int64_t identity_opset, Origins* origins)
      : model_(model),
        functions_(functions),
        registry_(registry),
        options_(options),
        identity_imports_(std::make_shared<const OpsetImports>(
            OpsetImports{{std::string(kOnnxDomain), identity_opset}})),
        origins_(origins),
        names_(model->graph()),
        budget_(*model) {}

  absl::Status Run(std::shared_ptr<const OpsetImports> imports) {
    OriginPtr origin = std::make_shared<const Origin>(Origin{"", std::move(imports)});
    OC_RETURN_IF_ERROR(ExpandGraph(model_->mutable_graph(), origin, /*depth=*/0));
    model_->clear_functions();
    return absl::OkStatus();
  }

 private:
  // Facts of a node that are kept until its turn comes.
  struct Mark {
    std::string name;  // of a call, before it was renamed
    OriginPtr origin;  // of a node in a graph that a call passes: the caller's
  };

  absl::Status ExpandGraph(onnx::GraphProto* graph, const OriginPtr& origin, int depth) {
    OC_RETURN_IF_ERROR(CheckDepth(depth));
    std::vector<onnx::NodeProto*> extracted(static_cast<size_t>(graph->node_size()));
    graph->mutable_node()->ExtractSubrange(0, graph->node_size(), extracted.data());
    std::vector<NodePtr> nodes(extracted.begin(), extracted.end());
    for (NodePtr& node : nodes) {
      OC_RETURN_IF_ERROR(Expand(std::move(node), origin, depth, graph));
    }
    return absl::OkStatus();
  }

  // Appends a node, or what it calls, to a graph.
  absl::Status Expand(NodePtr node, OriginPtr origin, int depth, onnx::GraphProto* target) {
    Mark mark;
    if (auto found = marks_.find(node.get()); found != marks_.end()) {
      mark = std::move(found->second);
      marks_.erase(found);
    }
    if (mark.origin != nullptr) origin = std::move(mark.origin);
    if (const LocalFunction* function = functions_.Find(*node); function != nullptr) {
      absl::string_view label = !mark.name.empty()      ? mark.name
                                : !node->name().empty() ? node->name()
                                                        : node->op_type();
      absl::Status status = ExpandCall(*node, label, *function, origin, depth, target);
      EraseMarks(*node);
      return status;
    }
    OC_RETURN_IF_ERROR(
        ForEachSubgraph(node.get(), [&](const onnx::AttributeProto&, onnx::GraphProto* graph) {
          return ExpandGraph(graph, origin, depth + 1);
        }));
    return Append(std::move(node), origin, target);
  }

  absl::Status Append(NodePtr node, const OriginPtr& origin, onnx::GraphProto* target) {
    OC_RETURN_IF_ERROR(budget_.Spend(static_cast<int64_t>(origin->call_path.size())));
    if (++num_nodes_ > options_.max_nodes) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "with its functions inlined it has more than ", options_.max_nodes, " nodes"));
    }
    (*origins_)[node.get()] = origin;
    target->mutable_node()->AddAllocated(node.release());
    return absl::OkStatus();
  }

  absl::Status ExpandCall(const onnx::NodeProto& call, absl::string_view label,
                          const LocalFunction& function, const OriginPtr& origin, int depth,
                          onnx::GraphProto* target) {
    auto located = [&](absl::Status status) {
      return status.ok() ? status : Annotate(status, DescribeNode(call, origin->call_path));
    };
    OC_RETURN_IF_ERROR(located(CheckDepth(depth)));
    OC_RETURN_IF_ERROR(located(CheckCall(call, *function.proto)));
    OC_RETURN_IF_ERROR(located(budget_.Spend(function.bytes)));
    BodyRenamer renamer(*function.proto, call, absl::StrCat("__", ++num_calls_), registry_,
                        &names_);
    std::vector<NodePtr> body;
    for (const onnx::NodeProto& node : function.proto->node()) {
      body.push_back(std::make_unique<onnx::NodeProto>(node));
      MarkCalls(*body.back());
      renamer.RenameNode(body.back().get());
    }
    // After the renaming: what the call passes is written in the caller's names.
    const AttributeBindings bindings = BindAttributes(call, *function.proto);
    auto on_bound = [&](const onnx::AttributeProto& from, const onnx::AttributeProto& to) {
      CopyMarks(from, to, origin);
      return budget_.Spend(static_cast<int64_t>(to.ByteSizeLong()));
    };
    for (NodePtr& node : body) {
      OC_RETURN_IF_ERROR(located(BindReferences(bindings, on_bound, node.get())));
    }
    AddValueInfos(call, *function.proto, renamer, target);

    auto inner = std::make_shared<Origin>(Origin{origin->call_path, function.imports});
    absl::StrAppend(&inner->call_path, inner->call_path.empty() ? "" : "/", label);
    for (NodePtr& node : body) {
      OC_RETURN_IF_ERROR(Expand(std::move(node), inner, depth + 1, target));
    }
    return PassThrough(call, *function.proto, *inner, target);
  }

  // Outputs of a function that are its inputs.
  absl::Status PassThrough(const onnx::NodeProto& call, const onnx::FunctionProto& function,
                           const Origin& inner, onnx::GraphProto* target) {
    OriginPtr origin;
    for (int i = 0; i < call.output_size(); ++i) {
      if (call.output(i).empty()) continue;
      for (int j = 0; j < call.input_size(); ++j) {
        if (function.input(j) != function.output(i) || call.input(j).empty()) continue;
        if (origin == nullptr) {
          origin = std::make_shared<const Origin>(Origin{inner.call_path, identity_imports_});
        }
        auto identity = std::make_unique<onnx::NodeProto>();
        identity->set_op_type("Identity");
        identity->add_input(call.input(j));
        identity->add_output(call.output(i));
        OC_RETURN_IF_ERROR(Append(std::move(identity), origin, target));
      }
    }
    return absl::OkStatus();
  }

  // The function's types of its values, for shape inference.
  static void AddValueInfos(const onnx::NodeProto& call, const onnx::FunctionProto& function,
                            const BodyRenamer& renamer, onnx::GraphProto* target) {
    absl::flat_hash_set<absl::string_view> actual(call.input().begin(), call.input().end());
    actual.insert(call.output().begin(), call.output().end());
    for (const onnx::ValueInfoProto& info : function.value_info()) {
      const std::string name = renamer.Lookup(info.name());
      if (name.empty() || actual.contains(name)) continue;
      onnx::ValueInfoProto* copy = target->add_value_info();
      *copy = info;
      copy->set_name(name);
    }
  }

  void MarkCalls(const onnx::NodeProto& node) {
    if (!node.name().empty() && functions_.Find(node) != nullptr) marks_[&node].name = node.name();
    ForEachSubgraph(node, [this](const onnx::AttributeProto&, const onnx::GraphProto& graph) {
      for (const onnx::NodeProto& inner : graph.node()) MarkCalls(inner);
      return absl::OkStatus();
    }).IgnoreError();
  }

  // Marks of the nodes in an attribute's graphs go to those of its copy.
  void CopyMarks(const onnx::AttributeProto& from, const onnx::AttributeProto& to,
                 const OriginPtr& caller) {
    CopyMarks(from.g(), to.g(), caller);
    for (int i = 0; i < from.graphs_size(); ++i) CopyMarks(from.graphs(i), to.graphs(i), caller);
  }
  void CopyMarks(const onnx::GraphProto& from, const onnx::GraphProto& to,
                 const OriginPtr& caller) {
    for (int i = 0; i < from.node_size(); ++i) {
      Mark mark;
      if (auto found = marks_.find(&from.node(i)); found != marks_.end()) mark = found->second;
      if (mark.origin == nullptr) mark.origin = caller;
      marks_[&to.node(i)] = std::move(mark);
      for (int j = 0; j < from.node(i).attribute_size(); ++j) {
        CopyMarks(from.node(i).attribute(j), to.node(i).attribute(j), caller);
      }
    }
  }

  void EraseMarks(const onnx::NodeProto& node) {
    if (marks_.empty()) return;
    marks_.erase(&node);
    ForEachSubgraph(node, [this](const onnx::AttributeProto&, const onnx::GraphProto& graph) {
      for (const onnx::NodeProto& inner : graph.node()) EraseMarks(inner);
      return absl::OkStatus();
    }).IgnoreError();
  }

  // Graphs that calls pass on may nest deeper than the file shows.
  absl::Status CheckDepth(int depth) const {
    if (depth <= options_.max_depth) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("with its functions inlined the model is nested deeper than ",
                     options_.max_depth, ", which is the limit"));
  }

  onnx::ModelProto* model_;
  const FunctionTable& functions_;
  const OpRegistry& registry_;
  const LoadOptions& options_;
  std::shared_ptr<const OpsetImports> identity_imports_;
  Origins* origins_;
  NameGenerator names_;
  absl::flat_hash_map<const onnx::NodeProto*, Mark> marks_;
  int64_t num_calls_ = 0;
  int64_t num_nodes_ = 0;
  CopyBudget budget_;
};

}  // namespace

absl::Status InlineFunctions(onnx::ModelProto* model, const FunctionTable& functions,
                             const OpRegistry& registry, const LoadOptions& options,
                             std::shared_ptr<const OpsetImports> imports, int64_t identity_opset,
                             Origins* origins) {
  return Inliner(model, functions, registry, options, identity_opset, origins)
      .Run(std::move(imports));
}

}  // namespace onnxcmp
