#include "compare/fusions/catalog/fusion_family.h"

namespace onnxcmp {

absl::string_view FusionFamilyName(FusionFamily family) {
  constexpr std::array<absl::string_view, 7> kNames = {
      "attention", "normalization", "embedding", "product", "convolution", "activation", "rotary"};
  return kNames[static_cast<size_t>(family)];
}

}  // namespace onnxcmp
