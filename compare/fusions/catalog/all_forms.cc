#include "compare/fusions/catalog/fusion_forms.h"

namespace onnxcmp {

void AddAllForms(FusionForms* forms, NamedPatterns* named) {
  AddActivationForms(forms, named);
  AddNormalizationForms(forms, named);
  AddEmbeddingForms(forms, named);
  AddProductForms(forms, named);
  AddConvolutionForms(forms, named);
  AddAttentionForms(forms, named);
  AddRotaryForms(forms, named);
}

}  // namespace onnxcmp
