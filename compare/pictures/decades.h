// How many elements of a pair differ by how much.
#ifndef ONNXCMP_COMPARE_PICTURES_DECADES_H_
#define ONNXCMP_COMPARE_PICTURES_DECADES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace onnxcmp {

// Absolute differences from 10^decade up to ten times that; the least decade has what is below,
// too.
struct DecadeCount {
  int decade = 0;
  int64_t elements = 0;
};

class DecadeCounter {
 public:
  DecadeCounter();

  void Add(double left, double right);

  int64_t equal() const { return equal_; }  // NaN on both sides too
  int64_t not_finite() const { return not_finite_; }
  std::vector<DecadeCount> decades() const;  // the greatest first

 private:
  static constexpr int kLeastDecade = -20;
  static constexpr int kGreatestDecade = std::numeric_limits<double>::max_exponent10;

  static constexpr size_t kDecades = size_t{kGreatestDecade - kLeastDecade + 1};

  size_t PlaceOf(double difference) const;

  int64_t equal_ = 0;
  int64_t not_finite_ = 0;
  std::array<int64_t, kDecades> counts_ = {};
  std::array<double, kDecades> powers_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_PICTURES_DECADES_H_
