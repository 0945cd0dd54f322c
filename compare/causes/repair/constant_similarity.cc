#include "compare/causes/repair/constant_similarity.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"
#include "record/differences/number_strips.h"

namespace onnxcmp {
namespace {

// True if half of one's elements may occur in the other, estimated from a few of them. A NaN
// matches nothing, as it is not equal to itself.
bool MayShareHalf(const NumberReader& left, const NumberReader& right) {
  absl::flat_hash_set<double> open;
  const int64_t step = left.size() / work_bounds::kCandidates + 1;
  ForEachStrip(left, 0, left.size(), [&](int64_t first, int64_t count, const double* a) {
    for (int64_t i = (step - first % step) % step; i < count; i += step) {
      if (!std::isnan(a[i])) open.insert(a[i]);
    }
  });
  const size_t looked_for = open.size();
  ForEachStrip(right, 0, right.size(), [&](int64_t, int64_t count, const double* a) {
    for (int64_t i = 0; i < count; ++i) open.erase(a[i]);
  });
  return looked_for - open.size() >= looked_for / 4;
}

// Without NaNs, which cannot be ordered.
std::vector<double> SortedNumbers(const Tensor& tensor) {
  std::vector<double> numbers = ElementsOf(tensor);
  std::erase_if(numbers, [](double number) { return std::isnan(number); });
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// Share of the left's elements that the right has too, in any order.
double SharedInAnyOrder(const Measured& left, const Measured& right) {
  const std::vector<double> a = SortedNumbers(left.tensor);
  const std::vector<double> b = SortedNumbers(right.tensor);
  std::vector<double> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return static_cast<double>(both.size()) / static_cast<double>(left.size);
}

// Several sums side by side, since each addition waits for the one before.
class Lanes {
 public:
  static constexpr int64_t kCount = 8;
  double& operator[](int64_t lane) { return lanes_[lane]; }
  double Sum() const {
    double sum = 0;
    for (const double lane : lanes_) sum += lane;
    return sum;
  }

 private:
  double lanes_[kCount] = {};
};

// Calls add(i, lane) for a whole strip.
template <typename Add>
void AddInLanes(int64_t count, Add&& add) {
  int64_t first = 0;
  for (; first + Lanes::kCount <= count; first += Lanes::kCount) {
    for (int64_t lane = 0; lane < Lanes::kCount; ++lane) add(first + lane, lane);
  }
  for (; first < count; ++first) add(first, 0);
}

}  // namespace

double ConstantSimilarity(const Measured& left, const Measured& right) {
  if (left.size == 0 || left.size != right.size) return 0;
  const NumberReader ours(left.tensor);
  const NumberReader theirs(right.tensor);
  const auto count = static_cast<double>(left.size);
  int64_t equal = 0;
  Lanes left_sum;
  Lanes right_sum;
  const auto add = [&](int64_t, int64_t n, const double* a, const double* b) {
    AddInLanes(n, [&](int64_t i, int64_t lane) {
      equal += a[i] == b[i] ? 1 : 0;
      left_sum[lane] += a[i];
      right_sum[lane] += b[i];
    });
    return true;
  };
  ForEachStrip(ours, theirs, 0, left.size, add);
  double similarity = static_cast<double>(equal) / count;
  if (left.scale <= 2 * right.scale && right.scale <= 2 * left.scale) {
    const double left_mean = left_sum.Sum() / count;
    const double right_mean = right_sum.Sum() / count;
    Lanes products;
    Lanes left_squares;
    Lanes right_squares;
    const auto correlate = [&](int64_t, int64_t n, const double* a, const double* b) {
      AddInLanes(n, [&](int64_t i, int64_t lane) {
        const double x = a[i] - left_mean;
        const double y = b[i] - right_mean;
        products[lane] += x * y;
        left_squares[lane] += x * x;
        right_squares[lane] += y * y;
      });
      return true;
    };
    ForEachStrip(ours, theirs, 0, left.size, correlate);
    const double norm = std::sqrt(left_squares.Sum()) * std::sqrt(right_squares.Sum());
    // Rounding must not decide the order of two that differ by a factor alone.
    constexpr double kCorrelationSteps = 1 << 20;
    const double correlation =
        norm > 0 ? std::round(products.Sum() / norm * kCorrelationSteps) / kCorrelationSteps : 0;
    if (correlation > 0.9) similarity = std::max(similarity, correlation);
  }
  if (similarity < 0.5 && left.size <= kMaxSortedConstant && MayShareHalf(ours, theirs)) {
    similarity = std::max(similarity, SharedInAnyOrder(left, right));
  }
  return similarity;
}

bool LittleApart(const Measured& left, const Measured& right) {
  constexpr double kOfVariation = 0.1;
  if (Distance(left, right) > kLittle) return false;
  const NumberReader ours(left.tensor);
  const NumberReader theirs(right.tensor);
  const PairMoments m = MomentsOf(ours, theirs, nullptr, {.limit = thresholds::kMaskMagnitude});
  const auto counted = static_cast<double>(m.sums.count);
  const double variation = counted > 0 ? m.sums.left - m.left * m.left / counted : 0;
  return variation <= 0 || m.sums.differences <= kOfVariation * kOfVariation * variation;
}

}  // namespace onnxcmp
