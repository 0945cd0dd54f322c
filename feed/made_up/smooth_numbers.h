// Numbers that are like their neighbours, as those of images and of signals are.
#ifndef ONNXCMP_FEED_MADE_UP_SMOOTH_NUMBERS_H_
#define ONNXCMP_FEED_MADE_UP_SMOOTH_NUMBERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evaluator/base/random_numbers.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

class SmoothNumbers {
 public:
  // Smooth along the two longest axes after the first of possible images, and along the last axis
  // of possible signals; independent numbers for other shapes. `cells`: the most along each axis;
  // `alike`: true for correlated channels.
  SmoothNumbers(const Shape& shape, RandomNumbers* random, int64_t cells = 8, bool alike = false);

  bool any() const { return !axes_.empty(); }
  // Normally distributed, up to a little noise that is the caller's.
  double At(int64_t i) const;

 private:
  void ShareAmongChannels(RandomNumbers* random);

  // An axis along which there is a number every `every` elements.
  struct Axis {
    int64_t stride = 1;
    int64_t length = 1;
    int64_t every = 1;
    int64_t coarse_stride = 1;
  };

  std::vector<Axis> axes_;
  // The other axes, in the tensor and in the coarse numbers.
  std::vector<Axis> others_;
  std::vector<double> coarse_;
};

// Large parts and small ones alike, as in photographs, whose channels differ little.
class SceneNumbers {
 public:
  SceneNumbers(const Shape& shape, RandomNumbers* random);

  bool any() const { return parts_.front().any(); }
  double At(int64_t i) const;

 private:
  std::vector<SmoothNumbers> parts_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_SMOOTH_NUMBERS_H_
