// Tells if a constant of a converted side is the other side's, rounded to its type.
#ifndef ONNXCMP_COMPARE_CONVERSION_HONEST_CONSTANT_H_
#define ONNXCMP_COMPARE_CONVERSION_HONEST_CONSTANT_H_

#include <cstdint>

#include "compare/quantization/quant_params.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

enum class ConstantRounding : uint8_t {
  kHonest,   // every number is the plain one rounded to the converted type
  kClamped,  // or stands for one that the type cannot hold: nearly 0, or beyond its greatest
  kWrong,
};

// Tensors of equal size; the pool may be null. Fills of masks, large negative numbers, may stand
// for others.
ConstantRounding RoundingOf(const Tensor& plain, const Tensor& converted, const ThreadPool* pool);

// True for integers with scales that are the plain numbers rounded: every number is the nearest
// step, or the end of the range if it is beyond that. Quantizers that choose steps by their effect
// on a layer leave larger errors, which are accepted if they have no direction and on the whole are
// below a step.
bool IsQuantizedFrom(const Tensor& plain, const Tensor& integers, const QuantParamValues& params,
                     const ThreadPool* pool);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_HONEST_CONSTANT_H_
