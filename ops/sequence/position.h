// Positions in sequences.
#ifndef ONNXCMP_OPS_SEQUENCE_POSITION_H_
#define ONNXCMP_OPS_SEQUENCE_POSITION_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"

namespace onnxcmp {

// Input `index`, a position counted from the back if it is negative, or `fallback` if it is left
// out. InvalidArgument unless it is in [-size, end).
inline absl::StatusOr<size_t> PositionInput(const KernelContext& ctx, int index, size_t size,
                                            size_t end, size_t fallback) {
  if (!ctx.HasInput(index)) return fallback;
  OC_ASSIGN_OR_RETURN(const int64_t position, ctx.ScalarInput<int64_t>(index));
  const auto elements = static_cast<int64_t>(size);
  if (position < -elements || position >= static_cast<int64_t>(end)) {
    return absl::InvalidArgumentError(
        absl::StrCat("position ", position, " is out of range for ", size, " elements"));
  }
  return static_cast<size_t>(position < 0 ? position + elements : position);
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_SEQUENCE_POSITION_H_
