#include "tools/fix/edit.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/proto_walk.h"
#include "evaluator/load/sort_nodes.h"
#include "tools/parts/known_model.h"

namespace onnxcmp {
namespace {

using Kind = Operation::Kind;
using NameSet = absl::flat_hash_set<std::string>;

int IndexOfNode(const onnx::GraphProto& graph, absl::string_view result) {
  for (int i = 0; i < graph.node_size(); ++i) {
    const auto& outputs = graph.node(i).output();
    if (std::find(outputs.begin(), outputs.end(), result) != outputs.end()) return i;
  }
  return -1;
}

absl::StatusOr<onnx::NodeProto*> NodeThatMakes(absl::string_view result, onnx::GraphProto* graph) {
  const int i = IndexOfNode(*graph, result);
  if (i < 0) return absl::NotFoundError(absl::StrCat("no node makes ", result));
  return graph->mutable_node(i);
}

template <typename Message>
absl::StatusOr<Message> Parsed(const Operation& operation) {
  Message message;
  if (!message.ParseFromString(operation.message)) {
    return absl::InvalidArgumentError("an edit holds a message that cannot be read");
  }
  return message;
}

void SetAttribute(const onnx::AttributeProto& attribute, onnx::NodeProto* node) {
  for (auto& own : *node->mutable_attribute()) {
    if (own.name() == attribute.name()) {
      own = attribute;
      return;
    }
  }
  *node->add_attribute() = attribute;
}

void DropAttribute(absl::string_view name, onnx::NodeProto* node) {
  for (int i = node->attribute_size() - 1; i >= 0; --i) {
    if (node->attribute(i).name() == name) node->mutable_attribute()->DeleteSubrange(i, 1);
  }
}

void SetInput(int slot, const std::string& name, onnx::NodeProto* node) {
  while (node->input_size() <= slot) node->add_input();
  node->set_input(slot, name);
  while (node->input_size() > 0 && node->input(node->input_size() - 1).empty()) {
    node->mutable_input()->RemoveLast();
  }
}

absl::Status SetConstant(const std::string& name, onnx::TensorProto tensor,
                         onnx::GraphProto* graph) {
  tensor.set_name(name);
  for (auto& initializer : *graph->mutable_initializer()) {
    if (initializer.name() != name) continue;
    initializer = std::move(tensor);
    return absl::OkStatus();
  }
  OC_ASSIGN_OR_RETURN(onnx::NodeProto* const node, NodeThatMakes(name, graph));
  if (node->op_type() != "Constant") {
    return absl::NotFoundError(absl::StrCat(name, " is no constant"));
  }
  node->clear_attribute();
  onnx::AttributeProto* value = node->add_attribute();
  value->set_name("value");
  value->set_type(onnx::AttributeProto::TENSOR);
  *value->mutable_t() = std::move(tensor);
  return absl::OkStatus();
}

bool Makes(const onnx::GraphProto& graph, const std::string& name) {
  const auto has = [&](const auto& infos) {
    return std::any_of(infos.begin(), infos.end(),
                       [&](const auto& info) { return info.name() == name; });
  };
  return has(graph.input()) || has(graph.initializer()) || IndexOfNode(graph, name) >= 0;
}

void DropConstant(const std::string& name, onnx::GraphProto* graph) {
  auto* constants = graph->mutable_initializer();
  for (int i = constants->size() - 1; i >= 0; --i) {
    if (constants->Get(i).name() == name) constants->DeleteSubrange(i, 1);
  }
}

void AddConstant(const onnx::TensorProto& tensor, onnx::ModelProto* model) {
  *model->mutable_graph()->add_initializer() = tensor;
  // Before IR version 4 an initializer is an input, too.
  if (model->ir_version() >= 4) return;
  onnx::ValueInfoProto* info = model->mutable_graph()->add_input();
  info->set_name(tensor.name());
  auto* type = info->mutable_type()->mutable_tensor_type();
  type->set_elem_type(tensor.data_type());
  for (const int64_t size : tensor.dims()) type->mutable_shape()->add_dim()->set_dim_value(size);
}

void Import(const std::string& domain, int version, onnx::ModelProto* model) {
  auto* import = model->add_opset_import();
  import->set_domain(domain);
  import->set_version(version);
}

absl::Status ApplyToNode(const Operation& operation, onnx::GraphProto* graph) {
  OC_ASSIGN_OR_RETURN(onnx::NodeProto* const node, NodeThatMakes(operation.result, graph));
  if (operation.kind == Kind::kSetInput) {
    SetInput(operation.slot, operation.name, node);
  } else if (operation.kind == Kind::kDropAttribute) {
    DropAttribute(operation.name, node);
  } else if (operation.kind == Kind::kRename) {
    for (std::string& output : *node->mutable_output()) {
      if (output == operation.result) output = operation.name;
    }
  } else if (operation.kind == Kind::kDropNode) {
    graph->mutable_node()->DeleteSubrange(IndexOfNode(*graph, operation.result), 1);
  } else {
    OC_ASSIGN_OR_RETURN(const auto attribute, Parsed<onnx::AttributeProto>(operation));
    SetAttribute(attribute, node);
  }
  return absl::OkStatus();
}

absl::Status Apply(const Operation& operation, onnx::ModelProto* model) {
  onnx::GraphProto* graph = model->mutable_graph();
  switch (operation.kind) {
    case Kind::kSetConstant: {
      OC_ASSIGN_OR_RETURN(auto tensor, Parsed<onnx::TensorProto>(operation));
      return SetConstant(operation.result, std::move(tensor), graph);
    }
    case Kind::kRedirect:
      for (auto& node : *graph->mutable_node())
        RedirectReads(operation.result, operation.name, &node);
      return absl::OkStatus();
    case Kind::kAddNode: {
      OC_ASSIGN_OR_RETURN(*graph->add_node(), Parsed<onnx::NodeProto>(operation));
      return absl::OkStatus();
    }
    case Kind::kAddConstant: {
      OC_ASSIGN_OR_RETURN(const auto tensor, Parsed<onnx::TensorProto>(operation));
      AddConstant(tensor, model);
      return absl::OkStatus();
    }
    case Kind::kImport:
      Import(operation.name, operation.slot, model);
      return absl::OkStatus();
    case Kind::kDropConstant:
      DropConstant(operation.result, graph);
      return absl::OkStatus();
    default:
      return ApplyToNode(operation, graph);
  }
}

NameSet ReadNames(const onnx::GraphProto& graph) {
  NameSet read;
  for (const auto& node : graph.node()) {
    for (std::string& name : NamesReadBy(node)) read.insert(std::move(name));
  }
  for (const auto& output : graph.output()) read.insert(output.name());
  return read;
}

// Names that nothing reads: of nodes, the first output if none is read, and of initializers. Those
// that users may set as inputs stay.
std::vector<Operation> Unread(const onnx::GraphProto& graph) {
  const NameSet read = ReadNames(graph);
  std::vector<Operation> unread;
  for (const auto& node : graph.node()) {
    const auto& outputs = node.output();
    const auto first = std::find_if(outputs.begin(), outputs.end(),
                                    [](const std::string& name) { return !name.empty(); });
    if (first == outputs.end() ||
        std::any_of(outputs.begin(), outputs.end(),
                    [&](const auto& name) { return read.contains(name); })) {
      continue;
    }
    unread.push_back({Kind::kDropNode, *first});
  }
  NameSet inputs;
  for (const auto& input : graph.input()) inputs.insert(input.name());
  for (const auto& initializer : graph.initializer()) {
    if (!read.contains(initializer.name()) && !inputs.contains(initializer.name())) {
      unread.push_back({Kind::kDropConstant, initializer.name()});
    }
  }
  return unread;
}

}  // namespace

void RedirectReads(const std::string& from, const std::string& to, onnx::NodeProto* node) {
  for (std::string& input : *node->mutable_input()) {
    if (input == from) input = to;
  }
  (void)ForEachSubgraph(node, [&](const onnx::AttributeProto&, onnx::GraphProto* graph) {
    if (Makes(*graph, from)) return absl::OkStatus();
    for (auto& inner : *graph->mutable_node()) RedirectReads(from, to, &inner);
    for (auto& output : *graph->mutable_output()) {
      if (output.name() == from) output.set_name(to);
    }
    return absl::OkStatus();
  });
}

int64_t Edit::added() const {
  return absl::c_count_if(
      operations, [](const Operation& operation) { return operation.kind == Kind::kAddNode; });
}

absl::Status ApplyEdit(const Edit& edit, onnx::ModelProto* model) {
  for (const Operation& operation : edit.operations) OC_RETURN_IF_ERROR(Apply(operation, model));
  return SortNodes(model->mutable_graph());
}

absl::Status ApplyAndClean(Edit* edit, onnx::ModelProto* model) {
  NameSet before;
  for (const Operation& drop : Unread(model->graph())) before.insert(drop.result);
  OC_RETURN_IF_ERROR(ApplyEdit(*edit, model));
  for (bool more = true; more;) {
    more = false;
    for (Operation& drop : Unread(model->graph())) {
      if (before.contains(drop.result)) continue;
      OC_RETURN_IF_ERROR(Apply(drop, model));
      edit->operations.push_back(std::move(drop));
      more = true;
    }
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
