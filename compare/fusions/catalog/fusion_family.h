// The family of a fusion's form.
#ifndef ONNXCMP_COMPARE_FUSIONS_CATALOG_FUSION_FAMILY_H_
#define ONNXCMP_COMPARE_FUSIONS_CATALOG_FUSION_FAMILY_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace onnxcmp {

enum class FusionFamily : uint8_t {
  kAttention,
  kNormalization,  // skip + layer or RMS normalization, and decomposed ones
  kEmbedding,      // embeddings added and normalized
  kProduct,        // MatMul + bias + activation
  kConvolution,    // Conv + batch normalization + activation
  kActivation,     // Gelu, SiLU and the like, written as several nodes
  kRotary,
};
absl::string_view FusionFamilyName(FusionFamily family);  // "attention", "normalization", ...

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_FUSIONS_CATALOG_FUSION_FAMILY_H_
