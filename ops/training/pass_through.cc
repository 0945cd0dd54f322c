#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// Group (com.microsoft 1): true, once all inputs are there.
absl::Status Group(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) ctx.IgnoreInput(i);
  return ctx.SetOutput(0, Tensor::Scalar<bool>(true));
}

// PassThrough (com.microsoft 1): the inputs.
absl::Status PassThrough(KernelContext& ctx) {
  if (ctx.num_outputs() > ctx.num_inputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat(ctx.num_outputs(), " outputs of ", ctx.num_inputs(), " inputs"));
  }
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    if (ctx.HasInput(i) && i < ctx.num_outputs()) {
      OC_RETURN_IF_ERROR(ctx.SetOutput(i, ctx.InputValue(i)));
    }
  }
  return absl::OkStatus();
}

// View (com.microsoft 1): the input's elements cut into pieces of the shapes given, in their order.
absl::Status View(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor flat, ctx.ContiguousInput(0));
  int64_t first = 0;
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, ctx.IntsInput(i));
    const std::optional<int64_t> count = NumElements(shape);
    if (!count.has_value() || *count > flat.num_elements() - first) {
      return absl::InvalidArgumentError(
          absl::StrCat("the shapes need more elements than ", flat.TypeString(), " has"));
    }
    const int64_t offset = *count == 0 ? flat.offset() : flat.offset() + first;
    OC_RETURN_IF_ERROR(ctx.SetOutput(i - 1, flat.Strided(shape, RowMajorStrides(shape), offset)));
    first += *count;
  }
  if (first != flat.num_elements()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the shapes take ", first, " elements of ", flat.TypeString()));
  }
  return absl::OkStatus();
}

}  // namespace

void RegisterTrainingPassThrough(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "Group", {1}, Group);
  registry.Add(kMicrosoftDomain, "PassThrough", {1}, PassThrough);
  registry.Add(kMicrosoftDomain, "View", {1}, View);
}

}  // namespace onnxcmp
