#include "evaluator/load/function_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/load/normalize_model.h"
#include "evaluator/load/proto_walk.h"
#include "evaluator/load/sort_nodes.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

std::string Key(absl::string_view domain, absl::string_view name, absl::string_view overload) {
  // Lengths, so that no two triples meet.
  return absl::StrCat(domain.size(), ":", domain, name.size(), ":", name, overload);
}

int64_t SaturatedAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

// A small file may come to a large model, but not to one of another order: repeated layers make
// tens of nodes from one, a file made to fill the memory makes hundreds of thousands.
constexpr int64_t kAlwaysAllowedNodes = 100'000;
constexpr int64_t kAllowedNodeGrowth = 1'000;
constexpr int64_t kAlwaysAllowedBytes = int64_t{256} << 20;
constexpr int64_t kAllowedByteGrowth = 4;

}  // namespace

class FunctionTable::Builder {
 public:
  Builder(FunctionTable* table, const LoadOptions& options) : table_(table), options_(options) {}

  absl::Status Collect(onnx::ModelProto* model) {
    for (onnx::FunctionProto& function : *model->mutable_functions()) {
      LocalFunction& entry =
          table_->functions_[Key(function.domain(), function.name(), function.overload())];
      if (entry.proto != nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("function ", FunctionName(function), " is there twice"));
      }
      entry.proto = &function;
    }
    return absl::OkStatus();
  }

  absl::Status Resolve(onnx::ModelProto* model, const OpsetImports& imports) {
    imports_ = &imports;
    Extent extent;
    OC_RETURN_IF_ERROR(AddNodes(model->graph().node(), /*depth=*/0, &extent));
    if (!table_->has_calls_) return absl::OkStatus();
    file_nodes_ = SaturatedAdd(file_nodes_, extent.own_nodes);
    int64_t limit = std::min(options_.max_nodes,
                             std::max(kAlwaysAllowedNodes, file_nodes_ * kAllowedNodeGrowth));
    if (extent.nodes > limit) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "its functions call each other so often that its ", file_nodes_, " nodes would become ",
          extent.nodes == std::numeric_limits<int64_t>::max()
              ? std::string("more than can be counted")
              : absl::StrCat(extent.nodes),
          "; the limit is ", limit));
    }
    return absl::OkStatus();
  }

 private:
  struct Extent {
    int64_t nodes = 0;      // all that calling it comes to
    int64_t own_nodes = 0;  // in the file
    int depth = 0;
  };

  template <typename Nodes>
  absl::Status AddNodes(const Nodes& nodes, int depth, Extent* extent) {
    for (const onnx::NodeProto& node : nodes) {
      extent->own_nodes = SaturatedAdd(extent->own_nodes, 1);
      int64_t count = 1;
      int called_depth = 0;
      if (auto found = table_->functions_.find(Key(node.domain(), node.op_type(), node.overload()));
          found != table_->functions_.end()) {
        table_->has_calls_ = true;
        OC_RETURN_IF_ERROR(ResolveFunction(&found->second));
        count = found->second.nodes;
        called_depth = found->second.depth + 1;
      }
      extent->nodes = SaturatedAdd(extent->nodes, count);
      extent->depth = std::max(extent->depth, depth + called_depth);
      if (extent->depth > options_.max_depth) {
        return absl::ResourceExhaustedError(
            absl::StrCat(DescribeNode(node, Path()), ": functions and subgraphs are nested deeper ",
                         "than ", options_.max_depth, ", which is the limit"));
      }
      OC_RETURN_IF_ERROR(
          ForEachSubgraph(node, [&](const onnx::AttributeProto&, const onnx::GraphProto& graph) {
            return AddNodes(graph.node(), depth + 1, extent);
          }));
    }
    return absl::OkStatus();
  }

  absl::Status ResolveFunction(LocalFunction* function) {
    if (function->imports != nullptr) return absl::OkStatus();
    auto open = std::find(path_.begin(), path_.end(), function);
    if (open != path_.end()) {
      path_.erase(path_.begin(), open);
      return absl::InvalidArgumentError(absl::StrCat("functions call themselves: ", Path(), " -> ",
                                                     FunctionName(*function->proto)));
    }
    path_.push_back(function);
    // Bounds this recursion too.
    if (static_cast<int>(path_.size()) > options_.max_depth) {
      return absl::ResourceExhaustedError(absl::StrCat("functions call each other more than ",
                                                       options_.max_depth,
                                                       " deep, which is the limit: ", Path()));
    }
    OC_RETURN_IF_ERROR(SortNodes(function->proto));
    Extent extent;
    OC_RETURN_IF_ERROR(AddNodes(function->proto->node(), /*depth=*/0, &extent));
    function->nodes = extent.nodes;
    const auto& inputs = function->proto->input();
    for (const std::string& output : function->proto->output()) {
      // It takes a node of its own.
      bool is_input = std::find(inputs.begin(), inputs.end(), output) != inputs.end();
      function->nodes = SaturatedAdd(function->nodes, is_input ? 1 : 0);
    }
    function->depth = extent.depth;
    function->bytes = static_cast<int64_t>(function->proto->ByteSizeLong());
    file_nodes_ = SaturatedAdd(file_nodes_, extent.own_nodes);
    OC_ASSIGN_OR_RETURN(OpsetImports imports, ImportsOf(*function->proto));
    imports.insert(imports_->begin(), imports_->end());
    function->imports = std::make_shared<const OpsetImports>(std::move(imports));
    path_.pop_back();
    return absl::OkStatus();
  }

  std::string Path() const {
    return absl::StrJoin(path_, " -> ", [](std::string* out, const LocalFunction* function) {
      out->append(FunctionName(*function->proto));
    });
  }

  FunctionTable* table_;
  const LoadOptions& options_;
  const OpsetImports* imports_ = nullptr;
  std::vector<const LocalFunction*> path_;  // that are being resolved
  int64_t file_nodes_ = 0;
};

