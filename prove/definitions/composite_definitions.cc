// Definitions of fused chains of simple operators.
#include <array>

#include "absl/status/statusor.h"
#include "evaluator/base/status_macros.h"
#include "prove/definition.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kOptimDomain = "onnx_extended.ortops.optim.cuda";

// Two operators one after the other: AddMul is (x + y) * z.
absl::Status Chain(Definition& d, absl::string_view first, absl::string_view second) {
  const FieldNode& node = d.of();
  if (node.Int("transposeMiddle", 0) != 0) return NoMeaning("transposeMiddle");
  const bool negative = node.Int("negative", 0) != 0;
  const bool turns_first = negative && first == "Sub";
  const std::string a = d.Add(first, {d.In(turns_first ? 1 : 0), d.In(turns_first ? 0 : 1)});
  const bool turns = negative && second == "Sub";
  std::string b = d.Add(second, {turns ? d.In(2) : a, turns ? a : d.In(2)});
  if (d.Has(3)) b = d.Add(second, {b, d.In(3)});
  d.Out(0, b);
  return absl::OkStatus();
}
absl::Status AddAdd(Definition& d) { return Chain(d, "Add", "Add"); }
absl::Status MulMul(Definition& d) { return Chain(d, "Mul", "Mul"); }
absl::Status AddMul(Definition& d) { return Chain(d, "Add", "Mul"); }
absl::Status MulAdd(Definition& d) { return Chain(d, "Mul", "Add"); }
absl::Status SubMul(Definition& d) { return Chain(d, "Sub", "Mul"); }
absl::Status MulSub(Definition& d) { return Chain(d, "Mul", "Sub"); }

absl::Status SharedInput(Definition& d) {
  const absl::string_view op_type = d.of().node().op_type == "AddSharedInput" ? "Add" : "Mul";
  if (d.of().Int("transposeMiddle", 0) != 0) return NoMeaning("transposeMiddle");
  d.Out(0, d.Add(op_type, {d.In(0), d.In(1)}));
  d.Out(1, d.Add(op_type, {d.In(0), d.In(2)}));
  return absl::OkStatus();
}

absl::Status MulSigmoid(Definition& d) {
  d.Out(0, d.Swish(d.In(0)));
  return absl::OkStatus();
}
absl::Status MulMulSigmoid(Definition& d) {
  d.Out(0, d.Add("Mul", {d.In(0), d.Swish(d.In(1))}));
  return absl::OkStatus();
}
absl::Status OneLess(Definition& d) {
  d.Out(0, d.Add("Sub", {d.Number(1), d.In(0)}));
  return absl::OkStatus();
}

absl::Status ScaledSilu(Definition& d) {
  const std::string scale = d.Has(1) ? d.In(1) : d.Number(d.of().Number("alpha", 1));
  const std::string x = d.Add("Mul", {d.In(0), scale});
  d.Out(0, d.Swish(x));
  return absl::OkStatus();
}

std::array<std::string, 2> Halves(Definition& d, const std::string& x) {
  const std::vector<std::string> halves =
      d.AddSeveral("Split", {x}, {{"axis", int64_t{-1}}, {"num_outputs", int64_t{2}}}, 2);
  return {halves[0], halves[1]};
}

absl::Status Rotary(Definition& d) {
  const bool right = d.of().String("side", "") == "right";
  const auto [first, second] = Halves(d, d.In(0));
  const std::string negative = d.Add("Neg", {right ? second : first});
  d.Out(0, d.Add("Concat", {right ? negative : second, right ? first : negative},
                 {{"axis", int64_t{-1}}}));
  return absl::OkStatus();
}

absl::Status TransposeCast(Definition& d) {
  const bool half = d.of().number(0).tensor().dtype() == DType::kFloat16;
  d.Out(0, d.Add("Cast", {d.Transposed(d.In(0), {1, 0})}, {{"to", int64_t{half ? 10 : 1}}}));
  return absl::OkStatus();
}

absl::Status ScatterOfShape(Definition& d) {
  const std::string zeros = d.Add("ConstantOfShape", {d.In(0)});
  d.Out(0, d.Add("ScatterND", {zeros, d.In(1), d.In(2)},
                 {{"reduction", d.of().String("reduction", "none")}}));
  return absl::OkStatus();
}

