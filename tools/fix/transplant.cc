#include "tools/fix/transplant.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/node_proto.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/defs/schema.h"
#include "record/operators/operator_traits.h"
#include "record/text/attribute_text.h"
#include "tools/fix/constant_forms.h"

namespace onnxcmp {
namespace {

using Kind = Operation::Kind;

absl::Status ToProto(const Node& node, onnx::NodeProto* proto) {
  const std::function<absl::Status(const Node&, onnx::GraphProto*)> add =
      [&add](const Node& inner, onnx::GraphProto* graph) {
        return NodeToProto(inner, graph->add_node(), add);
      };
  return NodeToProto(node, proto, add);
}

bool HaveSameAttributes(const Node& left, const Node& right) {
  return absl::c_all_of(AttributeNames(&left, &right), [&](const std::string& name) {
    return AttributeDifferenceText(left, right, name).empty();
  });
}

int SlotOf(const Node& node, const std::string& output) {
  return static_cast<int>(absl::c_find(node.outputs, output) - node.outputs.begin());
}

std::string FirstOutput(const Node& node) {
  const auto first =
      absl::c_find_if(node.outputs, [](const std::string& name) { return !name.empty(); });
  return first == node.outputs.end() ? "" : *first;
}

std::string InputText(const std::string& name) { return name.empty() ? "none" : name; }

// Inputs that both have alike are left out, where the inputs are no permutation.
std::string InputsText(const std::vector<std::string>& from, const std::vector<std::string>& to) {
  std::vector<std::string> sorted_from = from, sorted_to = to;
  absl::c_sort(sorted_from);
  absl::c_sort(sorted_to);
  if (sorted_from == sorted_to) {
    return absl::StrCat("inputs ", absl::StrJoin(from, ", "), " -> ", absl::StrJoin(to, ", "));
  }
  std::vector<std::string> changes;
  for (size_t i = 0; i < std::max(from.size(), to.size()); ++i) {
    const std::string a = i < from.size() ? from[i] : "", b = i < to.size() ? to[i] : "";
    if (a != b)
      changes.push_back(absl::StrCat("input ", i, " ", InputText(a), " -> ", InputText(b)));
  }
  return absl::StrJoin(changes, ", ");
}

}  // namespace

std::string NodeText(const Node& node) {
  return node.name.empty() ? absl::StrCat(node.op_type, " ", FirstOutput(node)) : node.name;
}

Transplant::Transplant(const PairIndex& pairs, const OpRegistry& registry,
                       const onnx::ModelProto& model, std::string left, std::string right,
                       Trust trust)
    : pairs_(pairs),
      registry_(registry),
      model_(model),
      left_(std::move(left)),
      right_(std::move(right)),
      trust_(trust),
      names_(model.graph()),
      after_(pairs.right.After(right_)) {}

// The first that does not depend on the result to be made.
std::string Transplant::PartnerOf(const std::string& left) const {
  for (const std::string& partner : pairs_.PartnersOf(left, trust_)) {
    if (!after_.contains(partner)) return partner;
  }
  return "";
}

std::string Transplant::CastIfOther(const std::string& name, const StreamResult* has,
                                    const StreamResult* wanted) {
  if (has == nullptr || wanted == nullptr || has->dtype == wanted->dtype ||
      !IsFloatingPoint(has->dtype) || !IsFloatingPoint(wanted->dtype)) {
    return name;
  }
  onnx::NodeProto& cast = nodes_.emplace_back();
  cast.set_op_type("Cast");
  cast.set_name(names_.New(name + "_cast"));
  cast.add_input(name);
  cast.add_output(names_.New(name + "_as_left"));
  onnx::AttributeProto* to = cast.add_attribute();
  to->set_name("to");
  to->set_type(onnx::AttributeProto::INT);
  to->set_i(static_cast<int>(wanted->dtype));
  copied_.emplace_back("Cast");
  return cast.output(0);
}

std::string Transplant::AddCopyOf(const std::string& left, const Tensor& tensor) {
  onnx::TensorProto proto;
  std::string name = names_.New(left);
  if (!TensorToProto(tensor, name, &proto).ok()) return "";
  constants_.push_back(std::move(proto));
  return name;
}

// The right's name for a left result; copies what it takes.
absl::StatusOr<std::string> Transplant::NameFor(const std::string& left) {
  if (left.empty()) return std::string();
  if (const auto known = mapped_.find(left); known != mapped_.end()) return known->second;
  std::string name = PartnerOf(left);
  if (const Tensor* constant = pairs_.left.ConstantOf(left); constant != nullptr) {
    const Tensor* same = pairs_.right.ConstantOf(name);
    if (same == nullptr || !AreSame(*same, *constant)) name = AddCopyOf(left, *constant);
  } else if (!name.empty()) {
    name = CastIfOther(name, pairs_.right.ResultOf(name), pairs_.left.ResultOf(left));
  } else {
    OC_ASSIGN_OR_RETURN(name, Copy(left));
  }
  if (name.empty()) return absl::NotFoundError(absl::StrCat("the right has nothing like ", left));
  mapped_[left] = name;
  return name;
}

bool Transplant::IsSameName(const std::string& a, const std::string& b) const {
  if (a == b) return true;
  const Tensor *left = pairs_.right.ConstantOf(a), *right = pairs_.right.ConstantOf(b);
  return left != nullptr && right != nullptr && AreSame(*left, *right);
}

bool Transplant::ReadTheSame(const Node& right, const Node& left,
                             std::vector<std::string> inputs) const {
  std::vector<std::string> own = right.inputs;
  while (!own.empty() && own.back().empty()) own.pop_back();
  while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
  if (HasTrait(left, OperatorTrait::kCommutative)) {
    absl::c_sort(own);
    absl::c_sort(inputs);
  }
  return absl::c_equal(
      own, inputs, [&](const std::string& a, const std::string& b) { return IsSameName(a, b); });
}

// The result of a node that the right has already, "" if it has none such.
std::string Transplant::TwinOf(const Node& node, const std::vector<std::string>& inputs,
                               const std::string& left) {
  if (!OuterNames(node).empty()) return "";
  const size_t slot = static_cast<size_t>(SlotOf(node, left));
  for (const Node& own : pairs_.right.model.graph.nodes) {
    if (own.op_type != node.op_type || own.domain != node.domain || slot >= own.outputs.size() ||
        own.outputs[slot].empty() || !ReadTheSame(own, node, inputs) ||
        !HaveSameAttributes(node, own)) {
      continue;
    }
    if (own.outputs[slot] == right_) {
      if (before_.empty()) before_ = names_.New(right_ + "_before");
      before_left_ = left;
      return before_;
    }
    if (!after_.contains(own.outputs[slot])) return own.outputs[slot];
  }
  return "";
}

// The right's model has to have the same operator by that name.
absl::Status Transplant::AddImport(const Node& node) {
  const int64_t version = pairs_.left.VersionOf(node);
  std::optional<int64_t> own;
  for (const auto& import : model_.opset_import()) {
    const bool onnx = import.domain() == "ai.onnx" && node.domain.empty();
    if (import.domain() == node.domain || onnx) own = import.version();
  }
  if (!own.has_value()) {
    imports_.push_back({Kind::kImport, "", static_cast<int>(version), node.domain});
    return absl::OkStatus();
  }
  const auto* here = registry_.FindSchema(node.domain, node.op_type, *own);
  const auto* there = registry_.FindSchema(node.domain, node.op_type, version);
  if (here == nullptr || there == nullptr || here->since_version() != there->since_version()) {
    return absl::FailedPreconditionError(
        absl::StrCat(node.op_type, " of opset ", version, " is another one in opset ", *own));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Transplant::Copy(const std::string& left) {
  const Node* node = pairs_.left.MakerOf(left);
  if (node == nullptr) {
    return absl::NotFoundError(absl::StrCat("the right has no input like ", left));
  }
  std::vector<std::string> inputs;
  for (const std::string& input : node->inputs) {
    OC_ASSIGN_OR_RETURN(inputs.emplace_back(), NameFor(input));
  }
  if (std::string twin = TwinOf(*node, inputs, left); !twin.empty()) return twin;
  OC_RETURN_IF_ERROR(AddImport(*node));
  onnx::NodeProto proto;
  OC_RETURN_IF_ERROR(ToProto(*node, &proto));
  for (const std::string& outer : OuterNames(*node)) {
    OC_ASSIGN_OR_RETURN(const std::string name, NameFor(outer));
    if (name != outer) RedirectReads(outer, name, &proto);
  }
  for (size_t i = 0; i < inputs.size(); ++i) proto.set_input(static_cast<int>(i), inputs[i]);
  proto.set_name(names_.New(node->name.empty() ? node->op_type : node->name));
  for (size_t i = 0; i < node->outputs.size(); ++i) {
    if (node->outputs[i].empty()) continue;
    proto.set_output(static_cast<int>(i), names_.New(node->outputs[i]));
  }
  std::string made = proto.output(SlotOf(*node, left));
  nodes_.push_back(std::move(proto));
  copied_.push_back(node->op_type);
  return made;
}

bool Transplant::IsInput(const Node& right, const std::string& attribute) const {
  const auto* schema =
      registry_.FindSchema(right.domain, right.op_type, pairs_.right.VersionOf(right));
  return schema != nullptr && absl::c_any_of(schema->inputs(), [&](const auto& input) {
           return input.GetName() == attribute;
         });
}

// The left's attribute, as a tensor, that is an input in the right's version of the operator; not
// defined if there is none.
Tensor Transplant::AttributeOf(const Node& left, const Node& right, size_t slot) const {
  const auto* schema =
      registry_.FindSchema(right.domain, right.op_type, pairs_.right.VersionOf(right));
  if (schema == nullptr || slot >= schema->inputs().size()) return Tensor();
  const auto found = left.attributes.find(schema->inputs()[slot].GetName());
  if (found == left.attributes.end()) return Tensor();
  if (const auto* number = std::get_if<float>(&found->second)) return Tensor::Scalar(*number);
  if (const auto* whole = std::get_if<int64_t>(&found->second)) return Tensor::Scalar(*whole);
  const auto* list = std::get_if<std::vector<int64_t>>(&found->second);
  if (list == nullptr) return Tensor();
  return Tensor::Of<int64_t>({static_cast<int64_t>(list->size())}, *list);
}

absl::StatusOr<Transplant::InPlace> Transplant::ChangeNode() {
  const Node* left = pairs_.left.MakerOf(left_);
  const Node* right = pairs_.right.MakerOf(right_);
  if (left == nullptr || right == nullptr || left->op_type != right->op_type ||
      left->domain != right->domain || SlotOf(*left, left_) != SlotOf(*right, right_)) {
    return absl::FailedPreconditionError("the nodes are of other operators");
  }
  InPlace made;
  onnx::NodeProto proto;
  OC_RETURN_IF_ERROR(ToProto(*left, &proto));
  for (const std::string& outer : OuterNames(*left)) {
    OC_ASSIGN_OR_RETURN(const std::string name, NameFor(outer));
    if (name != outer) RedirectReads(outer, name, &proto);
  }
  const std::string node = FirstOutput(*right);
  for (const std::string& name : AttributeNames(left, right)) {
    if (AttributeDifferenceText(*left, *right, name).empty() || IsInput(*right, name)) continue;
    const auto attribute = absl::c_find_if(
        proto.attribute(), [&](const onnx::AttributeProto& each) { return each.name() == name; });
    made.attributes.operations.push_back(
        attribute == proto.attribute().end()
            ? Operation{Kind::kDropAttribute, node, 0, name}
            : Operation{Kind::kSetAttribute, node, 0, name, attribute->SerializeAsString()});
    made.attributes.lines.push_back(absl::StrCat(NodeText(*right), ": ", name, " ",
                                                 AttributeText(*right, name), " -> ",
                                                 AttributeText(*left, name)));
  }
  std::vector<std::string> inputs = right->inputs;
  inputs.resize(std::max(left->inputs.size(), right->inputs.size()));
  const std::vector<std::string> before = inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string wanted = i < left->inputs.size() ? left->inputs[i] : "";
    const Tensor as_attribute = AttributeOf(*left, *right, i);
    const Tensor* to = as_attribute.defined() ? &as_attribute : pairs_.left.ConstantOf(wanted);
    const Tensor* from = pairs_.right.ConstantOf(inputs[i]);
    if (as_attribute.defined() && from == nullptr) continue;
    if (to == nullptr || from == nullptr) {
      OC_ASSIGN_OR_RETURN(const std::string name, NameFor(wanted));
      if (!IsSameName(name, inputs[i])) inputs[i] = name;
      continue;
    }
    const std::vector<Tensor> forms = FormsOf(*to, *from);
    if (forms.empty() ||
        absl::c_any_of(forms, [&](const Tensor& form) { return AreSame(form, *from); })) {
      continue;
    }
    if (const auto readers = pairs_.right.readers.find(inputs[i]);
        readers != pairs_.right.readers.end() && readers->second.size() > 1) {
      // Others may be right to read it.
      if (to->dtype() != from->dtype() || to->shape() != from->shape()) {
        inputs[i] = AddCopyOf(wanted, forms[0]);
        continue;
      }
      OC_ASSIGN_OR_RETURN(inputs[i], NameFor(wanted));
      continue;
    }
    onnx::TensorProto tensor;
    OC_RETURN_IF_ERROR(TensorToProto(forms[0], inputs[i], &tensor));
    made.constants.operations.push_back(
        {Kind::kSetConstant, inputs[i], 0, "", tensor.SerializeAsString()});
    made.constants.lines.push_back(absl::StrCat(inputs[i], ": ", ChangeText(*from, forms[0])));
  }
  if (ReadTheSame(*right, *left, inputs)) return made;
  AddPending(&made.inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == before[i]) continue;
    made.inputs.operations.push_back({Kind::kSetInput, node, static_cast<int>(i), inputs[i]});
  }
  made.inputs.lines.push_back(absl::StrCat(
      NodeText(*right), ": ", InputsText(before, inputs),
      copied_.empty() ? "" : absl::StrCat(", ", absl::StrJoin(copied_, ", "), " added")));
  return made;
}

void Transplant::AddPending(Edit* edit) const {
  edit->operations.insert(edit->operations.end(), imports_.begin(), imports_.end());
  for (const onnx::TensorProto& constant : constants_) {
    edit->operations.push_back(
        {Kind::kAddConstant, constant.name(), 0, "", constant.SerializeAsString()});
  }
  for (const onnx::NodeProto& node : nodes_) {
    edit->operations.push_back({Kind::kAddNode, "", 0, "", node.SerializeAsString()});
  }
}

// The right's result is taken away: who reads it reads another one.
void Transplant::Bypass(const std::string& made, Edit* edit) {
  if (!pairs_.right.IsOutput(right_)) {
    edit->operations.push_back({Kind::kRedirect, right_, 0, made});
    return;
  }
  edit->operations.push_back({Kind::kRename, right_, 0, names_.New(right_ + "_before")});
  if (pairs_.right.MakerOf(made) != nullptr && !pairs_.right.IsOutput(made)) {
    edit->operations.push_back({Kind::kRename, made, 0, right_});
    edit->operations.push_back({Kind::kRedirect, made, 0, right_});
    return;
  }
  onnx::NodeProto copy;
  copy.set_op_type("Identity");
  copy.set_name(names_.New(right_ + "_copy"));
  copy.add_input(made);
  copy.add_output(right_);
  edit->operations.push_back({Kind::kAddNode, "", 0, "", copy.SerializeAsString()});
}

// Readers of a result before which a node was lost: those that read what came before it on the
// left, too, go on reading that.
void Transplant::KeepReaders(Edit* edit) const {
  const auto readers = pairs_.right.readers.find(right_);
  if (before_left_.empty() || readers == pairs_.right.readers.end()) return;
  for (const Node* reader : readers->second) {
    const Node* partner = pairs_.left.MakerOf(pairs_.LeftOf(FirstOutput(*reader)));
    if (partner == nullptr || partner->op_type != reader->op_type ||
        absl::c_linear_search(partner->inputs, left_) ||
        !absl::c_linear_search(partner->inputs, before_left_)) {
      continue;
    }
    for (size_t i = 0; i < reader->inputs.size(); ++i) {
      if (reader->inputs[i] != right_) continue;
      edit->operations.push_back(
          {Kind::kSetInput, FirstOutput(*reader), static_cast<int>(i), before_});
    }
  }
}

// The last of the copies makes the right's result.
void Transplant::PutInPlace(const std::string& made, Edit* edit) {
  if (before_.empty()) before_ = names_.New(right_ + "_before");
  for (onnx::NodeProto& node : nodes_) {
    RedirectReads(made, right_, &node);
    for (std::string& output : *node.mutable_output()) {
      if (output == made) output = right_;
    }
  }
  edit->operations.push_back(pairs_.right.MakerOf(right_) != nullptr
                                 ? Operation{Kind::kRename, right_, 0, before_}
                                 : Operation{Kind::kDropConstant, right_});
  AddPending(edit);
  KeepReaders(edit);
}

void Transplant::Describe(const std::string& made, Edit* edit) const {
  const Node* maker = pairs_.right.MakerOf(right_);
  const std::string node = maker == nullptr ? right_ : NodeText(*maker);
  if (copied_.empty()) {
    edit->lines.push_back(
        absl::StrCat(node, ": removed, its readers read ", made == before_ ? right_ : made));
    return;
  }
  const std::string copies = absl::StrJoin(copied_, ", ");
  edit->lines.push_back(
      before_left_.empty()
          ? absl::StrCat(node, ": ", maker == nullptr ? "" : maker->op_type, " -> ", copies)
          : absl::StrCat(node, ": ", copies, " added behind ", right_));
}

absl::StatusOr<Edit> Transplant::Graft() {
  std::string made = PartnerOf(left_);
  if (pairs_.left.ConstantOf(left_) != nullptr) {
    OC_ASSIGN_OR_RETURN(made, NameFor(left_));
  } else if (made.empty()) {
    OC_ASSIGN_OR_RETURN(made, Copy(left_));
    if (made == before_) return Edit();
  }
  made =
      CastIfOther(made, copied_.empty() ? pairs_.right.ResultOf(made) : pairs_.left.ResultOf(left_),
                  pairs_.right.ResultOf(right_));
  Edit edit;
  if (nodes_.empty()) {
    AddPending(&edit);
    Bypass(made, &edit);
  } else {
    PutInPlace(made, &edit);
  }
  Describe(made, &edit);
  return edit;
}

}  // namespace onnxcmp
