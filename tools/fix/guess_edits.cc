#include "tools/fix/guess_edits.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "evaluator/load/name_scopes.h"
#include "evaluator/model/model.h"
#include "record/base/work_bounds.h"
#include "record/graphs/node_questions.h"
#include "tools/fix/transplant.h"

namespace onnxcmp {
namespace {

using Kind = Operation::Kind;

constexpr const char* kActivations[] = {"Relu", "Tanh", "Sigmoid", "Exp",      "Neg",
                                        "Abs",  "Sqrt", "Erf",     "Softplus", "Elu"};
constexpr const char* kArithmetic[] = {"Add", "Sub", "Mul", "Div", "Pow", "Max", "Min"};
constexpr const char* kReductions[] = {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin",
                                       "ReduceProd"};
constexpr const char* kPools[] = {"MaxPool", "AveragePool"};
constexpr absl::Span<const char* const> kFamilies[] = {kActivations, kArithmetic, kReductions,
                                                       kPools};

class Guesses {
 public:
  Guesses(const FixScene& scene, const Node& node, const onnx::NodeProto& proto)
      : scene_(scene), node_(node), proto_(proto), names_(scene.model.graph()) {}

  std::vector<Edit> All() {
    ExchangeInputs();
    ChangeAttributes();
    ChangeEdges();
    Remove();
    ChangeOperator();
    AddActivations();
    if (edits_.size() > work_bounds::kCandidates) edits_.resize(work_bounds::kCandidates);
    return std::move(edits_);
  }

 private:
  Edit& Add(const std::string& line) {
    Edit& edit = edits_.emplace_back();
    edit.lines.push_back(absl::StrCat(NodeText(node_), ": ", line));
    return edit;
  }

  void ExchangeInputs() {
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      for (size_t j = i + 1; j < node_.inputs.size(); ++j) {
        const std::string &a = node_.inputs[i], &b = node_.inputs[j];
        if (a.empty() || b.empty() || a == b) continue;
        Edit& edit = Add(absl::StrCat("inputs ", i, " and ", j, " exchanged"));
        edit.operations.push_back({Kind::kSetInput, node_.outputs[0], static_cast<int>(i), b});
        edit.operations.push_back({Kind::kSetInput, node_.outputs[0], static_cast<int>(j), a});
      }
    }
  }

  void SetNumber(const onnx::AttributeProto& attribute, int64_t number) {
    onnx::AttributeProto changed = attribute;
    changed.set_i(number);
    Edit& edit = Add(absl::StrCat(attribute.name(), " ", attribute.i(), " -> ", number));
    edit.operations.push_back(
        {Kind::kSetAttribute, node_.outputs[0], 0, attribute.name(), changed.SerializeAsString()});
  }

  void ChangeAttributes() {
    const StreamResult* result = scene_.pairs.right.ResultOf(node_.outputs[0]);
    const bool known = result != nullptr && result->shape.has_value();
    const int64_t rank = known ? static_cast<int64_t>(result->shape->size()) : 0;
    for (const onnx::AttributeProto& attribute : proto_.attribute()) {
      if (attribute.type() != onnx::AttributeProto::INT) continue;
      if (attribute.name() == "axis") {
        for (int64_t axis = 0; axis < rank; ++axis) {
          if (axis != attribute.i() && axis != attribute.i() + rank) SetNumber(attribute, axis);
        }
      } else if (attribute.i() == 0 || attribute.i() == 1) {
        SetNumber(attribute, 1 - attribute.i());
      }
    }
  }

  // An input reads another result of the same type and shape, the latest first.
  void ChangeEdges() {
    const SideIndex& right = scene_.pairs.right;
    const auto after = right.After(node_.outputs[0]);
    for (size_t i = 0; i < node_.inputs.size(); ++i) {
      const StreamResult* read = right.ResultOf(node_.inputs[i]);
      if (read == nullptr || right.ConstantOf(node_.inputs[i]) != nullptr) continue;
      size_t tried = 0;
      for (size_t r = right.stream.results.size(); r-- > 0;) {
        const StreamResult& other = right.stream.results[r];
        if (other.depth != 0 || other.name == read->name || other.dtype != read->dtype ||
            other.shape != read->shape || after.contains(other.name) ||
            right.ResultOf(other.name) != &other || right.ConstantOf(other.name) != nullptr ||
            ++tried > work_bounds::kTrials) {
          continue;
        }
        Edit& edit = Add(absl::StrCat("input ", i, " ", read->name, " -> ", other.name));
        edit.operations.push_back(
            {Kind::kSetInput, node_.outputs[0], static_cast<int>(i), other.name});
      }
    }
  }

  void Remove() {
    if (scene_.pairs.right.IsOutput(node_.outputs[0]) || node_.inputs.empty()) return;
    for (const std::string& input : node_.inputs) {
      if (input.empty() || scene_.pairs.right.ConstantOf(input) != nullptr) continue;
      Edit& edit = Add(absl::StrCat("removed, its readers read ", input));
      edit.operations.push_back({Kind::kRedirect, node_.outputs[0], 0, input});
    }
  }

  void ChangeOperator() {
    for (const auto& family : kFamilies) {
      const auto is = [&](const char* name) { return node_.op_type == name; };
      if (absl::c_none_of(family, is)) continue;
      for (const char* other : family) {
        if (is(other)) continue;
        onnx::NodeProto made = proto_;
        made.set_op_type(other);
        made.set_name(names_.New(made.name().empty() ? other : made.name()));
        Edit& edit = Add(absl::StrCat(node_.op_type, " -> ", other));
        edit.operations.push_back(
            {Kind::kRename, node_.outputs[0], 0, names_.New(node_.outputs[0] + "_before")});
        edit.operations.push_back({Kind::kAddNode, "", 0, "", made.SerializeAsString()});
      }
    }
  }

  void AddActivations() {
    if (node_.inputs.empty()) return;
    const std::string& input = node_.inputs[0];
    const StreamResult* result = scene_.pairs.right.ResultOf(input);
    if (result == nullptr || !IsFloatingPoint(result->dtype)) return;
    for (const char* activation : kActivations) {
      onnx::NodeProto made;
      made.set_op_type(activation);
      made.set_name(names_.New(absl::StrCat(input, "_", activation)));
      made.add_input(input);
      made.add_output(made.name());
      Edit& edit = Add(absl::StrCat("input 0 ", input, " -> ", activation, " of it"));
      edit.operations.push_back({Kind::kAddNode, "", 0, "", made.SerializeAsString()});
      edit.operations.push_back({Kind::kSetInput, node_.outputs[0], 0, made.output(0)});
    }
  }

  const FixScene& scene_;
  const Node& node_;
  const onnx::NodeProto& proto_;
  NameGenerator names_;
  std::vector<Edit> edits_;
};

}  // namespace

std::vector<Edit> ProposeGuesses(const FixScene& scene, const std::string& right) {
  const Node* node = scene.pairs.right.MakerOf(right);
  if (node == nullptr || !IsOfOnnx(*node) || node->outputs.size() != 1) return {};
  for (const onnx::NodeProto& proto : scene.model.graph().node()) {
    if (proto.output_size() == 1 && proto.output(0) == right) {
      return Guesses(scene, *node, proto).All();
    }
  }
  return {};
}

}  // namespace onnxcmp
