// A BatchNormalization that one side has folded into the layer before it: which of the numbers that
// it is made of explains what the folded ones differ by.
#ifndef ONNXCMP_COMPARE_CAUSES_FUSIONS_FOLDED_NORMALIZATION_H_
#define ONNXCMP_COMPARE_CAUSES_FUSIONS_FOLDED_NORMALIZATION_H_

#include <string>

#include "compare/causes/fusions/channel_layer.h"
#include "compare/pair/per_side.h"

namespace onnxcmp {

// Of two layers that read the same, one of them with a normalization: what is off, in words, such
// as "the folded BatchNormalization: epsilon 1e-05 | 0.001". Values are those of the left and of
// the right. Empty where the folded numbers are what they should be up to rounding, where the
// layers are not the same, and where no one number or mistake explains all.
std::string FoldedNormalizationText(const PerSide<ChannelLayer>& layers);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FUSIONS_FOLDED_NORMALIZATION_H_
