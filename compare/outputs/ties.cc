#include "compare/outputs/ties.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "compare/differences/tensor_distance.h"
#include "compare/operators/operator_traits.h"
#include "evaluator/model/model.h"

namespace onnxcmp {
namespace {

constexpr int kMostSteps = 16;

// True if a node passes on the elements of its first input in their order.
bool KeepsOrder(const StreamNode& node) {
  return HasTrait(node, OperatorTrait::kKeepsOrder) || HasTrait(node, OperatorTrait::kCasts);
}

int64_t AxisOf(const Node* node, int64_t otherwise) {
  if (node == nullptr) return otherwise;
  const auto it = node->attributes.find("axis");
  const auto* axis = it == node->attributes.end() ? nullptr : std::get_if<int64_t>(&it->second);
  return axis == nullptr ? otherwise : *axis;
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

// The scores of both sides, line by line along the axis of the choice.
class Scores {
 public:
  Scores(const Tensor& left, const Tensor& right)
      : left_(ElementsOf(left)), right_(ElementsOf(right)) {}

  // True if two scores of a line are as near to each other on both sides as the line's scores are
  // between the sides: then their order is arbitrary.
  bool Tie(size_t first, size_t step, size_t length, size_t a, size_t b) const {
    double apart = 0;
    for (size_t i = 0; i < length; ++i) {
      const double d = std::abs(left_[first + i * step] - right_[first + i * step]);
      // Infinities on both sides are no scores to choose.
      if (!std::isnan(d)) apart = std::max(apart, d);
    }
    const auto near = [&](const std::vector<double>& scores) {
      const double x = scores[first + a * step];
      const double y = scores[first + b * step];
      return x == y || std::abs(x - y) <= 2 * apart;
    };
    return std::isfinite(apart) && near(left_) && near(right_);
  }

  // True if the two greatest of a row tie.
  bool RowTies(size_t first, size_t length) const {
    if (length < 2) return false;
    const auto [a, b] = Greatest(left_, first, length);
    return Tie(first, 1, length, a, b);
  }

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
};

bool LabelsTie(const Tensor& left, const Tensor& right, const Tensor& of, const Scores& scores) {
  if (of.rank() != 2 || left.num_elements() != of.shape()[0]) return false;
  const auto classes = static_cast<size_t>(of.shape()[1]);
  const absl::StatusOr<Tensor> a = left.Contiguous();
  const absl::StatusOr<Tensor> b = right.Contiguous();
  if (!a.ok() || !b.ok()) return false;
  const bool text = left.dtype() == DType::kString;
  const std::vector<double> x = text ? std::vector<double>() : ElementsOf(left);
  const std::vector<double> y = text ? std::vector<double>() : ElementsOf(right);
  for (size_t i = 0; i < static_cast<size_t>(left.num_elements()); ++i) {
    const bool equal = text ? a->string_data()[i] == b->string_data()[i] : x[i] == y[i];
    if (!equal && !scores.RowTies(i * classes, classes)) return false;
  }
  return true;
}

}  // namespace

std::optional<ScoreSource> FindScores(const SideGraph& graph, int result) {
  for (int step = 0; step < kMostSteps && result != kNone; ++step) {
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

bool DifferByTies(const ScoreSource& source, const Tensor& left_ids, const Tensor& right_ids,
                  const Tensor& left_scores, const Tensor& right_scores) {
  if (left_scores.shape() != right_scores.shape() || left_ids.shape() != right_ids.shape() ||
      left_scores.num_elements() == 0 || !IsFloatingPoint(left_scores.dtype()) ||
      !IsFloatingPoint(right_scores.dtype())) {
    return false;
  }
  const Scores scores(left_scores, right_scores);
  if (source.kind == ScoreSource::Kind::kLabels) {
    return LabelsTie(left_ids, right_ids, left_scores, scores);
  }
  const std::optional<Lines> lines = LinesAlong(left_scores.shape(), source.axis);
  if (!lines.has_value() || lines->inner == 0 || lines->outer == 0) return false;
  // TopK has several ids along the axis.
  const int64_t per_line = left_ids.num_elements() / (lines->outer * lines->inner);
  if (per_line * lines->outer * lines->inner != left_ids.num_elements()) return false;
  const std::vector<double> a = ElementsOf(left_ids);
  const std::vector<double> b = ElementsOf(right_ids);
  const auto is_id = [&](double id) {
    return id >= 0 && id < static_cast<double>(lines->length) && id == std::floor(id);
  };
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    const auto inner = static_cast<int64_t>(i) % lines->inner;
    const auto outer = static_cast<int64_t>(i) / lines->inner / per_line;
    const auto first = static_cast<size_t>(outer * lines->length * lines->inner + inner);
    if (!is_id(a[i]) || !is_id(b[i]) ||
        !scores.Tie(first, static_cast<size_t>(lines->inner), static_cast<size_t>(lines->length),
                    static_cast<size_t>(a[i]), static_cast<size_t>(b[i]))) {
      return false;
    }
  }
  return true;
}

}  // namespace onnxcmp
