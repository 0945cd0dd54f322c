#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/shapes/work.h"

namespace onnxcmp {
namespace {

struct Box {
  float y1, x1, y2, x2;  // y1 <= y2, x1 <= x2
  float Area() const { return (y2 - y1) * (x2 - x1); }
};

Box BoxAt(const float* numbers, bool has_center) {
  const float* b = numbers;
  if (has_center) {
    const float half_width = b[2] / 2;
    const float half_height = b[3] / 2;
    return {b[1] - half_height, b[0] - half_width, b[1] + half_height, b[0] + half_width};
  }
  return {std::min(b[0], b[2]), std::min(b[1], b[3]), std::max(b[0], b[2]), std::max(b[1], b[3])};
}

// True if the intersection over the union is greater than the threshold.
bool Overlap(const Box& a, const Box& b, float threshold) {
  const float height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  const float width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (!(height > 0 && width > 0)) return false;
  const float both = height * width;
  if (!(a.Area() > 0 && b.Area() > 0)) return false;
  const float either = a.Area() + b.Area() - both;
  return either > 0 && both / either > threshold;
}

struct CandidateBox {
  float score;
  int64_t index;
};

// The first of equals is better, NaN is the worst.
bool IsWorse(const CandidateBox& a, const CandidateBox& b) {
  if (a.score < b.score || (a.score != a.score && b.score == b.score)) return true;
  if (a.score > b.score || (a.score == a.score && b.score != b.score)) return false;
  return a.index > b.index;
}

// Boxes with a score above the threshold, a heap with the best one on top: most are never looked
// at.
std::vector<CandidateBox> Candidates(const float* scores, int64_t count, const float* threshold) {
  std::vector<CandidateBox> heap;
  for (int64_t i = 0; i < count; ++i) {
    if (threshold == nullptr || scores[i] > *threshold) heap.push_back({scores[i], i});
  }
  std::make_heap(heap.begin(), heap.end(), IsWorse);
  return heap;
}

// NonMaxSuppression (ai.onnx 10, 11): for every class of every batch entry, boxes in the order of
// their scores, without those whose score is not above score_threshold and those that overlap a
// chosen one by more than iou_threshold, up to max_output_boxes_per_class. Boxes without an area
// overlap nothing.
Kernel NonMaxSuppression(const KernelInit& node) {
  const bool has_center = node.Flag("center_point_box");
  return [has_center](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor boxes, ctx.ContiguousInput(0));
    OC_ASSIGN_OR_RETURN(const Tensor scores, ctx.ContiguousInput(1));
    if (boxes.rank() != 3 || boxes.dim(2) != 4 || scores.rank() != 3 ||
        scores.dim(0) != boxes.dim(0) || scores.dim(2) != boxes.dim(1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("boxes must be batch x n x 4 and scores batch x classes x n, not ",
                       boxes.TypeString(), " and ", scores.TypeString()));
    }
    int64_t limit = 0;
    if (ctx.HasInput(2)) {
      OC_ASSIGN_OR_RETURN(limit, ctx.ScalarInput<int64_t>(2));
    }
    float iou_threshold = 0;
    if (ctx.HasInput(3)) {
      OC_ASSIGN_OR_RETURN(iou_threshold, ctx.ScalarInput<float>(3));
    }
    if (!(iou_threshold >= 0 && iou_threshold <= 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("iou_threshold ", iou_threshold, " is not in [0, 1]"));
    }
    float score_threshold = 0;
    if (ctx.HasInput(4)) {
      OC_ASSIGN_OR_RETURN(score_threshold, ctx.ScalarInput<float>(4));
    }
    std::vector<int64_t> selected;  // rows of (batch, class, box)
    const int64_t count = boxes.dim(1);
    const float* score = scores.data<float>();
    // If nothing overlaps, each box is compared with all that are chosen.
    OC_RETURN_IF_ERROR(CheckWork(ctx, static_cast<double>(scores.num_elements()) *
                                          static_cast<double>(std::min(count, limit))));
    for (int64_t batch = 0; batch < scores.dim(0) && limit > 0; ++batch) {
      const float* entry = boxes.data<float>() + batch * count * 4;
      for (int64_t c = 0; c < scores.dim(1); ++c, score += count) {
        std::vector<Box> chosen;
        std::vector<CandidateBox> candidates =
            Candidates(score, count, ctx.HasInput(4) ? &score_threshold : nullptr);
        while (!candidates.empty() && static_cast<int64_t>(chosen.size()) < limit) {
          std::pop_heap(candidates.begin(), candidates.end(), IsWorse);
          const int64_t i = candidates.back().index;
          candidates.pop_back();
          const Box box = BoxAt(entry + i * 4, has_center);
          if (std::none_of(chosen.begin(), chosen.end(),
                           [&](const Box& other) { return Overlap(box, other, iou_threshold); })) {
            chosen.push_back(box);
            selected.insert(selected.end(), {batch, c, i});
          }
        }
      }
    }
    OC_ASSIGN_OR_RETURN(
        Tensor out, ctx.Allocate(DType::kInt64, {static_cast<int64_t>(selected.size()) / 3, 3}));
    std::copy(selected.begin(), selected.end(), out.mutable_data<int64_t>());
    return ctx.SetOutput(0, std::move(out));
  };
}

}  // namespace

void RegisterNonMaxSuppression(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "NonMaxSuppression", {10, 11}, NonMaxSuppression);
}

}  // namespace onnxcmp
