// A sum of doubles without rounding, so that it does not depend on the order in which they come.
#ifndef ONNXCMP_SAMPLES_FIGURES_EXACT_SUM_H_
#define ONNXCMP_SAMPLES_FIGURES_EXACT_SUM_H_

#include <array>
#include <cstdint>

namespace onnxcmp {

// A fixed-point number that holds every double and 2^31 of them (a Kulisch accumulator).
class ExactSum {
 public:
  static constexpr int kDigits = 68;

  // Finite numbers only.
  void Add(double number);
  void Add(const ExactSum& other);
  // The sum as a double, within a last place; the same bits for the same numbers in any order.
  double Total() const;

  // Digits of 32 bits, the lowest first, the first one in units of the least double; the last is
  // signed, all others are not negative. Equal sums have equal digits.
  std::array<int64_t, kDigits> Digits() const;
  static ExactSum OfDigits(const std::array<int64_t, kDigits>& digits);

 private:
  void Carry();

  std::array<int64_t, kDigits> digits_ = {};
  int64_t pending_ = 0;  // additions since the last carry
};

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_FIGURES_EXACT_SUM_H_
