#include "tools/parts/part.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/node_proto.h"
#include "evaluator/load/proto_walk.h"
#include "evaluator/model/value_type.h"
#include "evaluator/protos/tensor_proto.h"
#include "record/graphs/reach.h"
#include "tools/parts/checked_model.h"

namespace onnxcmp {
namespace {

using NameSet = absl::flat_hash_set<std::string>;

// The operators that nodes name, those of their subgraphs too: domain, then operator and overload.
void AddOperators(const onnx::NodeProto& node, std::set<std::pair<std::string, std::string>>* to) {
  to->emplace(node.domain(), absl::StrCat(node.op_type(), ":", node.overload()));
  (void)ForEachSubgraph(node, [&](const onnx::AttributeProto&, const onnx::GraphProto& graph) {
    for (const onnx::NodeProto& inner : graph.node()) AddOperators(inner, to);
    return absl::OkStatus();
  });
}

class PartMaker {
 public:
  PartMaker(const KnownModel& known, const PartChoice& choice)
      : known_(known), choice_(choice), whole_(known.proto->graph()) {}

  absl::StatusOr<FedModel> Make() {
    if (choice_.nodes.empty()) return absl::InvalidArgumentError("a part needs a node");
    onnx::ModelProto& model = made_.proto;
    model.set_ir_version(known_.proto->ir_version());
    model.set_producer_name(known_.proto->producer_name());
    model.set_producer_version(known_.proto->producer_version());
    onnx::GraphProto* graph = model.mutable_graph();
    graph->set_name(whole_.name().empty() ? "part" : whole_.name());
    for (const int i : choice_.nodes) {
      *graph->add_node() = whole_.node(i);
      for (const std::string& name : whole_.node(i).output()) {
        if (!name.empty()) own_.insert(name);
      }
    }
    OC_RETURN_IF_ERROR(AddEntries());
    AddOutputs();
    AddOperatorSets();
    for (const onnx::ValueInfoProto& info : whole_.value_info()) {
      if (own_.contains(info.name()) && !outputs_.contains(info.name())) {
        *graph->add_value_info() = info;
      }
    }
    for (const auto& annotation : whole_.quantization_annotation()) {
      if (own_.contains(annotation.tensor_name()) || entries_.contains(annotation.tensor_name())) {
        *graph->add_quantization_annotation() = annotation;
      }
    }
    return std::move(made_);
  }

 private:
  // Inputs and constants in the order of the model, then in that of their first use.
  absl::Status AddEntries() {
    std::vector<std::string> read;
    for (const int i : choice_.nodes) {
      for (const std::string& name : known_.reads[static_cast<size_t>(i)]) {
        if (!own_.contains(name) && entries_.insert(name).second) read.push_back(name);
      }
    }
    FindSymbols(read);
    NameSet done;
    for (const onnx::ValueInfoProto& input : whole_.input()) {
      if (!entries_.contains(input.name()) || !known_.feeds.contains(input.name())) continue;
      done.insert(input.name());
      OC_RETURN_IF_ERROR(AddInput(input.name(), &input));
    }
    for (const onnx::TensorProto& initializer : whole_.initializer()) {
      if (!entries_.contains(initializer.name()) || !done.insert(initializer.name()).second) {
        continue;
      }
      *made_.proto.mutable_graph()->add_initializer() = initializer;
      DeclareInitializer(initializer.name());
    }
    for (const onnx::SparseTensorProto& sparse : whole_.sparse_initializer()) {
      if (!entries_.contains(sparse.values().name())) continue;
      done.insert(sparse.values().name());
      *made_.proto.mutable_graph()->add_sparse_initializer() = sparse;
    }
    for (const std::string& name : read) {
      if (!done.contains(name)) OC_RETURN_IF_ERROR(AddResult(name));
    }
    return absl::OkStatus();
  }

