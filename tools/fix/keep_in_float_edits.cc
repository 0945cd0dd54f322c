#include "tools/fix/keep_in_float_edits.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/in_float/keep_in_float.h"
#include "evaluator/load/name_scopes.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/protos/tensor_proto.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

using Kind = Operation::Kind;

bool IsShort(const StreamResult* result) {
  return result != nullptr &&
         (result->dtype == DType::kFloat16 || result->dtype == DType::kBfloat16);
}

class FloatRegion {
 public:
  FloatRegion(const FixScene& scene, const Comparison& comparison)
      : scene_(scene),
        comparison_(comparison),
        right_(scene.pairs.right),
        left_(scene.pairs.left),
        names_(scene.model.graph()) {}

  std::vector<Edit> Propose() {
    for (const KeptNode& kept : comparison_.keep_in_float->nodes) {
      if (kept.result == kNone || !Add(kept)) return {};
    }
    for (const auto& [own, made] : kept_) KeepInputs(*own, *made);
    for (const auto& [own, made] : kept_) KeepOutputs(*own);
    edit_.operations.insert(edit_.operations.end(), added_.begin(), added_.end());
    edit_.lines.push_back(
        absl::StrCat(absl::StrJoin(listed_, ", "), ": kept in float, ", BlockLists()));
    return {std::move(edit_)};
  }

 private:
  // False if no node of the right does the same in 16 bits.
  bool Add(const KeptNode& kept) {
    const std::string& left = comparison_.left.results[Index(kept.result)].name;
    const Node* made = left_.MakerOf(left);
    if (made == nullptr) return false;
    for (const std::string& name : scene_.pairs.PartnersOf(left, Trust::kAllPairs)) {
      const Node* own = right_.MakerOf(name);
      if (own == nullptr || own->op_type != made->op_type || !OuterNames(*own).empty() ||
          own->inputs.size() != made->inputs.size()) {
        continue;
      }
      kept_.emplace_back(own, made);
      listed_.push_back(kept.name.empty() ? left : kept.name);
      for (const std::string& output : own->outputs) {
        if (!IsShort(right_.ResultOf(output))) continue;
        in_float_[output] = names_.New(output + "_float");
      }
      return true;
    }
    return false;
  }

  void AddCast(const std::string& from, const std::string& to, DType dtype) {
    onnx::NodeProto cast;
    cast.set_op_type("Cast");
    cast.set_name(names_.New(to + "_cast"));
    cast.add_input(from);
    cast.add_output(to);
    onnx::AttributeProto* type = cast.add_attribute();
    type->set_name("to");
    type->set_type(onnx::AttributeProto::INT);
    type->set_i(static_cast<int>(dtype));
    added_.push_back({Kind::kAddNode, "", 0, "", cast.SerializeAsString()});
  }

  // The input of a kept node in the place of a right result: the constant that the conversion
  // rounded, or a Cast of it.
  std::string InFloat(const std::string& name, const std::string& left) {
    if (const auto known = in_float_.find(name); known != in_float_.end()) return known->second;
    const Tensor* constant = right_.ConstantOf(name);
    if (constant == nullptr
            ? !IsShort(right_.ResultOf(name))
            : constant->dtype() != DType::kFloat16 && constant->dtype() != DType::kBfloat16) {
      return name;
    }
    // Before it was rounded, where the model has it.
    const Node* maker = right_.MakerOf(name);
    if (maker != nullptr && maker->op_type == "Cast" && IsFloat(maker->inputs[0])) {
      return maker->inputs[0];
    }
    std::string made = names_.New(name + "_float");
    in_float_[name] = made;
    const Tensor* exact = left_.ConstantOf(left);
    onnx::TensorProto proto;
    if (constant != nullptr && exact != nullptr && exact->dtype() == DType::kFloat &&
        exact->shape() == constant->shape() && TensorToProto(*exact, made, &proto).ok()) {
      edit_.operations.push_back({Kind::kAddConstant, made, 0, "", proto.SerializeAsString()});
    } else {
      AddCast(name, made, DType::kFloat);
    }
    return made;
  }

  void KeepInputs(const Node& own, const Node& made) {
    for (size_t i = 0; i < own.inputs.size(); ++i) {
      const std::string name = InFloat(own.inputs[i], made.inputs[i]);
      if (name == own.inputs[i]) continue;
      edit_.operations.push_back({Kind::kSetInput, own.outputs[0], static_cast<int>(i), name});
    }
  }

  bool IsFloat(const std::string& name) const {
    const StreamResult* result = right_.ResultOf(name);
    return result != nullptr && result->dtype == DType::kFloat;
  }

  bool IsKept(const Node& node) const {
    return absl::c_any_of(kept_, [&](const auto& each) { return each.first == &node; });
  }

  // Others read the result in 16 bits, as they did.
  void KeepOutputs(const Node& own) {
    for (const std::string& output : own.outputs) {
      const auto in_float = in_float_.find(output);
      if (output.empty() || in_float == in_float_.end()) continue;
      edit_.operations.push_back({Kind::kRename, output, 0, in_float->second});
      bool is_read = right_.IsOutput(output);
      if (const auto readers = right_.readers.find(output); readers != right_.readers.end()) {
        for (const Node* reader : readers->second) {
          // Casts to float get it unrounded.
          const bool casts = reader->op_type == "Cast" && IsFloat(reader->outputs[0]);
          if (casts) {
            edit_.operations.push_back({Kind::kSetInput, reader->outputs[0], 0, in_float->second});
          }
          is_read = is_read || (!casts && !IsKept(*reader));
        }
      }
      if (!is_read) continue;
      AddCast(in_float->second, output, right_.ResultOf(output)->dtype);
    }
  }

  // The options of converters that leave these nodes in float.
  std::string BlockLists() const {
    std::vector<std::string> names, operators;
    for (const auto& [own, made] : kept_) {
      if (!made->name.empty()) names.push_back(absl::StrCat("\"", made->name, "\""));
      const std::string type = absl::StrCat("\"", made->op_type, "\"");
      if (!absl::c_linear_search(operators, type)) operators.push_back(type);
    }
    // A conversion has to name those again that are in float already.
    for (const KeptNode& kept : comparison_.keep_in_float->already) {
      if (!kept.name.empty()) names.push_back(absl::StrCat("\"", kept.name, "\""));
    }
    CutList(&names, 8);
    const bool all = absl::c_all_of(right_.model.graph.nodes, [&](const Node& node) {
      return IsKept(node) ||
             !absl::c_linear_search(operators, absl::StrCat("\"", node.op_type, "\""));
    });
    std::string text = absl::StrCat("node_block_list=[", absl::StrJoin(names, ", "), "]");
    if (all) absl::StrAppend(&text, " or op_block_list=[", absl::StrJoin(operators, ", "), "]");
    return text;
  }

  const FixScene& scene_;
  const Comparison& comparison_;
  const SideIndex& right_;
  const SideIndex& left_;
  NameGenerator names_;
  std::vector<std::pair<const Node*, const Node*>> kept_;   // of the right and of the left
  absl::flat_hash_map<std::string, std::string> in_float_;  // by the right's results
  std::vector<std::string> listed_;
  std::vector<Operation> added_;  // Casts
  Edit edit_;
};

}  // namespace

std::vector<Edit> ProposeFloat(const FixScene& scene, const Comparison& comparison) {
  const std::optional<KeepInFloat>& keep = comparison.keep_in_float;
  if (!keep.has_value() || keep->quantized || keep->converted != SideId::kRight ||
      keep->nodes.empty()) {
    return {};
  }
  return FloatRegion(scene, comparison).Propose();
}

}  // namespace onnxcmp
