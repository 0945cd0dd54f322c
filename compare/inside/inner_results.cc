#include "compare/inside/inner_results.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compare/inside/step_model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

// A node, its inputs as names in the model of its steps.
struct Inside {
  const Node& node;
  absl::Span<const Value> values;
  std::vector<std::string> inputs;  // "": absent
  StepModel& steps;

  bool Has(size_t i) const { return i < inputs.size() && !inputs[i].empty(); }
  const Tensor& tensor(size_t i) const { return values[i].tensor(); }
  template <typename T>
  T AttributeOr(absl::string_view name, T otherwise) const {
    const auto* const given = AttributeOf<T>(node, name);
    return given == nullptr ? otherwise : *given;
  }
};

using Axes = std::vector<int64_t>;

StepModel::Attributes Along(const Axes& axes) { return {{"axes", axes}, {"keepdims", int64_t{1}}}; }

// The rest of a normalization of numbers whose mean, if it has one, is 0 already.
void AddNormalization(const Inside& in, const std::string& centered, const Axes& axes,
                      const std::string& scale) {
  StepModel& s = in.steps;
  const std::string square = s.Add("Mul", {centered, centered});
  const std::string variance = s.Add("ReduceMean", {square}, Along(axes));
  const std::string epsilon = s.Number(in.AttributeOr("epsilon", 1e-5F), centered);
  const std::string deviation = s.Add("Sqrt", {s.Add("Add", {variance, epsilon})});
  const std::string inverse = s.Add("Reciprocal", {deviation});
  const std::string normal = s.Add("Mul", {centered, inverse});
  if (!scale.empty()) s.Add("Mul", {normal, scale});
}

void AddLayerNormalization(const Inside& in, const std::string& x, const Axes& axes,
                           const std::string& scale) {
  const std::string mean = in.steps.Add("ReduceMean", {x}, Along(axes));
  AddNormalization(in, in.steps.Add("Sub", {x, mean}), axes, scale);
}

Axes LastAxes(const Inside& in) {
  const auto rank = static_cast<int64_t>(in.tensor(0).rank());
  int64_t axis = in.AttributeOr("axis", int64_t{-1});
  if (axis < 0) axis += rank;
  Axes axes;
  for (int64_t a = axis; a < rank; ++a) axes.push_back(a);
  return axes;
}

void LayerNormalization(const Inside& in) {
  AddLayerNormalization(in, in.inputs[0], LastAxes(in), in.Has(1) ? in.inputs[1] : "");
}

void RmsNormalization(const Inside& in) {
  AddNormalization(in, in.inputs[0], LastAxes(in), in.Has(1) ? in.inputs[1] : "");
}

// x + skip, with a bias that one of the two had.
std::string SumOfSkip(const Inside& in, size_t bias) {
  std::string sum = in.steps.Add("Add", {in.inputs[0], in.inputs[1]});
  if (!in.Has(bias)) return sum;
  in.steps.Add("Add", {in.inputs[0], in.inputs[bias]});
  in.steps.Add("Add", {in.inputs[1], in.inputs[bias]});
  return in.steps.Add("Add", {sum, in.inputs[bias]});
}

void SkipLayerNormalization(const Inside& in) {
  AddLayerNormalization(in, SumOfSkip(in, 4), {-1}, in.Has(2) ? in.inputs[2] : "");
}

void SkipRmsNormalization(const Inside& in) {
  AddNormalization(in, SumOfSkip(in, 3), {-1}, in.Has(2) ? in.inputs[2] : "");
}

std::vector<int64_t> Positions(int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i);
  return numbers;
}

void EmbedLayerNormalization(const Inside& in) {
  StepModel& s = in.steps;
  if (!in.Has(3) || in.tensor(0).rank() != 2) return;
  const std::string word = s.Add("Gather", {in.inputs[2], in.inputs[0]});
  const std::string position =
      s.Add("Gather",
            {in.inputs[3], in.Has(8) ? in.inputs[8] : s.Integers(Positions(in.tensor(0).dim(1)))});
  std::string sum = s.Add("Add", {word, position});
  if (in.Has(1) && in.Has(4)) {
    const std::string segment = s.Add("Gather", {in.inputs[4], in.inputs[1]});
    s.Add("Add", {word, segment});
    sum = s.Add("Add", {sum, segment});
  }
  AddLayerNormalization(in, sum, {-1}, in.Has(5) ? in.inputs[5] : "");
}

void Softmax(const Inside& in) {
  StepModel& s = in.steps;
  const Axes axes = {in.AttributeOr("axis", int64_t{-1})};
  const std::string most = s.Add("ReduceMax", {in.inputs[0]}, Along(axes));
  const std::string centered = s.Add("Sub", {in.inputs[0], most});
  const std::string sum = s.Add("ReduceL1", {s.Add("Exp", {centered})}, Along(axes));
  if (in.node.op_type == "LogSoftmax") s.Add("Log", {sum});
}

