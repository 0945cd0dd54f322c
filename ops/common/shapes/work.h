// A bound on the time that one node may take.
#ifndef ONNXCMP_OPS_COMMON_SHAPES_WORK_H_
#define ONNXCMP_OPS_COMMON_SHAPES_WORK_H_

#include "absl/status/status.h"
#include "evaluator/kernels/kernel.h"

namespace onnxcmp {

// Operations that a node may take for each byte that a tensor may have (--max-tensor): with the
// default limit 7e13, which is an hour rather than a year.
inline constexpr double kWorkPerByte = 16384;

// ResourceExhausted if there is more to do than that. `operations`: about how many
// multiplications, comparisons or look-ups the kernel is in for. For kernels whose work is not
// bounded by the size of what they read and write: an attribute multiplies it, or two inputs that
// fit each by itself do.
absl::Status CheckWork(const KernelContext& ctx, double operations);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_SHAPES_WORK_H_
