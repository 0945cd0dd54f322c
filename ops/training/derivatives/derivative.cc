#include "ops/training/derivatives/derivative.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

std::string DerivativeNodes::FilledLike(const std::string& value, float element) {
  const std::string filled = Add(kOnnxDomain, "ConstantOfShape", {ShapeOf(value)},
                                 {{"value", Tensor::Of<float>({1}, {element})}}, 1)[0];
  return Add(kOnnxDomain, "CastLike", {filled, value}, {}, 1)[0];
}

std::string DerivativeBuilder::At(const std::vector<std::string>& names, int index) {
  return static_cast<size_t>(index) < names.size() ? names[static_cast<size_t>(index)] : "";
}

const Attribute* DerivativeBuilder::Find(absl::string_view name) const {
  for (const Attributes* attributes : {&node_.node->attributes, node_.defaults}) {
    if (const auto found = attributes->find(name); found != attributes->end()) {
      return &found->second;
    }
  }
  return nullptr;
}

template <typename T>
T DerivativeBuilder::Get(absl::string_view name, const T& fallback) const {
  const Attribute* attribute = Find(name);
  const T* value = attribute == nullptr ? nullptr : std::get_if<T>(attribute);
  return value == nullptr ? fallback : *value;
}

int64_t DerivativeBuilder::Int(absl::string_view name, int64_t fallback) const {
  return Get<int64_t>(name, fallback);
}
float DerivativeBuilder::Float(absl::string_view name, float fallback) const {
  return Get<float>(name, fallback);
}
std::string DerivativeBuilder::String(absl::string_view name) const {
  return Get<std::string>(name, {});
}
std::vector<int64_t> DerivativeBuilder::Ints(absl::string_view name) const {
  return Get<std::vector<int64_t>>(name, {});
}

std::string DerivativeBuilder::dy(int index) {
  return HasGradient(index) ? At(node_.gradients, index) : ZerosLike(output(index));
}

std::string DerivativeBuilder::Op(absl::string_view op_type, std::vector<std::string> inputs,
                                  Attributes attributes) {
  return Ops(op_type, std::move(inputs), std::move(attributes), 1)[0];
}

std::vector<std::string> DerivativeBuilder::Ops(absl::string_view op_type,
                                                std::vector<std::string> inputs,
                                                Attributes attributes, int num_outputs) {
  return nodes_.Add(kOnnxDomain, op_type, std::move(inputs), std::move(attributes), num_outputs);
}

std::string DerivativeBuilder::MicrosoftOp(absl::string_view op_type,
                                           std::vector<std::string> inputs, Attributes attributes) {
  return MicrosoftOps(op_type, std::move(inputs), std::move(attributes), 1)[0];
}

std::vector<std::string> DerivativeBuilder::MicrosoftOps(absl::string_view op_type,
                                                         std::vector<std::string> inputs,
                                                         Attributes attributes, int num_outputs) {
  return nodes_.Add(kMicrosoftDomain, op_type, std::move(inputs), std::move(attributes),
                    num_outputs);
}

std::string DerivativeBuilder::Scalar(double value, const std::string& like) {
  return Op("CastLike", {Op("Constant", {}, {{"value", Tensor::Scalar<double>(value)}}), like});
}

std::string DerivativeBuilder::Vector(const std::vector<int64_t>& values) {
  const auto size = static_cast<int64_t>(values.size());
  return Op("Constant", {}, {{"value", Tensor::Of<int64_t>({size}, values)}});
}

std::string DerivativeBuilder::SumTo(const std::string& gradient, const std::string& like) {
  const std::string axes = MicrosoftOp("BroadcastGradientArgs", {ShapeOf(like), ShapeOf(gradient)});
  const std::string sum = Op("ReduceSum", {gradient, axes}, {{"noop_with_empty_axes", int64_t{1}}});
  return ReshapeTo(sum, like);
}

std::string DerivativeBuilder::SumPerChannel(const std::string& value) {
  const std::string flat = Op("Reshape", {value, Vector({0, 0, -1})});
  return Op("ReduceSum", {flat, Vector({0, 2})}, {{"keepdims", int64_t{0}}});
}

std::string DerivativeBuilder::ReshapeTo(const std::string& value, const std::string& like) {
  return Op("Reshape", {value, ShapeOf(like)}, {{"allowzero", int64_t{1}}});
}

void DerivativeBuilder::Give(int input, std::string gradient) {
  given_[static_cast<size_t>(input)] = std::move(gradient);
}

void DerivativeRules::Add(absl::string_view domain, absl::string_view op_type, Versions versions,
                          DerivativeRule rule) {
  OC_CHECK(rules_
               .emplace(std::pair(std::string(domain), std::string(op_type)),
                        std::pair(versions, std::move(rule)))
               .second);
}

const DerivativeRule* DerivativeRules::Find(absl::string_view domain, absl::string_view op_type,
                                            int version) const {
  const auto found = rules_.find({std::string(domain), std::string(op_type)});
  if (found == rules_.end()) return nullptr;
  const auto& [versions, rule] = found->second;
  return version < versions.first || version > versions.last ? nullptr : &rule;
}

DerivativeRules AllDerivativeRules() {
  DerivativeRules rules;
  AddActivationDerivatives(rules);
  AddArithmeticDerivatives(rules);
  AddConstantDerivatives(rules);
  AddConvolutionDerivatives(rules);
  AddFunctionDerivatives(rules);
  AddGatherDerivatives(rules);
  AddLossDerivatives(rules);
  AddNormalizationDerivatives(rules);
  AddPoolDerivatives(rules);
  AddProductDerivatives(rules);
  AddReductionDerivatives(rules);
  AddSelectionDerivatives(rules);
  AddShapeDerivatives(rules);
  AddSoftmaxDerivatives(rules);
  return rules;
}

}  // namespace onnxcmp
