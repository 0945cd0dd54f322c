// Queries about single nodes.
#ifndef ONNXCMP_RECORD_GRAPHS_NODE_QUESTIONS_H_
#define ONNXCMP_RECORD_GRAPHS_NODE_QUESTIONS_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <variant>

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

// True for an operator of ai.onnx.
inline bool IsOfOnnx(const Node& node) { return node.domain == kOnnxDomain; }

inline bool IsOneOf(const Node& node, std::initializer_list<absl::string_view> operators) {
  return IsOfOnnx(node) &&
         std::find(operators.begin(), operators.end(), node.op_type) != operators.end();
}

// Null if the node has no attribute of this name and type.
template <typename T>
const T* AttributeOf(const Node& node, absl::string_view name) {
  const auto it = node.attributes.find(name);
  return it == node.attributes.end() ? nullptr : std::get_if<T>(&it->second);
}

inline std::optional<int64_t> IntAttribute(const Node& node, absl::string_view name) {
  const auto* number = AttributeOf<int64_t>(node, name);
  return number == nullptr ? std::nullopt : std::optional<int64_t>(*number);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_NODE_QUESTIONS_H_
