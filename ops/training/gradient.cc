#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/expansion.h"
#include "ops/training/derivatives/derivative.h"
#include "ops/training/derivatives/differentiate.h"

namespace onnxcmp {
namespace {

// An attribute of that type; its type's empty value if there is none.
template <typename T>
T AttributeOr(const Node& node, absl::string_view name) {
  const auto found = node.attributes.find(name);
  const T* value = found == node.attributes.end() ? nullptr : std::get_if<T>(&found->second);
  return value == nullptr ? T() : *value;
}

// Gradient (ai.onnx.preview.training 1): outputs dy/dxs[i] of the tensor named `y`, as a function
// of those named `xs` and `zs`, at the values that the inputs give to xs, then to zs. Of a y with
// several elements their sum is differentiated, which the specification leaves open but for its
// second-order example. An x that y does not depend on has a gradient of zeros. It is no kernel:
// nodes that compute the derivative take its place (derivatives/).
absl::Status ExpandGradient(const Node& node, const DerivativeRules& rules, ExpansionScope& scope) {
  Differentiation what;
  what.node = &node;
  const auto xs = AttributeOr<std::vector<std::string>>(node, "xs");
  const auto zs = AttributeOr<std::vector<std::string>>(node, "zs");
  what.independent = xs;
  what.independent.insert(what.independent.end(), zs.begin(), zs.end());
  what.at = node.inputs;
  what.y = AttributeOr<std::string>(node, "y");
  what.gradients = node.outputs;
  if (xs.empty() || what.y.empty()) return absl::InvalidArgumentError("it names no xs or no y");
  if (what.at.size() != what.independent.size()) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", what.at.size(), " inputs, but xs and",
                                                   " zs name ", what.independent.size(),
                                                   " tensors"));
  }
  if (what.gradients.size() > xs.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it has ", what.gradients.size(), " outputs, but xs names ", xs.size(), " tensors"));
  }
  return Differentiate(what, rules, scope);
}

}  // namespace

void RegisterTrainingGradient(OpRegistry& registry) {
  const auto rules = std::make_shared<const DerivativeRules>(AllDerivativeRules());
  registry.Add(kTrainingDomain, "Gradient", {1},
               Expansion([rules](const Node& node, ExpansionScope& scope) {
                 return ExpandGradient(node, *rules, scope);
               }));
}

}  // namespace onnxcmp
