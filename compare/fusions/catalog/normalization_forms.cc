#include "compare/fusions/catalog/fusion_forms.h"

namespace onnxcmp {

// Skip connections are added before it: the fused operator outputs the sum, too, for the next skip.
void AddNormalizationForms(FusionForms* forms, NamedPatterns* named) {
  named->insert({
      {"mean", "ReduceMean[axes=-1|2|3,keepdims=1|absent]($1, ...)"},
      {"deviation", "d=Sub(n=$1, @mean(n=$1))"},
      {"deviation_squared", "(Pow(@deviation($1), 2) | Mul(@deviation($1), @deviation($1)))"},
      {"standard_deviation", "Sqrt({~ + @mean(@deviation_squared($1))})"},
      {"layer_norm_nodes",
       "({{# * @deviation($1) / @standard_deviation($1)} + #} |"
       " {# * @deviation($1) / @standard_deviation($1)})"},
      {"layer_norm", "(LayerNormalization[axis=-1|2|3|absent]($1, ...) | @layer_norm_nodes($1))"},
      {"mean_square", "{~ + @mean((Pow(n=$1, 2) | Mul(n=$1, n=$1)))}"},
      {"rms_norm_nodes",
       "({# * n=$1 / Sqrt(@mean_square($1))} | {# * n=$1 * Pow(@mean_square($1), -0.5)})"},
      {"rms_norm_operator",
       "(RMSNormalization[axis=-1|2|3|absent]($1, ...) |"
       " any:SimplifiedLayerNormalization[axis=-1|2|3|absent]($1, ...))"},
      {"rms_norm", "(@rms_norm_operator($1) | @rms_norm_nodes($1))"},
  });
  const auto add = [forms](const char* name, const char* pattern) {
    forms->push_back({FusionFamily::kNormalization, name, pattern});
  };
  add("skip + LayerNormalization", "@layer_norm(^{a + b})");
  add("skip + bias + LayerNormalization", "@layer_norm(^{a + b + #})");
  add("skip + RMSNormalization", "@rms_norm(^{a + b})");
  add("skip + bias + RMSNormalization", "@rms_norm(^{a + b + #})");
  add("LayerNormalization of several nodes", "@layer_norm_nodes(x)");
  add("RMSNormalization of several nodes", "@rms_norm_nodes(x)");
  add("LayerNormalization", "LayerNormalization(x, ...)");
  add("RMSNormalization", "@rms_norm_operator(x)");
  add("SkipLayerNormalization", "ms:SkipLayerNormalization(a, b, ...)");
  add("SkipSimplifiedLayerNormalization", "ms:SkipSimplifiedLayerNormalization(a, b, ...)");
}

}  // namespace onnxcmp