absl::StatusOr<FunctionTable> FunctionTable::Build(onnx::ModelProto* model,
                                                   const OpsetImports& imports,
                                                   const LoadOptions& options) {
  FunctionTable table;
  Builder builder(&table, options);
  OC_RETURN_IF_ERROR(builder.Collect(model));
  OC_RETURN_IF_ERROR(builder.Resolve(model, imports));
  return table;
}

const LocalFunction* FunctionTable::Find(const onnx::NodeProto& node) const {
  if (functions_.empty()) return nullptr;
  auto found = functions_.find(Key(node.domain(), node.op_type(), node.overload()));
  return found == functions_.end() ? nullptr : &found->second;
}

CopyBudget::CopyBudget(const onnx::ModelProto& model)
    : bytes_left_(kAlwaysAllowedBytes +
                  kAllowedByteGrowth * static_cast<int64_t>(model.ByteSizeLong())) {}

absl::Status CopyBudget::Spend(int64_t bytes) {
  bytes_left_ -= bytes;
  if (bytes_left_ >= 0) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      "with the bodies of its functions in place of their calls the model would be many times "
      "larger than its file");
}

std::string FunctionName(const onnx::FunctionProto& function) {
  return OperatorName(function.domain(), function.name());
}

AttributeBindings BindAttributes(const onnx::NodeProto& call, const onnx::FunctionProto& function) {
  AttributeBindings bindings;
  for (const onnx::AttributeProto& attribute : function.attribute_proto()) {
    bindings[attribute.name()] = &attribute;
  }
  for (const onnx::AttributeProto& attribute : call.attribute()) {
    bindings[attribute.name()] = &attribute;
  }
  return bindings;
}

absl::Status BindReferences(
    const AttributeBindings& bindings,
    absl::FunctionRef<absl::Status(const onnx::AttributeProto&, const onnx::AttributeProto&)>
        on_bound,
    onnx::NodeProto* node) {
  auto bind_graph = [&](onnx::GraphProto* graph) {
    for (onnx::NodeProto& inner : *graph->mutable_node()) {
      OC_RETURN_IF_ERROR(BindReferences(bindings, on_bound, &inner));
    }
    return absl::OkStatus();
  };
  auto* attributes = node->mutable_attribute();
  for (auto attribute = attributes->begin(); attribute != attributes->end();) {
    if (attribute->ref_attr_name().empty()) {
      if (attribute->has_g()) OC_RETURN_IF_ERROR(bind_graph(attribute->mutable_g()));
      for (auto& graph : *attribute->mutable_graphs()) OC_RETURN_IF_ERROR(bind_graph(&graph));
      ++attribute;
      continue;
    }
    auto bound = bindings.find(attribute->ref_attr_name());
    if (bound == bindings.end()) {
      attribute = attributes->erase(attribute);
      continue;
    }
    std::string name = attribute->name();
    *attribute = *bound->second;
    attribute->set_name(name);
    OC_RETURN_IF_ERROR(on_bound(*bound->second, *attribute));
    ++attribute;
  }
  return absl::OkStatus();
}

absl::Status CheckCall(const onnx::NodeProto& call, const onnx::FunctionProto& function) {
  if (call.input_size() <= function.input_size() && call.output_size() <= function.output_size()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "it has ", call.input_size(), " inputs and ", call.output_size(), " outputs where function ",
      FunctionName(function), " has ", function.input_size(), " and ", function.output_size()));
}

}  // namespace onnxcmp
