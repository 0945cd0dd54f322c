// What two tensors have in common that are not near each other: the search for causes suggests
// pairs by it.
#ifndef ONNXCMP_COMPARE_REPAIR_LIKENESS_H_
#define ONNXCMP_COMPARE_REPAIR_LIKENESS_H_

#include <cstdint>

#include "compare/differences/nearness.h"

namespace onnxcmp {

// Larger constants are not looked at in any order.
inline constexpr int64_t kMaxSortedConstant = 65536;
// Values that are apart by this much may still be meant to be the same.
inline constexpr double kLittle = 2e-2;

// How alike two constants are, up to 1: the share of equal elements, in place or sorted, or
// their correlation if it is beyond 0.9.
double ConstantLikeness(const Measured& left, const Measured& right);

// Whether they may still be meant to be the same. What is 1 and a little more is near all that is:
// the difference must be little against how much the elements vary as well.
bool LittleApart(const Measured& left, const Measured& right);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPAIR_LIKENESS_H_
