// Elements between their storage type and the type they are computed in. The only place that knows
// what the bits of a narrow float or a packed integer mean.
#ifndef ONNXCMP_EVALUATOR_TENSOR_CONVERT_H_
#define ONNXCMP_EVALUATOR_TENSOR_CONVERT_H_

#include <complex>
#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// How a float becomes a float8, and a number an integer, that cannot hold it.
enum class Overflow : uint8_t {
  kIeee,      // float8: NaN or infinity, as a cast without saturation; integers wrap
  kSaturate,  // float8, float4: the largest finite value; integers: the nearest that fits, NaN is 0
};

// Loads `count` consecutive elements, the first being element `first` counted from `data`, into
// `out`. C: float, double, int64_t, uint64_t, bool, std::complex<double>. Every numeric storage
// type converts to every C as ONNX's Cast does it where that says anything (float to integer
// truncates; complex to real takes the real part). Not for strings.
template <typename C>
void LoadElements(DType dtype, const std::byte* data, int64_t first, int64_t count, C* out);

// As above, element i being at `first + i * stride`.
template <typename C>
void LoadStrided(DType dtype, const std::byte* data, int64_t first, int64_t stride, int64_t count,
                 C* out);

// Stores with one rounding (to nearest, ties to even). A packed type's neighbours in the same byte
// are preserved, so two threads must not write to the same byte.
template <typename C>
void StoreElements(DType dtype, const C* values, int64_t count, std::byte* data, int64_t first,
                   Overflow overflow = Overflow::kIeee);

// The element a storage type rounds a double to, as a double: what `--shadow` must not do and casts
// must.
double RoundTo(DType dtype, double value, Overflow overflow = Overflow::kIeee);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_CONVERT_H_
