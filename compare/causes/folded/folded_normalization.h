// A BatchNormalization that one side has folded into the layer before it: finds which of its
// numbers explains the difference of the folded ones.
#ifndef ONNXCMP_COMPARE_CAUSES_FOLDED_FOLDED_NORMALIZATION_H_
#define ONNXCMP_COMPARE_CAUSES_FOLDED_FOLDED_NORMALIZATION_H_

#include <string>

#include "compare/causes/folded/channel_layer.h"
#include "record/base/per_side.h"

namespace onnxcmp {

// Compares two layers of the same input, one of them with a normalization. Returns the mistake in
// words, such as "the folded BatchNormalization: epsilon 1e-05 | 0.001", with the left's value
// first. Empty if the folded numbers are right up to rounding, if the layers are not the same, or
// if no single number or mistake explains the difference.
std::string FoldedNormalizationText(const PerSide<ChannelLayer>& layers);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_FOLDED_FOLDED_NORMALIZATION_H_
