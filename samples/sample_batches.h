// Samples that are fed at once: their inputs joined, their outputs taken apart.
#ifndef ONNXCMP_SAMPLES_SAMPLE_BATCHES_H_
#define ONNXCMP_SAMPLES_SAMPLE_BATCHES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Tensors after each other along the first axis, which they all have.
absl::StatusOr<Tensor> Joined(const std::vector<Tensor>& parts);

// The part of an output that is one sample's; the whole if it has no axis for the batch.
Value PartOfBatch(const Value& value, int64_t part, int64_t parts);

}  // namespace onnxcmp

#endif  // ONNXCMP_SAMPLES_SAMPLE_BATCHES_H_
