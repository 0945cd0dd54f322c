// Masks in types that cannot hold them.
#ifndef ONNXCMP_RECORD_DIFFERENCES_MASK_NUMBERS_H_
#define ONNXCMP_RECORD_DIFFERENCES_MASK_NUMBERS_H_

#include <optional>

#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// `wide` with its masks (numbers beyond 1e30 and infinities) replaced by `narrow`'s, if `narrow` is
// of a narrower floating type and has a mask of the same sign there: -3.4e38 becomes minus infinity
// in float16, or -65504 with a small number added. Nothing if there is no such element. The pool
// may be null.
std::optional<Tensor> WithMasksOf(const Tensor& wide, const Tensor& narrow, const ThreadPool* pool);

// True if two tensors of the same floating type differ in masks alone: numbers of the same sign
// beyond 1e30 and infinities. One exporter writes minus infinity, another the least number.
bool DifferInMasksAlone(const Tensor& a, const Tensor& b);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_MASK_NUMBERS_H_
