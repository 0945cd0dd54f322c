#include "record/operators/node_settings.h"

#include <iterator>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {
namespace {

// The ending of attributes of ai.onnx.ml that give a list in another element type.
constexpr absl::string_view kAsTensor = "_as_tensor";

std::string BaseName(const std::string& name) {
  return std::string(absl::StripSuffix(name, kAsTensor));
}

// A string that another version has in place of an attribute's older one; null if there is none.
const Attribute* NewName(const Node& node, const std::string& name, const Attribute& value) {
  struct Renamed {
    absl::string_view op_type, attribute, older;
    const char* newer;
  };
  static constexpr Renamed kRenamed[] = {{"GridSample", "mode", "bilinear", "linear"},
                                         {"GridSample", "mode", "bicubic", "cubic"}};
  static const std::vector<Attribute>* const kNewer = [] {
    auto* const newer = new std::vector<Attribute>();
    for (const Renamed& renamed : kRenamed) newer->emplace_back(std::string(renamed.newer));
    return newer;
  }();
  const std::string* const text = std::get_if<std::string>(&value);
  if (text == nullptr || node.domain != kOnnxDomain) return nullptr;
  for (size_t i = 0; i < std::size(kRenamed); ++i) {
    if (kRenamed[i].op_type == node.op_type && kRenamed[i].attribute == name &&
        kRenamed[i].older == *text) {
      return &(*kNewer)[i];
    }
  }
  return nullptr;
}

NodeSetting InNewestForm(const Node& node, const std::string& name, const Attribute& value,
                         bool is_default) {
  const Attribute* const newer = NewName(node, name, value);
  return {newer != nullptr ? newer : &value, is_default};
}

// Both have values, which look alike in few characters.
bool SameText(const NodeSetting& left, const NodeSetting& right) {
  return left.value != nullptr && right.value != nullptr &&
         AttributeText(*left.value) == AttributeText(*right.value);
}

}  // namespace

NodeDescription DescribeNode(const OpRegistry* registry, const Node& node) {
  NodeDescription described{node, nullptr, 0, 0};
  if (node.imports != nullptr) {
    const auto import = node.imports->find(node.domain);
    if (import != node.imports->end()) described.opset = import->second;
  }
  if (registry == nullptr) return described;
  const onnx::OpSchema* schema = registry->FindSchema(node.domain, node.op_type, described.opset);
  if (schema != nullptr) {
    described.signature = MakeSignature(*schema);
    described.since = schema->SinceVersion();
  }
  return described;
}

std::string NodeSetting::Text() const {
  if (value == nullptr) return "not given";
  return absl::StrCat(AttributeText(*value), is_default ? " (default)" : "");
}

NodeSetting SettingOf(const NodeDescription& described, const std::string& name) {
  const auto& given = described.node.attributes;
  for (const std::string& key : {name, absl::StrCat(name, kAsTensor)}) {
    if (const auto it = given.find(key); it != given.end())
      return InNewestForm(described.node, name, it->second, false);
  }
  if (described.signature == nullptr) return {};
  const auto& defaults = described.signature->defaults;
  const auto it = defaults.find(name);
  return it == defaults.end() ? NodeSetting()
                              : InNewestForm(described.node, name, it->second, true);
}

std::set<std::string> SettingNames(const NodeDescription& left, const NodeDescription& right,
                                   bool same_operator) {
  std::set<std::string> names;
  for (const std::string& name : AttributeNames(&left.node, &right.node)) {
    names.insert(BaseName(name));
  }
  if (same_operator && left.since != right.since && left.signature != nullptr &&
      right.signature != nullptr) {
    for (const auto& [name, value] : left.signature->defaults) {
      if (right.signature->defaults.contains(name)) names.insert(name);
    }
  }
  return names;
}

std::string SettingDifferenceText(const NodeSetting& left, const NodeSetting& right) {
  if (left.value == right.value) return "";
  std::string text;
  if (left.value != nullptr && right.value != nullptr) {
    text = AttributeDifferenceText(*left.value, *right.value);
    if (text.empty() || (left.given() && right.given()) || SameText(left, right)) return text;
  }
  return absl::StrCat(left.Text(), " | ", right.Text());
}

std::vector<AttributePair> AttributePairs(const OpRegistry* left_registry, const Node* left,
                                          const OpRegistry* right_registry, const Node* right,
                                          bool same) {
  std::vector<AttributePair> pairs;
  if (left == nullptr || right == nullptr) {
    for (const std::string& name : AttributeNames(left, right)) {
      pairs.push_back({name, left != nullptr ? AttributeText(*left, name) : "",
                       right != nullptr ? AttributeText(*right, name) : "", false});
    }
    return pairs;
  }
  const NodeDescription ours = DescribeNode(left_registry, *left);
  const NodeDescription theirs = DescribeNode(right_registry, *right);
  const bool same_operator = left->op_type == right->op_type && left->domain == right->domain;
  for (const std::string& name : SettingNames(ours, theirs, same_operator)) {
    const NodeSetting a = SettingOf(ours, name);
    const NodeSetting b = SettingOf(theirs, name);
    const std::string difference = same ? "" : SettingDifferenceText(a, b);
    if (difference.empty() && !a.given() && !b.given()) continue;
    AttributePair& pair = pairs.emplace_back();
    pair = {name, a.Text(), b.Text(), !difference.empty()};
    // The difference lies behind the elements or digits that are shown.
    if (pair.differs && SameText(a, b)) pair.right = difference;
  }
  return pairs;
}

}  // namespace onnxcmp
