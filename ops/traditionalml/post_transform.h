// The last step of the classifiers and regressors of ai.onnx.ml: a transform of a row of scores.
#ifndef ONNXCMP_OPS_TRADITIONALML_POST_TRANSFORM_H_
#define ONNXCMP_OPS_TRADITIONALML_POST_TRANSFORM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {

// With the numbers that TreeEnsemble uses.
enum class PostTransform : uint8_t { kNone, kSoftmax, kLogistic, kSoftmaxZero, kProbit };

// "NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT".
absl::StatusOr<PostTransform> ParsePostTransform(absl::string_view name);
absl::StatusOr<PostTransform> PostTransformFromNumber(int64_t number);

// Over the `count` scores of one row. S: float, double.
//   LOGISTIC      1 / (1 + e^-x)
//   SOFTMAX       e^x / sum of e^x
//   SOFTMAX_ZERO  the same over the scores that are not zero (within 1e-7), which alone are summed
//   PROBIT        the quantile of the normal distribution, sqrt(2) * erfinv(2 x - 1), with
//                 Winitzki's approximation of erfinv as onnxruntime and ONNX's evaluator have it;
//                 NaN outside of [0, 1]
template <typename S>
void ApplyPostTransform(PostTransform transform, S* row, int64_t count);

// For a regressor's targets: a single one stays as it is but for PROBIT, as in onnxruntime and
// (where it knows the transforms at all) ONNX's evaluator.
template <typename S>
void ApplyToTargets(PostTransform transform, S* row, int64_t targets) {
  if (targets > 1 || transform == PostTransform::kProbit) {
    ApplyPostTransform(transform, row, targets);
  }
}

// The score of the first of two classes for which the model has only that of the second: 1 - score
// for a probability, else -score. `probability`: what an untransformed score is.
template <typename S>
S ScoreOfOtherClass(PostTransform transform, bool probability, S score) {
  const bool complement =
      transform == PostTransform::kProbit || (transform == PostTransform::kNone && probability);
  return complement ? S{1} - score : -score;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_TRADITIONALML_POST_TRANSFORM_H_
