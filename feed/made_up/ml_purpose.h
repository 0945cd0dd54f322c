// Purposes of inputs of operators that read features and text.
#ifndef ONNXCMP_FEED_MADE_UP_ML_PURPOSE_H_
#define ONNXCMP_FEED_MADE_UP_ML_PURPOSE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "feed/made_up/input_purpose.h"
#include "record/graphs/graph_scope.h"

namespace onnxcmp {

// "ids of Gather `embedding`".
std::string UseText(const Node& node, absl::string_view what);

// How an input's columns reach the operators that read features.
struct FeatureView {
  const Node* scaler = nullptr;       // a node of ai.onnx.ml; null: the numbers are the input's own
  std::optional<int64_t> column = 0;  // index of the first feature; nothing: unknown
  int64_t scaled = 0;                 // the scaler's index of the first feature
  std::vector<int64_t> columns;       // of the input, which were selected; none: all
  // Before the scaler: the factor of the input's numbers, and the offset added then.
  double gain = 1;
  double offset = 0;
};

// True if it passes on features of its first input.
bool PassesFeatures(const Node& node);

// The view after a node that scales, selects or joins columns.
void PassColumns(const GraphScope& scope, const Node& node, size_t slot, FeatureView* view);

// The purpose for an operator of ai.onnx.ml: trees, encoders of labels, vocabularies. Nothing if it
// takes any numbers. `dtype` is the input's.
std::optional<InputPurpose> PurposeOfMl(const Node& node, size_t slot, DType dtype,
                                        const FeatureView& view);

// Adds the keys that an operator demands: it fails on others.
void AddDemanded(const Node& node, const FeatureView& view, InputPurpose* to);

// Adds the numbers that an operator of ai.onnx.ml treats as missing values.
void AddMissing(const Node& node, DType dtype, InputPurpose* to);

// Strings that it is compared with, split by or replaced.
InputPurpose PurposeOfText(const GraphScope& scope, const Node& node, size_t slot);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_ML_PURPOSE_H_
