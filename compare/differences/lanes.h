// Four doubles side by side, a register of AVX, for sums over many elements. (g++ 12 keeps wider
// vectors in memory.)
#ifndef ONNXCMP_COMPARE_DIFFERENCES_LANES_H_
#define ONNXCMP_COMPARE_DIFFERENCES_LANES_H_

#include <cstdint>
#include <cstring>

#ifdef __AVX__
#include <immintrin.h>
#endif

namespace onnxcmp {

inline constexpr int kLanes = 4;
using Doubles = double __attribute__((vector_size(32)));
using LaneBits = uint64_t __attribute__((vector_size(32)));

inline Doubles LoadLanes(const double* p) {
  Doubles lanes;
  std::memcpy(&lanes, p, sizeof(lanes));
  return lanes;
}

inline Doubles LoadLanes(const float* p) {
#ifdef __AVX__
  return _mm256_cvtps_pd(_mm_loadu_ps(p));  // what g++ 12 makes of a loop takes five instructions
#else
  return Doubles{double{p[0]}, double{p[1]}, double{p[2]}, double{p[3]}};
#endif
}

inline void StoreLanes(Doubles lanes, double* p) { std::memcpy(p, &lanes, sizeof(lanes)); }
inline void StoreLanes(Doubles lanes, float* p) {
  for (int lane = 0; lane < kLanes; ++lane) p[lane] = static_cast<float>(lanes[lane]);
}

inline Doubles Splat(double number) { return Doubles{number, number, number, number}; }

inline Doubles Abs(Doubles lanes) {
  return reinterpret_cast<Doubles>(reinterpret_cast<LaneBits>(lanes) & ~(uint64_t{1} << 63));
}

inline double SumOfLanes(Doubles lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_DIFFERENCES_LANES_H_
