// Infinity, which stands for a distance that cannot be measured.
#ifndef ONNXCMP_RECORD_DIFFERENCES_INFINITY_H_
#define ONNXCMP_RECORD_DIFFERENCES_INFINITY_H_

#include <limits>

namespace onnxcmp {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_INFINITY_H_