// The same product without what is added to it or what it is multiplied with.
void Product(const Inside& in) {
  StepModel::Attributes plain = in.node.attributes;
  for (const char* name : {"activation", "activation_params"}) plain.erase(name);
  const bool convolves = in.node.op_type.find("Conv") != std::string::npos;
  Node node = in.node;
  if (in.node.op_type == "FusedConv") {
    node.op_type = "Conv";
    node.domain = "";
    node.imports = nullptr;
  }
  const std::vector<std::string> factors = {in.inputs[0], in.inputs[1]};
  const bool has_bias = in.Has(2);
  const bool has_factor = in.AttributeOr("alpha", 1.0F) != 1.0F;
  if (has_bias || plain.size() != in.node.attributes.size()) in.steps.AddLike(node, factors, plain);
  if (has_factor) {
    plain["alpha"] = 1.0F;
    in.steps.AddLike(node, factors, plain);
    plain["alpha"] = in.AttributeOr("alpha", 1.0F);
  }
  if (!convolves || !in.Has(3)) return;
  std::vector<std::string> biased = factors;
  biased.push_back(in.inputs[2]);
  const std::string sum = in.steps.AddLike(node, biased, plain);
  in.steps.Add("Add", {sum, in.inputs[3]});
}

void Gelu(const Inside& in, const std::string& x) {
  StepModel& s = in.steps;
  const std::string one = s.Number(1, x);
  const std::string half = s.Number(0.5F, x);
  const std::string halved = s.Add("Mul", {x, half});
  const std::string read = s.Add("Div", {x, s.Number(std::sqrt(2.0F), x)});
  const std::string more = s.Add("Add", {s.Add("Erf", {read}), one});
  s.Add("Mul", {more, half});
  s.Add("Mul", {x, more});
  const std::string cube = s.Add("Mul", {s.Add("Mul", {x, x}), x});
  const std::string part = s.Add("Mul", {cube, s.Number(0.044715F, x)});
  const std::string inner = s.Add("Add", {x, part});
  const std::string scaled = s.Add("Mul", {inner, s.Number(0.7978845608F, x)});
  s.Add("Mul", {halved, s.Add("Add", {s.Add("Tanh", {scaled}), one})});
}

void BiasGelu(const Inside& in) {
  Gelu(in, in.Has(1) ? in.steps.Add("Add", {in.inputs[0], in.inputs[1]}) : in.inputs[0]);
}

void QuickGelu(const Inside& in) {
  StepModel& s = in.steps;
  const float alpha = in.AttributeOr("alpha", 1.702F);
  const bool scales = alpha != 1;
  s.Add("Sigmoid",
        {scales ? s.Add("Mul", {in.inputs[0], s.Number(alpha, in.inputs[0])}) : in.inputs[0]});
}

// [batch, tokens, heads * size] to [batch, heads, tokens, size].
std::string AsHeads(const Inside& in, const std::string& x, int64_t heads) {
  StepModel& s = in.steps;
  const std::string apart = s.Add("Reshape", {x, s.Integers({0, 0, heads, -1})});
  return s.Add("Transpose", {apart}, {{"perm", Axes{0, 2, 1, 3}}});
}

void HeadsAttend(const Inside& in, const std::string& query, const std::string& key,
                 const std::string& value, double size, const std::string& mask) {
  StepModel& s = in.steps;
  const std::string turned = s.Add("Transpose", {key}, {{"perm", Axes{0, 1, 3, 2}}});
  const auto given = in.AttributeOr("scale", 0.0F);
  const float factor = given != 0 ? given : static_cast<float>(1 / std::sqrt(size));
  const std::string scale = s.Number(factor, query);
  const std::string root = s.Number(std::sqrt(factor), query);
  s.Add("Mul", {query, scale});
  s.Add("Mul", {query, root});
  s.Add("Mul", {turned, root});
  const std::string products = s.Add("MatMul", {query, turned});
  std::string scores = s.Add("Mul", {products, scale});
  if (!mask.empty()) scores = s.Add("Add", {scores, mask});
  const std::string weights = s.Add("Softmax", {scores}, {{"axis", int64_t{-1}}});
  const std::string read = s.Add("MatMul", {weights, value});
  s.Add("Transpose", {read}, {{"perm", Axes{0, 2, 1, 3}}});
}

// 0 where a position counts, the filter's number elsewhere.
std::string AddedMask(const Inside& in, size_t slot) {
  StepModel& s = in.steps;
  if (!in.Has(slot)) return "";
  std::string mask = in.inputs[slot];
  if (in.tensor(slot).rank() == 1 && in.tensor(slot).dim(0) == in.tensor(0).dim(0)) {
    // Numbers of positions that count, the first ones.
    const std::string positions = s.Integers(Positions(in.tensor(0).dim(1)));
    const std::string lengths = s.Add("Unsqueeze", {mask, s.Integers({1})});
    mask = s.Add("Less", {s.Add("CastLike", {positions, lengths}), lengths});
  } else if (in.tensor(slot).rank() != 2) {
    return "";
  }
  const std::string counts = s.Add("CastLike", {mask, in.inputs[0]});
  const std::string rest = s.Add("Sub", {s.Number(1, in.inputs[0]), counts});
  const float filter = in.AttributeOr("mask_filter_value", -10000.0F);
  const std::string added = s.Add("Mul", {rest, s.Number(filter, in.inputs[0])});
  return s.Add("Unsqueeze", {added, s.Integers({1, 2})});
}

