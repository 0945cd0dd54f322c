// How much two values that are not near have in common, as a fault leaves it.
#ifndef ONNXCMP_COMPARE_OUTPUTS_RECORDED_LIKENESS_H_
#define ONNXCMP_COMPARE_OUTPUTS_RECORDED_LIKENESS_H_

#include <cstdint>
#include <vector>

#include "compare/streams/fingerprint.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Elements at equal steps of a value, and what is known of all of them.
struct LikenessSample {
  std::vector<double> elements;
  Fingerprint fingerprint;
};
LikenessSample LikenessSampleOf(const Tensor& tensor, const Fingerprint& fingerprint);

// Up to 1, of two values of one size: how well one foretells the other (scaled, moved, negated,
// noisy), the share of elements that are the same (a part of them is wrong), whether all are the
// same elsewhere. 0: no more than chance makes it.
double LikenessOf(const LikenessSample& a, const LikenessSample& b);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_OUTPUTS_RECORDED_LIKENESS_H_
