#include "compare/fusions/catalog/fusion_forms.h"

namespace onnxcmp {

std::vector<std::pair<std::string, std::string>> Activations() {
  return {{"Relu", "Relu($1)"},
          {"LeakyRelu", "LeakyRelu($1)"},
          {"Clip", "Clip($1, ...)"},
          {"Sigmoid", "Sigmoid($1)"},
          {"Tanh", "Tanh($1)"},
          {"HardSigmoid", "HardSigmoid($1)"},
          {"Gelu (erf)", "@gelu_erf($1)"},
          {"Gelu (tanh)", "@gelu_tanh($1)"},
          {"Gelu", "@gelu_operator($1)"},
          {"QuickGelu", "@quick_gelu($1)"},
          {"SiLU", "@silu($1)"},
          {"HardSwish", "@hard_swish($1)"},
          {"Mish", "@mish($1)"}};
}

void AddActivationForms(FusionForms* forms, NamedPatterns* named) {
  named->insert({
      {"square", "(Pow(g=$1, 2) | Mul(g=$1, g=$1))"},
      {"cube", "(Pow(g=$1, 3) | Mul(g=$1, @square($1)))"},
      // x / 2 * (1 + erf(x / sqrt(2)))
      {"gelu_erf", "{0.5 * g=$1 * {1 + Erf({0.70710678 * g=$1})}}"},
      // x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))), in the three ways it is factored
      {"gelu_tanh_argument",
       "({0.79788456 * {g=$1 + {0.044715 * @cube($1)}}} |"
       " {0.79788456 * g=$1 * {1 + {0.044715 * @square($1)}}} |"
       " {g=$1 * {0.79788456 + {0.035677408 * @square($1)}}})"},
      {"gelu_tanh", "{0.5 * g=$1 * {1 + Tanh(@gelu_tanh_argument($1))}}"},
      {"gelu_operator", "(any:Gelu($1) | ms:FastGelu($1))"},
      {"quick_gelu", "({g=$1 * Sigmoid({1.702 * g=$1})} | ms:QuickGelu[alpha=1.702|absent]($1))"},
      {"silu", "({g=$1 * Sigmoid(g=$1)} | Swish[alpha=1|absent]($1) | ms:QuickGelu[alpha=1]($1))"},
      {"hard_swish",
       "({g=$1 * HardSigmoid[alpha=0.16666667,beta=0.5|absent](g=$1)} |"
       " {0.16666667 * g=$1 * @clip6({3 + g=$1})} | HardSwish($1))"},
      {"clip6", "(Clip($1, 0, 6) | Clip[min=0,max=6]($1))"},
      {"mish", "({g=$1 * Tanh(Softplus(g=$1))} | Mish($1))"},
      // The operand of a gate: a projection, or the other half of one.
      {"up", "u=&(@linear() | Split:*(_, ...) | Slice(_, ...))"},
      {"linear",
       "(MatMul(_, _) | {MatMul(_, _) + #} | Gemm(_, _, ...) | ms:MatMulNBits(_, ...) |"
       " ms:FusedMatMul(_, _))"},
  });
  const auto add = [forms](const char* name, const char* pattern) {
    forms->push_back({FusionFamily::kActivation, name, pattern});
  };
  add("Gelu (erf)", "@gelu_erf(x)");
  add("Gelu (tanh)", "@gelu_tanh(x)");
  add("Gelu", "@gelu_operator(x)");
  add("FastGelu", "ms:FastGelu(x, #)");
  add("BiasGelu", "ms:BiasGelu(x, _)");
  add("QuickGelu", "@quick_gelu(x)");
  add("SiLU", "@silu(x)");
  add("SwiGLU", "{x * Sigmoid(x) * @up()}");
  add("SwiGLU", "{@silu(x) * @up()}");
  add("GeGLU", "{@gelu_erf(x) * @up()}");
  add("GeGLU", "{@gelu_tanh(x) * @up()}");
  add("GeGLU", "{@gelu_operator(x) * @up()}");
  add("HardSwish", "@hard_swish(x)");
  add("Mish", "@mish(x)");
}

}  // namespace onnxcmp