// com.microsoft.Attention: projections, heads, their attention.
void PackedAttention(const Inside& in) {
  StepModel& s = in.steps;
  const int64_t heads = in.AttributeOr("num_heads", int64_t{0});
  if (heads <= 0 || in.tensor(0).rank() != 3 || in.tensor(1).rank() != 2 || in.Has(4)) return;
  const int64_t width = in.tensor(1).dim(1) / 3;
  const std::string all = s.Add("MatMul", {in.inputs[0], in.inputs[1]});
  std::vector<std::string> parts =
      s.AddSeveral("Split", {all, s.Integers({width, width, width})}, {{"axis", int64_t{-1}}}, 3);
  if (in.Has(2)) {
    const std::string biased = s.Add("Add", {all, in.inputs[2]});
    parts = s.AddSeveral("Split", {biased, s.Integers({width, width, width})},
                         {{"axis", int64_t{-1}}}, 3);
  }
  for (std::string& part : parts) part = AsHeads(in, part, heads);
  const int64_t size = width / heads;
  HeadsAttend(in, parts[0], parts[1], parts[2], static_cast<double>(size), AddedMask(in, 3));
}

// com.microsoft.MultiHeadAttention of three inputs.
void MultiHeadAttention(const Inside& in) {
  const int64_t heads = in.AttributeOr("num_heads", int64_t{0});
  if (heads <= 0 || !in.Has(1) || !in.Has(2) || in.Has(3) || in.Has(6)) return;
  if (in.tensor(0).rank() != 3 || in.tensor(1).rank() != 3 || in.tensor(2).rank() != 3) return;
  const std::string query = AsHeads(in, in.inputs[0], heads);
  const std::string key = AsHeads(in, in.inputs[1], heads);
  const std::string value = AsHeads(in, in.inputs[2], heads);
  const int64_t size = in.tensor(0).dim(2) / heads;
  HeadsAttend(in, query, key, value, static_cast<double>(size),
              in.Has(5) ? in.inputs[5] : AddedMask(in, 4));
}

struct InnerOperator {
  absl::string_view domain;
  absl::string_view op_type;
  size_t least_inputs;
  void (*add)(const Inside& in);
};
constexpr InnerOperator kInnerOperators[] = {
    {"", "LayerNormalization", 1, LayerNormalization},
    {"", "RMSNormalization", 1, RmsNormalization},
    {"", "SimplifiedLayerNormalization", 1, RmsNormalization},
    {kMicrosoftDomain, "SkipLayerNormalization", 2, SkipLayerNormalization},
    {kMicrosoftDomain, "SkipSimplifiedLayerNormalization", 2, SkipRmsNormalization},
    {kMicrosoftDomain, "EmbedLayerNormalization", 4, EmbedLayerNormalization},
    {"", "Softmax", 1, Softmax},
    {"", "LogSoftmax", 1, Softmax},
    {"", "Gemm", 2, Product},
    {"", "Conv", 2, Product},
    {"", "ConvTranspose", 2, Product},
    {kMicrosoftDomain, "FusedMatMul", 2, Product},
    {kMicrosoftDomain, "FusedGemm", 2, Product},
    {kMicrosoftDomain, "FusedConv", 2, Product},
    {kMicrosoftDomain, "BiasGelu", 2, BiasGelu},
    {kMicrosoftDomain, "FastGelu", 1, BiasGelu},
    {kMicrosoftDomain, "QuickGelu", 1, QuickGelu},
    {kMicrosoftDomain, "Attention", 2, PackedAttention},
    {kMicrosoftDomain, "MultiHeadAttention", 3, MultiHeadAttention},
};

const InnerOperator* OperatorOf(const Node& node) {
  const auto* found = absl::c_find_if(kInnerOperators, [&](const InnerOperator& one) {
    return one.op_type == node.op_type && one.domain == node.domain;
  });
  return found == std::end(kInnerOperators) ? nullptr : found;
}

}  // namespace

bool HasInnerResults(const Node& node) { return OperatorOf(node) != nullptr; }

std::vector<Value> InnerResultsOf(const Node& node, absl::Span<const Value> inputs,
                                  const Evaluator& evaluator) {
  const InnerOperator* const known = OperatorOf(node);
  if (known == nullptr || inputs.size() < known->least_inputs) return {};
  StepModel steps;
  Inside inside = {node, inputs, {}, steps};
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool given = inputs[i].is_tensor();
    if (!given && i < known->least_inputs && !node.inputs[i].empty()) return {};
    inside.inputs.push_back(given ? steps.Given(inputs[i]) : "");
  }
  if (!inside.Has(0)) return {};
  known->add(inside);
  return steps.Run(evaluator);
}

std::string InsideOf(const Node& node) {
  const bool vowel = absl::string_view("AEIO").find(node.op_type[0]) != absl::string_view::npos;
  return absl::StrCat("inside of ", vowel ? "an " : "a ", node.op_type);
}

}  // namespace onnxcmp
