// What operators that read features and text want of an input.
#ifndef ONNXCMP_COMPARE_INPUTS_MADE_UP_ML_PURPOSE_H_
#define ONNXCMP_COMPARE_INPUTS_MADE_UP_ML_PURPOSE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "compare/inputs/made_up/graph_scope.h"
#include "compare/inputs/made_up/input_purpose.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// "ids of Gather `embedding`".
std::string UseText(const Node& node, absl::string_view what);

// What has become of an input's columns on the way to those who read features.
struct FeatureView {
  const Node* scaler = nullptr;   // of ai.onnx.ml; null: the numbers are the input's
  std::optional<int64_t> column;  // which feature the first one is; nothing: that is not known
};

// Whether it hands its first input's features on, each in its place.
bool PassesFeatures(const Node& node);

// Of an operator of ai.onnx.ml: trees, encoders of labels, vocabularies. Nothing if it takes any
// numbers. `dtype` is the input's.
std::optional<InputPurpose> PurposeOfMl(const Node& node, size_t slot, DType dtype,
                                        const FeatureView& view);

// Adds the numbers that an operator of ai.onnx.ml takes for missing ones.
void AddMissing(const Node& node, DType dtype, InputPurpose* to);

// Strings that it is compared with, or split or replaced by.
InputPurpose PurposeOfText(const GraphScope& scope, const Node& node, size_t slot);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_INPUTS_MADE_UP_ML_PURPOSE_H_
