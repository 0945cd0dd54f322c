#include "compare/recorded/likeness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "compare/alignment/recorded_reach.h"
#include "record/base/work_bounds.h"
#include "record/differences/number_strips.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

// A squared correlation is no accident if it is at least this, divided by the number of elements.
constexpr double kBeyondChance = 14;
constexpr double kLeastLikeness = 0.15;
// Elements, and moments of all, are the same within this share of the size of all.
constexpr double kSameElement = 2e-3;

double MovedElementsLikeness(const Fingerprint& a, const Fingerprint& b) {
  if (!a.has_sketch || !b.has_sketch || !a.rich || !b.rich || !a.finite || !b.finite) return 0;
  const std::array<double, 6>& ours = a.numbers().moments;
  const std::array<double, 6>& theirs = b.numbers().moments;
  const double size = std::max(ours[1], theirs[1]);
  for (size_t m = 0; m < ours.size(); ++m) {
    if (!(std::abs(ours[m] - theirs[m]) <= kSameElement * size)) return 0;
  }
  return 0.9;  // a rarer fault than most
}

}  // namespace

LikenessSample LikenessSampleOf(const Tensor& tensor, const Fingerprint& fingerprint) {
  LikenessSample sample = {{}, fingerprint};
  const std::vector<double> all = ElementsOf(tensor);
  const size_t step = std::max<size_t>(1, all.size() / work_bounds::kLooks);
  sample.elements.reserve(all.size() / step + 1);
  for (size_t i = 0; i < all.size(); i += step) sample.elements.push_back(all[i]);
  return sample;
}

double LikenessOf(const LikenessSample& a, const LikenessSample& b) {
  if (a.elements.size() != b.elements.size()) return 0;
  const PairMoments moments =
      MomentsOfStrip(a.elements.data(), b.elements.data(), static_cast<int64_t>(a.elements.size()),
                     {.limit = std::numeric_limits<double>::max()});
  const auto n = static_cast<double>(moments.sums.count);
  if (n <= kHandful || moments.sums.left == 0 || moments.sums.right == 0) return 0;
  const double x = moments.left / n;
  const double y = (moments.left + moments.difference) / n;
  // A mask makes one side huge.
  const double size = std::sqrt(std::min(moments.sums.left, moments.sums.right) / n);
  double xx = 0, yy = 0, xy = 0, same = 0, telling = 0;
  for (size_t i = 0; i < a.elements.size(); ++i) {
    const double u = a.elements[i];
    const double v = b.elements[i];
    if (!std::isfinite(u) || !std::isfinite(v)) continue;
    xx += (u - x) * (u - x);
    yy += (v - y) * (v - y);
    xy += (u - x) * (v - y);
    // Relu makes many values 0.
    if (u == 0 && v == 0) continue;
    ++telling;
    if (std::abs(u - v) <= kSameElement * size) ++same;
  }
  double likeness = MovedElementsLikeness(a.fingerprint, b.fingerprint);
  const double correlation = xx > 0 && yy > 0 ? xy * xy / (xx * yy) : 0;
  if (correlation >= std::max(kLeastLikeness, kBeyondChance / n)) {
    likeness = std::max(likeness, correlation);
  }
  if (telling > 0 && same / telling >= kLeastLikeness)
    likeness = std::max(likeness, same / telling);
  return likeness;
}

}  // namespace onnxcmp
