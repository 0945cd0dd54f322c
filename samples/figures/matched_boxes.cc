#include "samples/figures/matched_boxes.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "evaluator/tensor/dtype.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

constexpr size_t kNumbers = 4;         // of a box
constexpr double kLeastOverlap = 0.5;  // of a pair, as detection benchmarks have it

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  double Area() const { return std::max(right - left, 0.0) * std::max(bottom - top, 0.0); }
};

std::vector<Box> BoxesOf(const Tensor& tensor) {
  const std::vector<double> numbers = ElementsOf(tensor);
  std::vector<Box> boxes;
  bool corners = true;
  for (size_t i = 0; i + kNumbers <= numbers.size(); i += kNumbers) {
    boxes.push_back({numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]});
    corners = corners && boxes.back().right >= boxes.back().left &&
              boxes.back().bottom >= boxes.back().top;
  }
  if (corners) return boxes;
  for (Box& box : boxes) {
    const double width = box.right, height = box.bottom;
    box = {box.left - width / 2, box.top - height / 2, box.left + width / 2, box.top + height / 2};
  }
  return boxes;
}

double Overlap(const Box& a, const Box& b) {
  const Box both = {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
                    std::min(a.bottom, b.bottom)};
  const double all = a.Area() + b.Area() - both.Area();
  return all > 0 ? both.Area() / all : 0;
}

std::vector<double> NumbersFor(const Tensor* tensor, size_t boxes) {
  std::vector<double> numbers;
  if (tensor != nullptr) numbers = ElementsOf(*tensor);
  numbers.resize(boxes);
  return numbers;
}

bool HasNumberForEach(const Tensor& tensor, const Tensor& boxes) {
  return tensor.shape() == Shape(boxes.shape().begin(), boxes.shape().end() - 1);
}

}  // namespace

DetectionOutputs FindDetections(absl::Span<const Value> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!IsMeasurable(outputs[i]) || !IsFloatingPoint(outputs[i].tensor().dtype())) continue;
    const Tensor& boxes = outputs[i].tensor();
    if (boxes.rank() < 2 || boxes.rank() > 3 || boxes.shape().back() != kNumbers) continue;
    DetectionOutputs found = {.boxes = static_cast<int>(i)};
    for (size_t j = 0; j < outputs.size(); ++j) {
      if (j == i || !IsMeasurable(outputs[j]) || !HasNumberForEach(outputs[j].tensor(), boxes)) {
        continue;
      }
      int& place = IsInteger(outputs[j].tensor().dtype()) ? found.classes : found.scores;
      if (place < 0) place = static_cast<int>(j);
    }
    const bool both = found.classes >= 0 && found.scores >= 0;
    if (both || (boxes.rank() == 3 && (found.classes >= 0 || found.scores >= 0))) return found;
  }
  return {};
}

BoxMatches MatchBoxes(const Detections& left, const Detections& right) {
  const std::vector<Box> ours = BoxesOf(*left.boxes);
  const std::vector<Box> theirs = BoxesOf(*right.boxes);
  const std::vector<double> our_classes = NumbersFor(left.classes, ours.size());
  const std::vector<double> their_classes = NumbersFor(right.classes, theirs.size());
  const std::vector<double> scores = NumbersFor(left.scores, ours.size());
  std::vector<size_t> order(ours.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<bool> taken(theirs.size());
  BoxMatches matches = {static_cast<int64_t>(ours.size()), static_cast<int64_t>(theirs.size()), {}};
  for (const size_t i : order) {
    double best = 0;
    size_t at = theirs.size();
    for (size_t j = 0; j < theirs.size(); ++j) {
      if (taken[j] || our_classes[i] != their_classes[j]) continue;
      const double overlap = Overlap(ours[i], theirs[j]);
      if (overlap <= best) continue;
      best = overlap;
      at = j;
    }
    if (best < kLeastOverlap) continue;
    taken[at] = true;
    matches.overlaps.push_back(best);
  }
  return matches;
}

}  // namespace onnxcmp
