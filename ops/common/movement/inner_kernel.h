// Running an operator's kernel inside of another one: for operators that are a known one with its
// inputs and outputs laid out in another way.
#ifndef ONNXCMP_OPS_COMMON_MOVEMENT_INNER_KERNEL_H_
#define ONNXCMP_OPS_COMMON_MOVEMENT_INNER_KERNEL_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The node's inputs, those that are left out empty. All of them count as asked for.
std::vector<Value> InputValues(const KernelContext& ctx);

// The outputs of `kernel` for `inputs`; those are wanted of it that are wanted of the node. An
// error if it does not look at one of the inputs.
absl::StatusOr<std::vector<Value>> RunInner(KernelContext& ctx, const Kernel& kernel,
                                            const std::vector<Value>& inputs);

// Sets those that there are.
absl::Status SetOutputs(KernelContext& ctx, std::vector<Value> outputs);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_COMMON_MOVEMENT_INNER_KERNEL_H_
