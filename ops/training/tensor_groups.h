// The inputs and outputs of the optimizers of ai.onnx.preview.training: inputs R, T, then groups of
// tensors: those to be optimized, their gradients, their states; outputs are groups without the
// gradients.
#ifndef ONNXCMP_OPS_TRAINING_TENSOR_GROUPS_H_
#define ONNXCMP_OPS_TRAINING_TENSOR_GROUPS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "ops/common/elements/load_store.h"

namespace onnxcmp {

// For every tensor of the first group calls update(values, count): values[0] is the tensor,
// values[1] its gradient, the others its states; the gradient alone is not written back.
template <typename C, size_t kGroups, typename Update>
absl::Status UpdateTensors(KernelContext& ctx, const Update& update) {
  constexpr int kFirst = 2;  // after R and T
  constexpr int kInputs = static_cast<int>(kGroups);
  const int tensors = (ctx.num_inputs() - kFirst) / kInputs;
  if (tensors * kInputs != ctx.num_inputs() - kFirst ||
      ctx.num_outputs() > tensors * (kInputs - 1)) {
    return absl::InvalidArgumentError(absl::StrCat(ctx.num_inputs() - kFirst, " tensors are not ",
                                                   kGroups, " for each one that is optimized"));
  }
  for (int i = 0; i < tensors; ++i) {
    const Shape& shape = ctx.Input(kFirst + i).shape();
    std::array<Tensor, kGroups> group;
    std::array<C*, kGroups> values;
    for (int g = 0; g < kInputs; ++g) {
      const Tensor& given = ctx.Input(kFirst + g * tensors + i);
      if (given.shape() != shape) {
        return absl::InvalidArgumentError(
            absl::StrCat("tensor ", i, " is ", ctx.Input(kFirst + i).TypeString(),
                         ", but what belongs to it is ", given.TypeString()));
      }
      Tensor& copy = group[static_cast<size_t>(g)];
      OC_ASSIGN_OR_RETURN(const Tensor loaded, LoadTensor<C>(ctx, given));
      OC_ASSIGN_OR_RETURN(copy, ctx.Allocate(kDTypeOf<C>, shape));
      values[static_cast<size_t>(g)] = copy.template mutable_data<C>();
      std::copy_n(loaded.template data<C>(), copy.num_elements(), copy.template mutable_data<C>());
    }
    update(values, group[0].num_elements());
    int output = i;
    for (int g = 0; g < kInputs; ++g) {
      if (g != 1) {
        const DType dtype = ctx.Input(kFirst + g * tensors + i).dtype();
        OC_ASSIGN_OR_RETURN(Tensor stored,
                            StoreTensor<C>(ctx, group[static_cast<size_t>(g)], dtype));
        OC_RETURN_IF_ERROR(ctx.SetOutput(output, std::move(stored)));
        output += tensors;
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_TRAINING_TENSOR_GROUPS_H_
