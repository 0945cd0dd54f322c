// Random numbers that are the same on all platforms.
#ifndef ONNXCMP_EVALUATOR_BASE_RANDOM_NUMBERS_H_
#define ONNXCMP_EVALUATOR_BASE_RANDOM_NUMBERS_H_

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace onnxcmp {

// std's distributions differ between libraries; the engine does not.
class RandomNumbers {
 public:
  explicit RandomNumbers(uint64_t seed) : engine_(seed) {}

  // In [0, 1).
  double Uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  // In [0, limit); limits below 1 count as 1.
  int64_t Below(int64_t limit) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(limit < 1 ? 1 : limit));
  }
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(1 - Uniform()));
    return radius * std::cos(2 * std::numbers::pi * Uniform());
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_BASE_RANDOM_NUMBERS_H_
