// The likeness of two values that are not near: a fault leaves part of a value intact.
#ifndef ONNXCMP_COMPARE_RECORDED_LIKENESS_H_
#define ONNXCMP_COMPARE_RECORDED_LIKENESS_H_

#include <cstdint>
#include <vector>

#include "evaluator/tensor/tensor.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {

// Elements at equal steps of a value, and the fingerprint of all elements.
struct LikenessSample {
  std::vector<double> elements;
  Fingerprint fingerprint;
};
LikenessSample LikenessSampleOf(const Tensor& tensor, const Fingerprint& fingerprint);

// Up to 1, for two values of one size: the greatest of the squared correlation (scaled, shifted,
// negated or noisy values), the share of equal elements (a part is wrong), and a constant if all
// elements are the same in other places. 0: no more than chance.
double LikenessOf(const LikenessSample& a, const LikenessSample& b);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_RECORDED_LIKENESS_H_