absl::Status BiasSplitGelu(Definition& d) {
  const auto [left, right] = Halves(d, d.Add("Add", {d.In(0), d.In(1)}));
  d.Out(0, d.Add("Mul", {left, d.Add("Gelu", {right})}));
  return absl::OkStatus();
}

// Outside of training nothing is dropped.
absl::Status BiasDropout(Definition& d) {
  if (d.Has(4)) return NoMeaning("it may draw random numbers");
  std::string sum = d.Add("Add", {d.In(0), d.In(1)});
  if (d.Has(2)) sum = d.Add("Add", {sum, d.In(2)});
  d.Out(0, sum);
  return absl::OkStatus();
}

absl::Status ComplexMul(Definition& d) {
  const bool conjugate = d.of().node().op_type == "ComplexMulConj";
  const auto [a, b] = Halves(d, d.In(0));
  const auto [c, e] = Halves(d, d.In(1));
  const std::string ac = d.Add("Mul", {a, c});
  const std::string be = d.Add("Mul", {b, e});
  const std::string ae = d.Add("Mul", {a, e});
  const std::string bc = d.Add("Mul", {b, c});
  const std::string real = d.Add(conjugate ? "Add" : "Sub", {ac, be});
  const std::string imaginary = d.Add(conjugate ? "Sub" : "Add", {bc, ae});
  d.Out(0, d.Add("Concat", {real, imaginary}, {{"axis", int64_t{-1}}}));
  return absl::OkStatus();
}

absl::Status Distances(Definition& d) {
  const std::string a = d.Add("Unsqueeze", {d.In(0), d.Integers({1})});
  const std::string b = d.Add("Unsqueeze", {d.In(1), d.Integers({0})});
  const std::string apart = d.Add("Sub", {a, b});
  const std::string squares = d.Add("Mul", {apart, apart});
  const std::string sum =
      d.Add("ReduceSum", {squares, d.Integers({2})}, {{"keepdims", int64_t{0}}});
  d.Out(0, d.of().String("metric", "sqeuclidean") == "euclidean" ? d.Add("Sqrt", {sum}) : sum);
  return absl::OkStatus();
}

absl::Status GatedAdd(Definition& d) {
  const std::string gate =
      d.Has(3) ? d.Add("Sigmoid", {d.Add("MatMul", {d.In(2), d.In(3)})}) : d.In(2);
  d.Out(0, d.Add("Add", {d.In(0), d.Add("Mul", {d.In(1), gate})}));
  return absl::OkStatus();
}

// G sigmoid(alpha G) (L + beta), G and L clipped.
std::string GatedUnit(Definition& d, std::string gate, std::string up) {
  const float limit = d.of().Number("limit", 0);
  if (limit > 0) {
    const std::string most = d.Number(limit);
    gate = d.Add("Min", {gate, most});
    up = d.Add("Clip", {up, d.Number(-limit), most});
  }
  const float beta = d.of().Number("activation_beta", 0);
  if (beta != 0) up = d.Add("Add", {up, d.Number(beta)});
  return d.Add("Mul", {d.Swish(gate, d.of().Number("activation_alpha", 1)), up});
}

absl::Status SwiGlu(Definition& d) {
  if (d.Has(1)) {
    d.Out(0, GatedUnit(d, d.In(0), d.In(1)));
  } else {
    const auto [gate, up] = Halves(d, d.In(0));
    d.Out(0, GatedUnit(d, gate, up));
  }
  return absl::OkStatus();
}

absl::Status RouterGateUp(Definition& d) {
  const int64_t router = d.of().Int("router_size", 0);
  const int64_t half = (d.ShapeOf(1)[1] - router) / 2;
  const std::string product = d.Add("MatMul", {d.In(0), d.In(1)});
  const std::vector<std::string> parts = d.AddSeveral(
      "Split", {product, d.Integers({router, half, half})}, {{"axis", int64_t{-1}}}, 3);
  d.Out(0, parts[0]);
  d.Out(1, GatedUnit(d, parts[1], parts[2]));
  return absl::OkStatus();
}

