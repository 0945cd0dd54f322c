// The scale of a tensor's numbers, robust against outliers.
#ifndef ONNXCMP_RECORD_DIFFERENCES_LANES_SCALE_SUM_H_
#define ONNXCMP_RECORD_DIFFERENCES_LANES_SCALE_SUM_H_

#include <cstdint>
#include <vector>

namespace onnxcmp {

// The elements that count for a scale, gathered piece by piece: those that are finite, not 0, and
// no masks.
class ScaleSum {
 public:
  // `size`: number of all elements, which sets the distance of those that are sampled.
  explicit ScaleSum(int64_t size) : step_(size / kSample + 1) {}

  void Add(const double* elements, int64_t count);
  // Adds the piece after this one.
  void Add(const ScaleSum& next);
  // The smaller of the root mean square and four times the median of the magnitudes.
  double Scale();

 private:
  static constexpr int64_t kSample = 1024;

  void AddStrip(const double* elements, int64_t count);

  int64_t step_;
  int64_t until_next_ = 1;
  double squares_ = 0;
  int64_t count_ = 0;
  std::vector<double> sample_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_LANES_SCALE_SUM_H_
