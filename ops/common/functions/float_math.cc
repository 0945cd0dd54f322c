#include "ops/common/functions/float_math.h"

#include "ops/common/functions/float_formulas.h"
#include "ops/common/functions/float_functions.h"
#include "ops/common/functions/packet.h"

namespace onnxcmp::vec {
namespace ONNXCMP_INSTRUCTIONS {

inline void ExpTo(const float* x, int64_t count, float* y) {
  ApplyToPairs(x, count, y, [](FloatPair v) { return ExpOf(v); });
}
inline void TanhTo(const float* x, int64_t count, float* y) {
  ApplyToPairs(x, count, y, [](FloatPair v) { return TanhOf(v); });
}
inline void ErfTo(const float* x, int64_t count, float* y) {
  ApplyToPairs(x, count, y, [](FloatPair v) { return ErfOf(v); });
}
inline void SigmoidTo(const float* x, int64_t count, float* y) {
  ApplyToPairs(x, count, y, [](FloatPair v) {
    return SigmoidBy<float>([](FloatPair u) { return ExpOf(u); }, v);
  });
}
inline void GeluTo(const float* x, int64_t count, float* y) {
  ApplyToPairs(x, count, y,
               [](FloatPair v) { return GeluBy<float>([](FloatPair u) { return ErfOf(u); }, v); });
}
inline void GeluTanhTo(const float* x, int64_t count, float* y) {
  ApplyToPairs(x, count, y, [](FloatPair v) {
    return GeluTanhBy<float>([](FloatPair u) { return TanhOf(u); }, v);
  });
}
inline void ExpOfDifferenceTo(const float* x, float subtrahend, int64_t count, float* y) {
  ApplyToPairs(x, count, y, [subtrahend](FloatPair v) { return ExpOf(v - Fill(subtrahend)); });
}

FloatMath FloatFunctions() {
  return {ExpTo, TanhTo, ErfTo, SigmoidTo, GeluTo, GeluTanhTo, ExpOfDifferenceTo};
}

}  // namespace ONNXCMP_INSTRUCTIONS
}  // namespace onnxcmp::vec
