#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

// True for the types that T2 allows: numbers of a whole byte and more, and bool.
bool IsAllowed(DType dtype) {
  return dtype == DType::kBool || dtype == DType::kFloat || dtype == DType::kDouble ||
         dtype == DType::kFloat16 || dtype == DType::kBfloat16 ||
         (IsInteger(dtype) && !IsSubByte(dtype));
}

// EyeLike (ai.onnx 9, 22): a matrix of the input's shape, 1 where column - row = k, else 0, of the
// type `dtype`, by default the input's.
absl::StatusOr<Kernel> EyeLike(const KernelInit& node) {
  const int64_t number = node.Int("dtype", 0);
  const int64_t k = node.Int("k");
  const DType type =
      number > 0 && number < kNumDTypes ? static_cast<DType>(number) : DType::kUndefined;
  if (node.Has("dtype") && !IsAllowed(type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute dtype ", number, " names no type that EyeLike produces"));
  }
  return [type, k](KernelContext& ctx) -> absl::Status {
    const Tensor& x = ctx.Input(0);
    if (x.rank() != 2) {
      return absl::InvalidArgumentError(absl::StrCat("the input has rank ", x.rank(), ", not 2"));
    }
    const DType dtype = type == DType::kUndefined ? x.dtype() : type;
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(dtype, x.shape()));
    FillWithZeros(&result);
    const int64_t rows = x.dim(0);
    const int64_t columns = x.dim(1);
    const int64_t diagonal = std::clamp(k, -rows, columns);  // outside at both ends
    const int64_t one = 1;
    const int64_t end = std::min(rows, columns - diagonal);
    for (int64_t row = std::max<int64_t>(-diagonal, 0); row < end; ++row) {
      StoreElements(dtype, &one, 1, result.mutable_raw_data(), row * columns + row + diagonal);
    }
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterEyeLike(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "EyeLike", {9, 22}, EyeLike);
}

}  // namespace onnxcmp
