// Updates written into a copy of the data, or combined with what is there: shared by
// ScatterElements and ScatterND.
#ifndef ONNXCMP_OPS_COMMON_MOVEMENT_SCATTER_H_
#define ONNXCMP_OPS_COMMON_MOVEMENT_SCATTER_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

enum class ScatterReduction : uint8_t { kNone, kAdd, kMul, kMax, kMin };

// "none", "add", "mul", "max", "min".
absl::StatusOr<ScatterReduction> ScatterReductionNamed(absl::string_view name);

// The attribute `reduction` from version 16 on, which knows max and min from 18 on.
absl::StatusOr<ScatterReduction> ReadScatterReduction(const KernelInit& node);

// A copy of `data` into which the blocks of `updates`, of `block` elements each, are put: block i
// at element offsets[i], one after the other. Of several blocks in one place the last stays, or all
// are combined, in their order. Sums of narrow floats are rounded once, integers wrap around, of
// booleans the sum is "or" and the product "and"; NaN wins over any maximum or minimum.
absl::StatusOr<Tensor> Scattered(const KernelContext& ctx, const Tensor& data,
                                 const Tensor& updates, absl::Span<const int64_t> offsets,
                                 int64_t block, ScatterReduction reduction);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_MOVEMENT_SCATTER_H_
