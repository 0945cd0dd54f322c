// Numbers side by side in AVX registers: four doubles, whatever type they are stored in.
#ifndef ONNXCMP_RECORD_DIFFERENCES_LANES_LANES_H_
#define ONNXCMP_RECORD_DIFFERENCES_LANES_LANES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace onnxcmp::lanes {

inline constexpr int64_t kLanes = 4;
using Doubles = double __attribute__((vector_size(32)));
using Bits = uint64_t __attribute__((vector_size(32)));

inline Doubles Load(const double* p) {
  Doubles lanes;
  std::memcpy(&lanes, p, sizeof(lanes));
  return lanes;
}
// Written so that it compiles to one instruction; g++ 12 makes several of __builtin_convertvector.
inline Doubles Load(const float* p) { return Doubles{p[0], p[1], p[2], p[3]}; }
inline void Store(Doubles lanes, double* p) { std::memcpy(p, &lanes, sizeof(lanes)); }
inline void Store(Doubles lanes, float* p) {
  for (int64_t i = 0; i < kLanes; ++i) p[i] = static_cast<float>(lanes[i]);
}

inline Doubles Splat(double number) { return Doubles{number, number, number, number}; }
inline Bits Splat(uint64_t bits) { return Bits{bits, bits, bits, bits}; }
inline Bits AsBits(Doubles lanes) { return reinterpret_cast<Bits>(lanes); }
inline Doubles AsDoubles(Bits lanes) { return reinterpret_cast<Doubles>(lanes); }

inline constexpr uint64_t kSign = uint64_t{1} << 63;
inline Doubles Abs(Doubles lanes) { return AsDoubles(AsBits(lanes) & ~kSign); }
inline Doubles Greater(Doubles a, Doubles b) { return a > b ? a : b; }

inline double Sum(Doubles lanes) { return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]); }
inline int64_t Sum(Bits lanes) {
  return static_cast<int64_t>((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
}
// The greatest lane, for lanes of any type.
template <typename Lanes>
auto Max(Lanes lanes) {
  auto greatest = lanes[0];
  for (size_t i = 1; i < sizeof(lanes) / sizeof(lanes[0]); ++i) {
    greatest = std::max(greatest, lanes[i]);
  }
  return greatest;
}
inline bool Any(Bits lanes) { return ((lanes[0] | lanes[1]) | (lanes[2] | lanes[3])) != 0; }

}  // namespace onnxcmp::lanes

#endif  // ONNXCMP_RECORD_DIFFERENCES_LANES_LANES_H_
