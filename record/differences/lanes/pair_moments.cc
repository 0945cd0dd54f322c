#include "record/differences/lanes/pair_moments.h"

#include "record/differences/lanes/lanes.h"

namespace onnxcmp {

double PairSums::Apart(double floor) const {
  if (differences == 0 || count == 0) return 0;
  const auto n = static_cast<double>(count);
  const double size = std::sqrt(std::min(left, right) / n) + floor;
  return size > 0 ? std::sqrt(differences / n) / size : std::numeric_limits<double>::infinity();
}

template <typename Number>
PairMoments MomentsOfStrip(const Number* a, const Number* b, int64_t count,
                           const Counting& counting) {
  using lanes::AsBits;
  using lanes::AsDoubles;
  using lanes::Doubles;
  using lanes::Splat;
  Doubles squares = {}, left = {}, right = {}, difference = {}, lefts = {}, products = {};
  lanes::Bits counted = {};
  int64_t i = 0;
  for (; i + lanes::kLanes <= count; i += lanes::kLanes) {
    const Doubles u = lanes::Load(a + i);
    const Doubles v = lanes::Load(b + i);
    const lanes::Bits counts = AsBits(lanes::Abs(u) <= Splat(counting.limit)) &
                               AsBits(lanes::Abs(v) <= Splat(counting.limit));
    const Doubles exact = v - u;
    const Doubles size = lanes::Greater(lanes::Abs(exact) - Splat(counting.atol), Doubles{});
    const Doubles d = AsDoubles((AsBits(size) | (AsBits(exact) & lanes::kSign)) & counts);
    const Doubles x = AsDoubles(AsBits(u - Splat(counting.center)) & counts);
    const Doubles y = AsDoubles(AsBits(v - Splat(counting.center)) & counts);
    counted -= counts;
    squares += d * d;
    left += x * x;
    right += y * y;
    difference += d;
    lefts += x;
    products += x * y;
  }
  PairMoments totals;
  totals.sums = {lanes::Sum(counted), lanes::Sum(squares), lanes::Sum(left), lanes::Sum(right)};
  totals.difference = lanes::Sum(difference);
  totals.left = lanes::Sum(lefts);
  totals.products = lanes::Sum(products);
  for (; i < count; ++i) {
    const auto u = static_cast<double>(a[i]);
    const auto v = static_cast<double>(b[i]);
    if (!counting.Counts(u, v)) continue;
    totals.Add(counting.Moments(u, v));
  }
  return totals;
}

template PairMoments MomentsOfStrip(const float*, const float*, int64_t, const Counting&);
template PairMoments MomentsOfStrip(const double*, const double*, int64_t, const Counting&);

}  // namespace onnxcmp
