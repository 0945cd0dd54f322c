// The range of the numbers that a picture shows.
#ifndef ONNXCMP_COMPARE_PICTURES_PICTURE_BOUNDS_H_
#define ONNXCMP_COMPARE_PICTURES_PICTURE_BOUNDS_H_

#include <algorithm>
#include <cmath>
#include <limits>

namespace onnxcmp {

// From the least to the greatest finite number.
struct PictureBounds {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();

  void Add(double number) {
    if (!std::isfinite(number)) return;
    least = std::min(least, number);
    greatest = std::max(greatest, number);
  }
  bool empty() const { return least > greatest; }
  // From 0 to 1; `single` where all numbers are the same.
  double Share(double number, double single) const {
    // Halves, for the range of doubles may be twice what a double holds.
    const double range = greatest / 2 - least / 2;
    return range > 0 ? std::clamp((number / 2 - least / 2) / range, 0.0, 1.0) : single;
  }
};

// True for elements that a picture shows as equal: two NaN are.
inline bool AreEqualElements(double left, double right) {
  return left == right || (std::isnan(left) && std::isnan(right));
}

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_PICTURES_PICTURE_BOUNDS_H_
