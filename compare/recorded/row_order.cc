#include "compare/recorded/row_order.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "evaluator/tensor/value.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

// Limits of the comparisons of rows.
constexpr int64_t kMostProducts = int64_t{1} << 28;

}  // namespace

std::optional<std::vector<int64_t>> FindRowOrder(const Tensor& own, const Tensor& wanted,
                                                 double limit) {
  // Rows of single numbers fit any order.
  if (own.rank() < 2 || own.shape() != wanted.shape()) return std::nullopt;
  const int64_t rows = own.dim(0);
  if (rows < 2 || rows > work_bounds::kLooks || !IsMeasurable(Value(own)) ||
      !IsMeasurable(Value(wanted))) {
    return std::nullopt;
  }
  const std::vector<double> ours = ElementsOf(own);
  const std::vector<double> theirs = ElementsOf(wanted);
  const auto count = static_cast<int64_t>(ours.size());
  const int64_t length = count / rows;
  if (length < 2 || ours.size() != theirs.size() || rows * count > kMostProducts) {
    return std::nullopt;
  }
  double squares = 0;
  for (const double x : theirs) squares += x * x;
  // Limit for a row, on average.
  const double most = limit * limit * squares / static_cast<double>(rows);
  if (!std::isfinite(most)) return std::nullopt;
  const auto apart = [&](int64_t i, int64_t k) {
    double sum = 0;
    for (int64_t e = 0; e < length && sum <= most; ++e) {
      const double difference =
          theirs[static_cast<size_t>(i * length + e)] - ours[static_cast<size_t>(k * length + e)];
      sum += difference * difference;
    }
    return sum;
  };
  std::vector<int64_t> order(static_cast<size_t>(rows));
  std::vector<bool> taken(static_cast<size_t>(rows));
  for (int64_t i = 0; i < rows; ++i) {
    int64_t best = -1;
    double least = std::numeric_limits<double>::infinity();
    // Equal rows keep their places if possible.
    for (int64_t step = 0; step < rows; ++step) {
      const int64_t k = (i + step) % rows;
      if (taken[static_cast<size_t>(k)]) continue;
      const double sum = apart(i, k);
      if (sum < least) {
        least = sum;
        best = k;
      }
    }
    if (best < 0 || !(least <= most)) return std::nullopt;
    taken[static_cast<size_t>(best)] = true;
    order[static_cast<size_t>(i)] = best;
  }
  std::vector<int64_t> straight(order.size());
  std::iota(straight.begin(), straight.end(), 0);
  if (order == straight) return std::nullopt;
  return order;
}

}  // namespace onnxcmp
