// An encoded image of random pixels.
#ifndef ONNXCMP_FEED_MADE_UP_MADE_UP_IMAGE_H_
#define ONNXCMP_FEED_MADE_UP_MADE_UP_IMAGE_H_

#include "absl/status/statusor.h"
#include "evaluator/base/random_numbers.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// A bitmap, the only image format that needs no encoder: three bytes a pixel, rows from the bottom.
// It is as long as `shape` says, if that is a vector with room for it.
absl::StatusOr<Tensor> MadeUpImage(const Shape& shape, RandomNumbers* random);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_MADE_UP_IMAGE_H_