  // A result of a node outside.
  absl::Status AddResult(const std::string& name) {
    const auto value = known_.values.find(name);
    if (value == known_.values.end()) {
      return absl::InvalidArgumentError(absl::StrCat("the value of ", name, " is not known"));
    }
    const bool constant = choice_.constants || known_.constant.contains(name);
    if (!constant || !value->second.is_tensor()) return AddInput(name, nullptr);
    OC_RETURN_IF_ERROR(TensorToProto(value->second.tensor(), name,
                                     made_.proto.mutable_graph()->add_initializer()));
    DeclareInitializer(name);
    return absl::OkStatus();
  }

  // Before IR version 4 an initializer is an input, too.
  void DeclareInitializer(const std::string& name) {
    if (known_.proto->ir_version() >= 4) return;
    const auto value = known_.values.find(name);
    if (value == known_.values.end()) return;
    const absl::StatusOr<TypeInfo> type = TypeAndShapeOf(value->second);
    if (!type.ok()) return;
    onnx::ValueInfoProto* info = made_.proto.mutable_graph()->add_input();
    info->set_name(name);
    TypeToProto(*type, info->mutable_type());
  }

  absl::Status AddInput(const std::string& name, const onnx::ValueInfoProto* declared) {
    const auto value = known_.values.find(name);
    if (value == known_.values.end() || value->second.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("the value of ", name, " is not known"));
    }
    made_.feeds[name] = value->second;
    onnx::ValueInfoProto* info = made_.proto.mutable_graph()->add_input();
    if (declared != nullptr && symbols_hold_) {
      *info = *declared;
      return absl::OkStatus();
    }
    info->set_name(name);
    OC_ASSIGN_OR_RETURN(const TypeInfo type, TypeOfEntry(name, value->second));
    TypeToProto(type, info->mutable_type());
    return absl::OkStatus();
  }

  // The symbols that the model's inputs declare, if each has one size in all entries.
  void FindSymbols(const std::vector<std::string>& read) {
    for (const onnx::ValueInfoProto& input : whole_.input()) {
      const TypeInfo type = TypeFromProto(input.type());
      if (!type.shape.has_value()) continue;
      for (const TypeInfo::Dim& dim : *type.shape) {
        if (!dim.symbol.empty()) symbols_.insert(dim.symbol);
      }
    }
    std::map<std::string, int64_t> sizes;
    for (const std::string& name : read) {
      const auto type = known_.types.find(name);
      const auto value = known_.values.find(name);
      if (type == known_.types.end() || value == known_.values.end()) continue;
      if (!type->second.shape.has_value() || !value->second.is_tensor()) continue;
      const Shape& shape = value->second.tensor().shape();
      for (size_t i = 0; i < shape.size() && i < type->second.shape->size(); ++i) {
        const std::string& symbol = (*type->second.shape)[i].symbol;
        if (symbol.empty()) continue;
        if (sizes.emplace(symbol, shape[i]).first->second != shape[i]) symbols_hold_ = false;
      }
    }
    if (!symbols_hold_) symbols_.clear();
  }

  absl::StatusOr<TypeInfo> TypeOfEntry(const std::string& name, const Value& value) const {
    OC_ASSIGN_OR_RETURN(TypeInfo type, TypeAndShapeOf(value));
    const auto found = known_.types.find(name);
    if (found == known_.types.end()) return type;
    if (!type.shape.has_value()) {
      return found->second.kind == type.kind ? found->second : type;
    }
    const auto& inferred = found->second.shape;
    if (!inferred.has_value() || inferred->size() != type.shape->size()) return type;
    for (size_t i = 0; i < inferred->size(); ++i) {
      if (symbols_.contains((*inferred)[i].symbol)) (*type.shape)[i] = (*inferred)[i];
    }
    return type;
  }

