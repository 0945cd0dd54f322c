// Values of a node's attributes, as the node gives them or as its schema does.
#ifndef ONNXCMP_RECORD_OPERATORS_NODE_SETTINGS_H_
#define ONNXCMP_RECORD_OPERATORS_NODE_SETTINGS_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "evaluator/kernels/op_registry.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/model/model.h"
#include "record/text/attribute_text.h"

namespace onnxcmp {

// A node with its schema's facts.
struct NodeDescription {
  const Node& node;
  std::shared_ptr<const Signature> signature;  // null without a schema
  int64_t opset;
  int64_t since;
};

// Without a registry there is no schema.
NodeDescription DescribeNode(const OpRegistry* registry, const Node& node);

// Value of an attribute that is given or has a default. A tensor in place of a list has the
// attribute's name with an ending.
struct NodeSetting {
  const Attribute* value = nullptr;  // null: it is not given, and has no default
  bool is_default = false;

  bool given() const { return value != nullptr && !is_default; }
  std::string Text() const;  // "1e-05", "1 (default)", "not given"
};

NodeSetting SettingOf(const NodeDescription& described, const std::string& name);

// All that either node gives, and of one operator the defaults that may have changed between
// versions.
std::set<std::string> SettingNames(const NodeDescription& left, const NodeDescription& right,
                                   bool same_operator);

// "1e-05 | 0.01", "1 | -1 (default)"; "" if they say the same.
std::string SettingDifferenceText(const NodeSetting& left, const NodeSetting& right);

// All that either node gives, and what differs by other defaults. Either node may be null; so may a
// registry. `same`: they are known to do the same.
std::vector<AttributePair> AttributePairs(const OpRegistry* left_registry, const Node* left,
                                          const OpRegistry* right_registry, const Node* right,
                                          bool same);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_OPERATORS_NODE_SETTINGS_H_
