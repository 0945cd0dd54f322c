// The forms in which fusions are written, a file for each family. pattern.h describes the syntax.
#ifndef ONNXCMP_COMPARE_FUSIONS_CATALOG_FUSION_FORMS_H_
#define ONNXCMP_COMPARE_FUSIONS_CATALOG_FUSION_FORMS_H_

#include <string>
#include <utility>
#include <vector>

#include "compare/fusions/catalog/fusion_family.h"
#include "compare/fusions/matching/pattern.h"

namespace onnxcmp {

struct FusionForm {
  FusionFamily family;
  std::string name;
  std::string pattern;
  // Variables that may be preceded by other layouts and projections: nodes before them that move
  // elements, repeat heads, append to a cache, split, or multiply by a constant and add its bias
  // belong to the fusion too, if they have no other readers; so do Transpose and Reshape after it.
  std::vector<std::string> grows = {};
};
using FusionForms = std::vector<FusionForm>;

// Activations of products and convolutions: a name and a pattern of $1.
std::vector<std::pair<std::string, std::string>> Activations();

void AddActivationForms(FusionForms* forms, NamedPatterns* named);
void AddNormalizationForms(FusionForms* forms, NamedPatterns* named);
void AddEmbeddingForms(FusionForms* forms, NamedPatterns* named);
void AddProductForms(FusionForms* forms, NamedPatterns* named);
void AddConvolutionForms(FusionForms* forms, NamedPatterns* named);
void AddAttentionForms(FusionForms* forms, NamedPatterns* named);
void AddRotaryForms(FusionForms* forms, NamedPatterns* named);
// The forms of all families. Patterns may use those of earlier families.
void AddAllForms(FusionForms* forms, NamedPatterns* named);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FUSIONS_CATALOG_FUSION_FORMS_H_
