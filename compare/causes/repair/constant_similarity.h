// Similarity of two tensors that are not near each other, from which the search for causes suggests
// pairs.
#ifndef ONNXCMP_COMPARE_CAUSES_REPAIR_CONSTANT_SIMILARITY_H_
#define ONNXCMP_COMPARE_CAUSES_REPAIR_CONSTANT_SIMILARITY_H_

#include <cstdint>

#include "record/differences/tensor_distance.h"

namespace onnxcmp {

// Larger constants are not compared in sorted order.
inline constexpr int64_t kMaxSortedConstant = 65536;
// Values within this distance may still be counterparts.
inline constexpr double kLittle = 2e-2;

// Similarity of two constants, up to 1: the share of equal elements, in place or sorted, or their
// correlation if it exceeds 0.9.
double ConstantSimilarity(const Measured& left, const Measured& right);

// True if they may be counterparts. All numbers slightly above 1 are near each other, so the
// difference must also be small relative to the variation of the elements.
bool LittleApart(const Measured& left, const Measured& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CAUSES_REPAIR_CONSTANT_SIMILARITY_H_
