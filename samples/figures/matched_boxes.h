// Boxes of a detector's two sides, matched by their overlap.
#ifndef ONNXCMP_SAMPLES_FIGURES_MATCHED_BOXES_H_
#define ONNXCMP_SAMPLES_FIGURES_MATCHED_BOXES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A detector's boxes, [boxes, 4] or [batch, boxes, 4], and its outputs of a number for each box.
struct Detections {
  const Tensor* boxes = nullptr;
  const Tensor* classes = nullptr;  // integers; null: there are none
  const Tensor* scores = nullptr;   // floats; null: there are none
};

// The places of these among the outputs of a model; no boxes: -1. Boxes have a last axis of 4, and
// three axes, or two beside an output of integers and one of floats with a number for each.
struct DetectionOutputs {
  int boxes = -1, classes = -1, scores = -1;
};
DetectionOutputs FindDetections(absl::Span<const Value> outputs);

struct BoxMatches {
  int64_t left = 0, right = 0;   // boxes of each side
  std::vector<double> overlaps;  // of the pairs: intersection over union, at least one half
};

// Pairs each left box, those with the best scores first, with the free right box of its class that
// overlaps it most. Boxes are corners if no second corner is before its first, else a center with a
// width and a height.
BoxMatches MatchBoxes(const Detections& left, const Detections& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FIGURES_MATCHED_BOXES_H_
