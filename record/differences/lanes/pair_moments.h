// Sums over pairs of numbers: the size of a difference, the common factor, the correlation.
#ifndef ONNXCMP_RECORD_DIFFERENCES_LANES_PAIR_MOMENTS_H_
#define ONNXCMP_RECORD_DIFFERENCES_LANES_PAIR_MOMENTS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace onnxcmp {

struct PairSums {
  int64_t count = 0;
  double differences = 0;  // d^2
  double left = 0;         // a^2
  double right = 0;        // b^2

  void Add(const PairSums& other) {
    count += other.count;
    differences += other.differences;
    left += other.left;
    right += other.right;
  }
  // Root mean square of the differences relative to that of the smaller side, `floor` added.
  double Apart(double floor) const;
};

// The sums that a factor, an offset and a cosine follow from, too.
struct PairMoments {
  PairSums sums;
  double difference = 0;  // b - a
  double left = 0;        // a
  double products = 0;    // a b

  void Add(const PairMoments& other) {
    sums.Add(other.sums);
    difference += other.difference;
    left += other.left;
    products += other.products;
  }
  // By least squares: b = a + offset, b = factor * a; the squares of b - a that each leaves.
  double Offset() const { return difference / static_cast<double>(sums.count); }
  double Factor() const { return sums.left > 0 ? products / sums.left : 1; }
  double AfterOffset() const { return sums.differences - difference * Offset(); }
  double AfterFactor() const {
    return sums.right - (sums.left > 0 ? products * products / sums.left : 0);
  }
};

// Rules for how a pair of numbers counts. NaN never does.
struct Counting {
  double limit = std::numeric_limits<double>::infinity();  // larger numbers do not count
  double atol = 0;    // only the part of a difference beyond it counts
  double center = 0;  // subtracted from values

  bool Counts(double a, double b) const { return std::max(std::abs(a), std::abs(b)) <= limit; }
  double Beyond(double a, double b) const {
    return std::copysign(std::max(std::abs(b - a) - atol, 0.0), b - a);
  }
  PairSums One(double a, double b) const {
    const double d = Beyond(a, b);
    return {1, d * d, (a - center) * (a - center), (b - center) * (b - center)};
  }
  PairMoments Moments(double a, double b) const {
    return {One(a, b), Beyond(a, b), a - center, (a - center) * (b - center)};
  }
};

// Moments of a strip of numbers, some side by side. Number: float or double.
template <typename Number>
PairMoments MomentsOfStrip(const Number* a, const Number* b, int64_t count,
                           const Counting& counting);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_LANES_PAIR_MOMENTS_H_
