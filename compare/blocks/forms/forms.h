// The forms in which blocks are written, a file for each family. pattern.h says how they read.
#ifndef ONNXCMP_COMPARE_BLOCKS_FORMS_FORMS_H_
#define ONNXCMP_COMPARE_BLOCKS_FORMS_FORMS_H_

#include <string>
#include <utility>
#include <vector>

#include "compare/blocks/forms/block_family.h"
#include "compare/blocks/patterns/pattern.h"

namespace onnxcmp {

struct BlockForm {
  BlockFamily family;
  std::string name;
  std::string pattern;
  // Variables that other layouts and projections may stand before: what makes them and moves
  // elements, repeats heads, appends to a cache, splits, or is a product with a constant and its
  // bias belongs to the block too, if nobody else reads it; so do Transpose and Reshape after it.
  std::vector<std::string> grows = {};
};
using BlockForms = std::vector<BlockForm>;

// Activations of products and convolutions: a name and a pattern of $1.
std::vector<std::pair<std::string, std::string>> Activations();

void AddActivationForms(BlockForms* forms, NamedPatterns* named);
void AddNormalizationForms(BlockForms* forms, NamedPatterns* named);
void AddEmbeddingForms(BlockForms* forms, NamedPatterns* named);
void AddProductForms(BlockForms* forms, NamedPatterns* named);
void AddConvolutionForms(BlockForms* forms, NamedPatterns* named);
void AddAttentionForms(BlockForms* forms, NamedPatterns* named);
void AddRotaryForms(BlockForms* forms, NamedPatterns* named);
// Those of all families. Patterns name those of the families before them.
void AddAllForms(BlockForms* forms, NamedPatterns* named);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_BLOCKS_FORMS_FORMS_H_