  bool IsWanted(const std::string& name) const {
    if (!choice_.outputs.empty()) {
      return std::find(choice_.outputs.begin(), choice_.outputs.end(), name) !=
             choice_.outputs.end();
    }
    for (const auto& output : whole_.output()) {
      if (output.name() == name) return true;
    }
    const auto readers = known_.readers.find(name);
    if (readers == known_.readers.end()) return false;
    return !std::all_of(readers->second.begin(), readers->second.end(), [&](int reader) {
      return std::binary_search(choice_.nodes.begin(), choice_.nodes.end(), reader);
    });
  }

  void AddOutput(const std::string& name) {
    if (!outputs_.insert(name).second) return;
    onnx::ValueInfoProto* info = made_.proto.mutable_graph()->add_output();
    info->set_name(name);
    const auto value = known_.values.find(name);
    if (value == known_.values.end()) return;
    if (const absl::StatusOr<TypeInfo> type = TypeOf(value->second); type.ok()) {
      const auto inferred = known_.types.find(name);
      const bool open = type->kind != TypeInfo::Kind::kTensor && inferred != known_.types.end() &&
                        inferred->second.kind == type->kind;
      TypeToProto(open ? inferred->second : *type, info->mutable_type());
    }
  }

  void AddOutputs() {
    for (const int i : choice_.nodes) {
      for (const std::string& name : whole_.node(i).output()) {
        if (!name.empty() && IsWanted(name)) AddOutput(name);
      }
    }
    // Nodes with unread results.
    for (const int i : choice_.nodes) {
      const auto& names = whole_.node(i).output();
      const bool dead = std::none_of(names.begin(), names.end(), [&](const std::string& name) {
        return known_.readers.contains(name) || outputs_.contains(name);
      });
      if (!dead || !choice_.outputs.empty()) continue;
      const auto first = std::find_if(names.begin(), names.end(),
                                      [](const std::string& name) { return !name.empty(); });
      if (first != names.end()) AddOutput(*first);
    }
  }

  // Functions that are called, and the operator sets that anything is from.
  void AddOperatorSets() {
    std::set<std::pair<std::string, std::string>> operators;
    for (const onnx::NodeProto& node : made_.proto.graph().node()) AddOperators(node, &operators);
    std::vector<bool> kept(static_cast<size_t>(known_.proto->functions_size()));
    for (bool more = true; more;) {
      more = false;
      for (int i = 0; i < known_.proto->functions_size(); ++i) {
        const onnx::FunctionProto& function = known_.proto->functions(i);
        if (kept[static_cast<size_t>(i)] ||
            !operators.contains(
                {function.domain(), absl::StrCat(function.name(), ":", function.overload())})) {
          continue;
        }
        kept[static_cast<size_t>(i)] = more = true;
        for (const onnx::NodeProto& node : function.node()) AddOperators(node, &operators);
      }
    }
    for (int i = 0; i < known_.proto->functions_size(); ++i) {
      if (kept[static_cast<size_t>(i)]) *made_.proto.add_functions() = known_.proto->functions(i);
    }
    NameSet domains = {""};
    for (const auto& [domain, op_type] : operators) domains.insert(domain);
    for (const auto& import : known_.proto->opset_import()) {
      if (domains.contains(import.domain())) *made_.proto.add_opset_import() = import;
    }
  }

  const KnownModel& known_;
  const PartChoice& choice_;
  const onnx::GraphProto& whole_;
  FedModel made_;
  NameSet own_, entries_, outputs_, symbols_;
  bool symbols_hold_ = true;
};

}  // namespace

absl::StatusOr<FedModel> MakePart(const KnownModel& known, const PartChoice& choice) {
  return PartMaker(known, choice).Make();
}

std::vector<int> NodesBehind(const KnownModel& known, const std::vector<std::string>& results,
                             absl::FunctionRef<bool(const std::string& name)> stops) {
  std::set<int> nodes;
  Reach(
      results, [&](const std::string& name) { return known.Before(name); },
      [&](const std::string& name) {
        const auto maker = known.makers.find(name);
        if (stops(name) || maker == known.makers.end()) return false;
        nodes.insert(maker->second);
        return true;
      });
  return {nodes.begin(), nodes.end()};
}

