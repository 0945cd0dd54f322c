#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/fusions/catalog/fusion_forms.h"

namespace onnxcmp {

void AddProductForms(FusionForms* forms, NamedPatterns* named) {
  named->insert({
      {"matmul",
       "(MatMul(_, #) | ms:FusedMatMul(_, #) | ms:MatMulNBits(_, ...) |"
       " {Cast(MatMulInteger(_, #, ...)) * _})"},
      {"matmul_with_bias", "({@matmul() + #} | Gemm(_, #, #))"},
  });
  const auto add = [forms](const std::string& name, const std::string& pattern) {
    forms->push_back({FusionFamily::kProduct, name, pattern});
  };
  add("MatMul + bias", "{@matmul() + #}");
  add("Gemm", "Gemm(_, #, ...)");
  for (const auto& [name, pattern] : Activations()) {
    const auto of = [&pattern = pattern](const char* product) {
      return absl::StrReplaceAll(pattern, {{"$1", product}});
    };
    add(absl::StrCat("MatMul + bias + ", name), of("@matmul_with_bias()"));
    add(absl::StrCat("MatMul + ", name), of("@matmul()"));
  }
  add("MatMul + bias + Gelu", "ms:BiasGelu(@matmul(), #)");
  add("MatMul + bias + Gelu (tanh)", "ms:FastGelu(@matmul(), #)");
  for (const char* op : {"FusedGemm", "GemmFastGelu", "FusedMatMulActivation",
                         "MatMulIntegerToFloat", "DynamicQuantizeMatMul"}) {
    add(op, absl::StrCat("ms:", op, "(_, #, ...)"));
  }
}

}  // namespace onnxcmp