absl::Status GemmFastGelu(Definition& d) {
  std::string x = d.Add("MatMul", {d.In(0), d.In(1)});
  if (d.Has(2)) x = d.Add("Add", {x, d.In(2)});
  d.Out(0, d.Add("Gelu", {x}, {{"approximate", std::string("tanh")}}));
  return absl::OkStatus();
}

// The activation's own numbers, as Gemm and MatMul name them.
std::vector<float> ActivationNumbers(const FieldNode& node) {
  std::vector<float> numbers;
  for (const char* const name : {"activation_alpha", "activation_beta", "activation_gamma"}) {
    if (!node.HasAttribute(name)) break;
    numbers.push_back(node.Number(name, 0));
  }
  return numbers;
}

absl::Status FusedGemm(Definition& d) {
  const FieldNode& node = d.of();
  const std::string product = d.Add("Gemm", {d.In(0), d.In(1), d.In(2)},
                                    {{"alpha", node.Number("alpha", 1)},
                                     {"beta", node.Number("beta", 1)},
                                     {"transA", node.Int("transA", 0)},
                                     {"transB", node.Int("transB", 0)}});
  OC_ASSIGN_OR_RETURN(const std::string out,
                      d.Activated(product, node.String("activation", ""), ActivationNumbers(node)));
  d.Out(0, out);
  return absl::OkStatus();
}

absl::Status FusedMatMulActivation(Definition& d) {
  const FieldNode& node = d.of();
  Definition::Attributes attributes = {{"alpha", node.Number("alpha", 1)}};
  for (const char* const name : {"transA", "transB", "transBatchA", "transBatchB"}) {
    attributes[name] = node.Int(name, 0);
  }
  const std::string product =
      d.Add("FusedMatMul", {d.In(0), d.In(1)}, std::move(attributes), kMicrosoftDomain);
  OC_ASSIGN_OR_RETURN(const std::string out,
                      d.Activated(product, node.String("activation", ""), ActivationNumbers(node)));
  d.Out(0, out);
  return absl::OkStatus();
}

constexpr DefinitionRow kCompositeDefinitions[] = {
    {kOptimDomain, "AddAdd", AddAdd},
    {kOptimDomain, "AddAddAdd", AddAdd},
    {kOptimDomain, "MulMul", MulMul},
    {kOptimDomain, "MulMulMul", MulMul},
    {kOptimDomain, "AddMul", AddMul},
    {kOptimDomain, "MulAdd", MulAdd},
    {kOptimDomain, "SubMul", SubMul},
    {kOptimDomain, "MulSub", MulSub},
    {kOptimDomain, "AddSharedInput", SharedInput},
    {kOptimDomain, "MulSharedInput", SharedInput},
    {kOptimDomain, "MulSigmoid", MulSigmoid},
    {kOptimDomain, "MulMulSigmoid", MulMulSigmoid},
    {kOptimDomain, "NegXplus1", OneLess},
    {kOptimDomain, "Rotary", Rotary},
    {kOptimDomain, "Transpose2DCastFP16", TransposeCast},
    {kOptimDomain, "Transpose2DCastFP32", TransposeCast},
    {kOptimDomain, "ScatterNDOfShape", ScatterOfShape},
    {kMicrosoftDomain, "ScaledSiLU", ScaledSilu},
    {kMicrosoftDomain, "BiasSplitGelu", BiasSplitGelu},
    {kMicrosoftDomain, "BiasDropout", BiasDropout},
    {kMicrosoftDomain, "ComplexMul", ComplexMul},
    {kMicrosoftDomain, "ComplexMulConj", ComplexMul},
    {kMicrosoftDomain, "CDist", Distances},
    {kMicrosoftDomain, "GatedAdd", GatedAdd},
    {kMicrosoftDomain, "SwiGLU", SwiGlu},
    {kMicrosoftDomain, "RouterGateUpProj", RouterGateUp},
    {kMicrosoftDomain, "GemmFastGelu", GemmFastGelu},
    {kMicrosoftDomain, "FusedGemm", FusedGemm},
    {kMicrosoftDomain, "FusedMatMulActivation", FusedMatMulActivation},
};

}  // namespace

absl::Span<const DefinitionRow> CompositeDefinitions() { return kCompositeDefinitions; }

}  // namespace onnxcmp