absl::StatusOr<std::vector<int>> NodesBetween(const KnownModel& known,
                                              const std::vector<std::string>& from,
                                              const std::vector<std::string>& to) {
  NameSet reached;
  std::vector<int> nodes = NodesBehind(known, to, [&](const std::string& name) {
    const bool stops = absl::c_linear_search(from, name);
    if (stops) reached.insert(name);
    return stops;
  });
  if (nodes.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("no node computes ", absl::StrJoin(to, ", "),
                     from.empty() ? "" : " from " + absl::StrJoin(from, ", ")));
  }
  for (const std::string& name : from) {
    if (!reached.contains(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat(absl::StrJoin(to, ", "), " is not computed from ", name));
    }
  }
  return nodes;
}

absl::StatusOr<onnx::ModelProto> AsFunction(const onnx::ModelProto& model,
                                            const std::string& function) {
  constexpr char kPartDomain[] = "onnxcmp.part";
  const onnx::GraphProto& graph = model.graph();
  if (graph.sparse_initializer_size() > 0) {
    return absl::UnimplementedError("a function takes no sparse initializers");
  }
  onnx::ModelProto made = model;
  made.set_ir_version(std::max<int64_t>(made.ir_version(), 8));
  onnx::FunctionProto* body = made.add_functions();
  body->set_domain(kPartDomain);
  body->set_name(function);
  *body->mutable_opset_import() = model.opset_import();
  *body->mutable_node() = graph.node();
  onnx::NodeProto call;
  call.set_domain(kPartDomain);
  call.set_op_type(function);
  call.set_name(function);
  NameSet inputs;
  const auto add_input = [&](const std::string& name) {
    if (!inputs.insert(name).second) return;
    body->add_input(name);
    call.add_input(name);
  };
  for (const auto& input : graph.input()) add_input(input.name());
  for (const auto& initializer : graph.initializer()) add_input(initializer.name());
  for (const auto& output : graph.output()) {
    body->add_output(output.name());
    call.add_output(output.name());
  }
  made.mutable_graph()->clear_node();
  made.mutable_graph()->clear_value_info();
  *made.mutable_graph()->add_node() = call;
  auto* import = made.add_opset_import();
  import->set_domain(kPartDomain);
  import->set_version(1);
  return made;
}

void TypeOutputs(const OpRegistry& registry, const absl::flat_hash_map<std::string, Value>& known,
                 onnx::ModelProto* model) {
  onnx::ModelProto inferred = *model;
  for (auto& output : *inferred.mutable_graph()->mutable_output()) {
    if (output.type().has_tensor_type())
      output.mutable_type()->mutable_tensor_type()->clear_shape();
  }
  const bool typed = InferTypes(registry, /*strict=*/true, &inferred).ok();
  bool fixed = true;
  for (const auto& input : model->graph().input()) {
    const TypeInfo type = TypeFromProto(input.type());
    fixed = fixed && type.shape.has_value() &&
            std::all_of(type.shape->begin(), type.shape->end(),
                        [](const TypeInfo::Dim& dim) { return dim.value.has_value(); });
  }
  for (int i = 0; i < model->graph().output_size(); ++i) {
    onnx::ValueInfoProto& output = *model->mutable_graph()->mutable_output(i);
    const auto& found = inferred.graph().output(i).type();
    if (typed && found.has_tensor_type() && found.tensor_type().has_shape()) {
      *output.mutable_type() = found;
      continue;
    }
    const auto value = known.find(output.name());
    if (value == known.end() || !value->second.is_tensor()) continue;
    absl::StatusOr<TypeInfo> type = TypeAndShapeOf(value->second);
    if (!type.ok()) continue;
    if (!fixed) {
      for (TypeInfo::Dim& dim : *type->shape) dim.value.reset();
    }
    output.mutable_type()->Clear();
    TypeToProto(*type, output.mutable_type());
  }
}

}  // namespace onnxcmp
