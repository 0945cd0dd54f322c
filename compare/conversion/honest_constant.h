// Tells if a constant of a converted side is the other side's, rounded to its type.
#ifndef ONNXCMP_COMPARE_CONVERSION_HONEST_CONSTANT_H_
#define ONNXCMP_COMPARE_CONVERSION_HONEST_CONSTANT_H_

#include "compare/quantization/quant_params.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// True if every number is the plain one rounded to the converted type. Fills of masks, large
// negative numbers, may stand for others beyond that type. Tensors of equal size; the pool may be
// null.
bool IsRounded(const Tensor& plain, const Tensor& converted, const ThreadPool* pool);

// The same for integers with scales: every number is the nearest step, or the end of the range if
// it is beyond that. Quantizers that choose steps by their effect on a layer leave larger errors,
// which are accepted if they have no direction and on the whole are below a step.
bool IsQuantizedFrom(const Tensor& plain, const Tensor& integers, const QuantParamValues& params,
                     const ThreadPool* pool);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_HONEST_CONSTANT_H_
