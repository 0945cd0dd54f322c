#include "compare/fusions/catalog/fusion_forms.h"

namespace onnxcmp {

// Lookups of words, positions and segments, added and normalized. Positions may be a constant.
void AddEmbeddingForms(FusionForms* forms, NamedPatterns* named) {
  named->insert({
      {"embedding", "(Gather(#, _) | ms:GatherBlockQuantized(#, _, ...))"},
      {"embeddings",
       "({@embedding() + @embedding() + @embedding()} | {@embedding() + @embedding() + #} |"
       " {@embedding() + @embedding()} | {@embedding() + #})"},
  });
  const auto add = [forms](const char* name, const char* pattern) {
    forms->push_back({FusionFamily::kEmbedding, name, pattern});
  };
  add("embedding + LayerNormalization", "@layer_norm(^@embeddings())");
  add("embedding + RMSNormalization", "@rms_norm(^@embeddings())");
  add("EmbedLayerNormalization", "ms:EmbedLayerNormalization(_, ...)");
}

}  // namespace onnxcmp
