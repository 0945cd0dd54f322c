#include "prove/definition.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/value.h"
#include "prove/foldable_layer.h"

namespace onnxcmp {
Definition::Definition(const FieldNode& of, int variant) : of_(of), variant_(variant) {
  OpsetImports imports = {{std::string(kOnnxDomain), kDefinitionOpset},
                          {std::string(kMicrosoftDomain), 1}};
  imports_ = std::make_shared<const OpsetImports>(std::move(imports));
  for (int i = 0; i < of.num_inputs(); ++i) {
    if (Has(i)) graph_.inputs.push_back({In(i), {}});
  }
}

std::string Definition::NewName() { return absl::StrCat("n", names_++); }

std::string Definition::In(int input) const { return Has(input) ? absl::StrCat("x", input) : ""; }

std::string Definition::Held(Tensor tensor) {
  std::string name = NewName();
  graph_.initializers.push_back({name, Value(std::move(tensor))});
  return name;
}

std::string Definition::Number(float number, int like) {
  std::string name = Held(Tensor::Of<float>({}, {number}));
  return of_.InType(like) == DType::kFloat ? name : Add("CastLike", {name, In(like)});
}

std::string Definition::Integers(const std::vector<int64_t>& numbers) {
  return Held(Tensor::Of<int64_t>({static_cast<int64_t>(numbers.size())}, numbers));
}

std::string Definition::Integer(int64_t number) { return Held(Tensor::Of<int64_t>({}, {number})); }

std::string Definition::Add(absl::string_view op_type, const std::vector<std::string>& inputs,
                            Attributes attributes, absl::string_view domain) {
  Node node;
  node.domain = std::string(domain);
  node.op_type = std::string(op_type);
  node.inputs = inputs;
  while (!node.inputs.empty() && node.inputs.back().empty()) node.inputs.pop_back();
  node.outputs = {NewName()};
  node.attributes = std::move(attributes);
  node.imports = imports_;
  graph_.nodes.push_back(node);
  return node.outputs.front();
}

std::vector<std::string> Definition::AddSeveral(absl::string_view op_type,
                                                const std::vector<std::string>& inputs,
                                                Attributes attributes, int64_t outputs) {
  Add(op_type, inputs, std::move(attributes));
  Node& node = graph_.nodes.back();
  while (static_cast<int64_t>(node.outputs.size()) < outputs) node.outputs.push_back(NewName());
  return node.outputs;
}

std::string Definition::Reshaped(const std::string& x, const Shape& shape) {
  return Add("Reshape", {x, Integers({shape.begin(), shape.end()})}, {{"allowzero", int64_t{1}}});
}

std::string Definition::Transposed(const std::string& x, const std::vector<int64_t>& order) {
  return Add("Transpose", {x}, {{"perm", order}});
}

std::string Definition::Swish(const std::string& x, float alpha) {
  const std::string scaled = alpha == 1 ? x : Add("Mul", {x, Number(alpha)});
  return Add("Mul", {x, Add("Sigmoid", {scaled})});
}

absl::StatusOr<std::string> Definition::Activated(const std::string& x,
                                                  absl::string_view activation,
                                                  absl::Span<const float> numbers) {
  const auto number = [&](size_t i, float fallback) {
    return i < numbers.size() ? numbers[i] : fallback;
  };
  if (activation.empty() || activation == "none" || activation == "identity") return x;
  for (const char* const plain : {"Relu", "Sigmoid", "Tanh", "Gelu", "Softplus", "HardSwish"}) {
    if (activation == plain) return Add(plain, {x});
  }
  if (activation == "LeakyRelu") return Add("LeakyRelu", {x}, {{"alpha", number(0, 0.01F)}});
  if (activation == "HardSigmoid") {
    return Add("HardSigmoid", {x}, {{"alpha", number(0, 0.2F)}, {"beta", number(1, 0.5F)}});
  }
  if (activation == "Clip" && numbers.size() == 2) {
    return Add("Clip", {x, Number(numbers[0]), Number(numbers[1])});
  }
  return NoMeaning(absl::StrCat("activation ", activation));
}

void Definition::Out(int output, const std::string& name) { outputs_[output] = name; }

absl::StatusOr<Graph> Definition::Body() {
  for (int i = 0; i < of_.num_outputs(); ++i) {
    if (!of_.HasOutput(i)) continue;
    const auto made = outputs_.find(i);
    if (made == outputs_.end() || made->second.empty()) {
      return absl::UnimplementedError("one of its outputs");
    }
    // An output may be an input.
    graph_.outputs.push_back({Add("Identity", {made->second}), {}});
  }
  return std::move(graph_);
}

bool AreNear(const Value& made, const Value& expected) {
  if (!made.is_tensor() || !expected.is_tensor() ||
      made.tensor().shape() != expected.tensor().shape()) {
    return false;
  }
  const DType dtype = expected.tensor().dtype();
  const std::vector<double> a = NumbersIn(made.tensor());
  const std::vector<double> b = NumbersIn(expected.tensor());
  if (a.size() != b.size() || static_cast<int64_t>(b.size()) != expected.tensor().num_elements()) {
    return false;
  }
  double most = 0;
  for (const double number : b) {
    if (std::isfinite(number)) most = std::max(most, std::fabs(number));
  }
  const bool is_narrow = dtype == DType::kFloat16 || dtype == DType::kBfloat16;
  const double allowed = IsFloatingPoint(dtype) ? most * (is_narrow ? 3e-2 : 1e-3) + 1e-30 : 1.0;
  for (size_t i = 0; i < b.size(); ++i) {
    const double x = a[i];
    const double y = b[i];
    if (x != y && !(std::isnan(x) && std::isnan(y)) && !(std::fabs(x - y) <= allowed)) return false;
  }
  return true;
}

absl::StatusOr<std::vector<FieldValue>> InPlaces(const FieldNode& node,
                                                 std::vector<FieldValue> made) {
  std::vector<FieldValue> outputs(static_cast<size_t>(node.num_outputs()));
  size_t next = 0;
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!node.HasOutput(i)) continue;
    FieldValue& value = made[next++];
    if (!AreNear(value.number, node.number(i))) {
      return absl::UnimplementedError("its definition gives other numbers");
    }
    outputs[static_cast<size_t>(i)] = std::move(value);
  }
  return outputs;
}

Defines FindDefinition(absl::string_view domain, absl::string_view op_type) {
  for (const auto& family :
       {AttentionDefinitions(), CompositeDefinitions(), LayoutDefinitions(),
        NormalizationDefinitions(), ProductDefinitions(), QuantizedDefinitions(),
        RecurrentDefinitions(), SignalDefinitions(), VersionDefinitions()}) {
    for (const DefinitionRow& row : family) {
      if (row.op_type == op_type && row.domain == domain) return row.define;
    }
  }
  return nullptr;
}

}  // namespace onnxcmp
