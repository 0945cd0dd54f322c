// Values that operators of ai.onnx.ml compare an input with.
#ifndef ONNXCMP_FEED_MADE_UP_KNOWN_KEYS_H_
#define ONNXCMP_FEED_MADE_UP_KNOWN_KEYS_H_

#include "evaluator/model/model.h"
#include "feed/made_up/input_purpose.h"

namespace onnxcmp {

// Adds strings and integers that are keys in a tensor: words, and thresholds of no feature (-1).
void AddKeysOf(const Attribute& attribute, InputPurpose* found);

// Adds, by feature, the numbers that nodes of trees compare it with.
void AddThresholds(const Node& node, FeaturePurpose* found);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_KNOWN_KEYS_H_
