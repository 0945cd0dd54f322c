#include "compare/outputs/ties.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "absl/strings/match.h"
#include "evaluator/model/model.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/node_questions.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// True if a node passes on the elements of its first input in their order.
bool KeepsOrder(const StreamNode& node) {
  return HasTrait(node, OperatorTrait::kKeepsOrder) || HasTrait(node, OperatorTrait::kCasts);
}

int64_t AxisOf(const Node* node, int64_t otherwise) {
  return node == nullptr ? otherwise : IntAttribute(*node, "axis").value_or(otherwise);
}

// A tensor seen as [outer, length, inner].
struct Lines {
  int64_t outer = 1, length = 1, inner = 1;
};

std::optional<Lines> LinesAlong(const Shape& shape, int64_t axis) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  Lines lines;
  for (int64_t i = 0; i < rank; ++i) {
    (i < axis ? lines.outer : i == axis ? lines.length : lines.inner) *= shape[size_t(i)];
  }
  return lines;
}

// Compares the scores of both sides, line by line along the axis of the choice, at ids that differ.
class ScoreLines {
 public:
  explicit ScoreLines(const PerSide<Tensor>& scores)
      : left_(ElementsOf(scores.left)), right_(ElementsOf(scores.right)) {}

  // Two scores of a line tie if they are as near to each other on both sides as the line's scores
  // are between the sides: then their order is arbitrary.
  void Add(size_t first, size_t step, size_t length, size_t a, size_t b) {
    double moved = 0;
    for (size_t i = 0; i < length; ++i) {
      const double d = std::abs(left_[first + i * step] - right_[first + i * step]);
      // Infinities on both sides are no scores to choose.
      if (!std::isnan(d)) moved = std::max(moved, d);
    }
    const auto apart = [&](const std::vector<double>& scores) {
      const double x = scores[first + a * step];
      const double y = scores[first + b * step];
      return x == y ? 0 : std::abs(x - y);
    };
    const double left = apart(left_);
    const double right = apart(right_);
    margin_.ties = margin_.ties && std::isfinite(moved) && left <= 2 * moved && right <= 2 * moved;
    margin_.apart = std::max(margin_.apart, std::min(left, right));
    margin_.moved = std::max(margin_.moved, moved);
  }

  // The two greatest of a row.
  void AddRow(size_t first, size_t length) {
    if (length < 2) {
      margin_.ties = false;
      return;
    }
    const auto [a, b] = Greatest(left_, first, length);
    Add(first, 1, length, a, b);
  }

  const ScoreMargin& margin() const { return margin_; }

 private:
  // NaN comes after all numbers: > alone is no strict weak ordering of elements with NaN.
  static std::pair<size_t, size_t> Greatest(const std::vector<double>& scores, size_t first,
                                            size_t length) {
    std::vector<size_t> order(length);
    for (size_t i = 0; i < length; ++i) order[i] = i;
    std::partial_sort(order.begin(), order.begin() + 2, order.end(), [&](size_t a, size_t b) {
      const double x = scores[first + a];
      const double y = scores[first + b];
      return x > y || (std::isnan(y) && !std::isnan(x));
    });
    return {order[0], order[1]};
  }

  std::vector<double> left_;
  std::vector<double> right_;
  ScoreMargin margin_;
};

std::optional<ScoreMargin> MarginOfLabels(const ScoredIds& scored) {
  const auto& [left, right] = scored.ids;
  const Shape& of = scored.scores.left.shape();
  if (of.size() != 2 || left.num_elements() != of[0]) return std::nullopt;
  const auto classes = static_cast<size_t>(of[1]);
  const absl::StatusOr<Tensor> a = left.Contiguous();
  const absl::StatusOr<Tensor> b = right.Contiguous();
  if (!a.ok() || !b.ok()) return std::nullopt;
  const bool text = left.dtype() == DType::kString;
  const std::vector<double> x = text ? std::vector<double>() : ElementsOf(left);
  const std::vector<double> y = text ? std::vector<double>() : ElementsOf(right);
  ScoreLines lines(scored.scores);
  for (size_t i = 0; i < static_cast<size_t>(left.num_elements()); ++i) {
    const bool equal = text ? a->string_data()[i] == b->string_data()[i] : x[i] == y[i];
    if (!equal) lines.AddRow(i * classes, classes);
  }
  return lines.margin();
}

}  // namespace

std::optional<ScoreSource> FindScores(const SideGraph& graph, int result) {
  for (int step = 0; step < work_bounds::kTrials && result != kNone; ++step) {
    const int n = graph.producer(result);
    if (n == kNone) return std::nullopt;
    const StreamNode& made = *graph.node(n).made;
    if (made.inputs.empty()) return std::nullopt;
    ScoreSource source;
    source.ids = result;
    source.scores = made.inputs[0];
    const int slot = graph.result(result).slot;
    if (made.op_type == "ArgMax" || made.op_type == "ArgMin") {
      source.axis = AxisOf(graph.node(n).node, 0);
      return source;
    }
    if (made.op_type == "TopK" && slot == 1) {
      source.kind = ScoreSource::Kind::kTopK;
      source.axis = AxisOf(graph.node(n).node, -1);
      return source;
    }
    if (made.domain == kMlDomain && absl::EndsWith(made.op_type, "Classifier") && slot == 0 &&
        made.outputs.size() > 1 && made.outputs[1] != kNone) {
      source.kind = ScoreSource::Kind::kLabels;
      source.scores = made.outputs[1];
      return source;
    }
    if (!KeepsOrder(made)) return std::nullopt;
    result = made.inputs[0];
  }
  return std::nullopt;
}

std::optional<ScoreMargin> MarginOf(const ScoreSource& source, const ScoredIds& scored) {
  const auto& [left_ids, right_ids] = scored.ids;
  const auto& [left_scores, right_scores] = scored.scores;
  if (left_scores.shape() != right_scores.shape() || left_ids.shape() != right_ids.shape() ||
      left_scores.num_elements() == 0 || !IsFloatingPoint(left_scores.dtype()) ||
      !IsFloatingPoint(right_scores.dtype())) {
    return std::nullopt;
  }
  if (source.kind == ScoreSource::Kind::kLabels) return MarginOfLabels(scored);
  const std::optional<Lines> lines = LinesAlong(left_scores.shape(), source.axis);
  if (!lines.has_value() || lines->inner == 0 || lines->outer == 0) return std::nullopt;
  // TopK has several ids along the axis.
  const int64_t per_line = left_ids.num_elements() / (lines->outer * lines->inner);
  if (per_line * lines->outer * lines->inner != left_ids.num_elements()) return std::nullopt;
  const std::vector<double> a = ElementsOf(left_ids);
  const std::vector<double> b = ElementsOf(right_ids);
  const auto is_id = [&](double id) {
    return id >= 0 && id < static_cast<double>(lines->length) && id == std::floor(id);
  };
  ScoreLines scores(scored.scores);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const auto inner = static_cast<int64_t>(i) % lines->inner;
    const auto outer = static_cast<int64_t>(i) / lines->inner / per_line;
    const auto first = static_cast<size_t>(outer * lines->length * lines->inner + inner);
    if (!is_id(a[i]) || !is_id(b[i])) return std::nullopt;
    scores.Add(first, static_cast<size_t>(lines->inner), static_cast<size_t>(lines->length),
               static_cast<size_t>(a[i]), static_cast<size_t>(b[i]));
  }
  return scores.margin();
}

}  // namespace onnxcmp
