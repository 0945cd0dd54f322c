#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

// PadAndUnflatten (com.microsoft 1): zeros of shape (M1 * M2, ...), row indices[i] of which is row
// i of the input, as (M1, M2, ...), where (M1, M2) is the last input; and the shape before that. Of
// several rows with one index the last stays.
absl::Status PadAndUnflatten(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor input, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> indices, ctx.IntsInput(1));
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, ctx.IntsInput(2));
  if (input.rank() == 0 || dims.size() != 2 ||
      static_cast<int64_t>(indices.size()) != input.dim(0)) {
    return absl::InvalidArgumentError(absl::StrCat("there are ", indices.size(),
                                                   " indices for the rows of ", input.TypeString(),
                                                   ", and ", dims.size(), " dimensions"));
  }
  Shape shape(dims.begin(), dims.end());
  shape.insert(shape.end(), input.shape().begin() + 1, input.shape().end());
  OC_ASSIGN_OR_RETURN(Tensor output, ctx.Allocate(input.dtype(), shape));
  const int64_t rows = dims[0] * dims[1];
  OC_RETURN_IF_ERROR(NormalizeIndices(absl::MakeSpan(indices), 0, rows));
  const int64_t block = *NumElements(absl::MakeConstSpan(input.shape()).subspan(1));
  for (int64_t& index : indices) index *= block;
  FillWithZeros(&output);
  ScatterBlocks(input, indices, block, &output);
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(output)));
  if (!ctx.HasOutput(1)) return absl::OkStatus();
  Shape flat(shape.begin() + 1, shape.end());
  flat[0] = rows;
  const DType dtype = ctx.Input(2).dtype();
  OC_ASSIGN_OR_RETURN(Tensor flat_shape, ctx.Allocate(dtype, {static_cast<int64_t>(flat.size())}));
  StoreElements(dtype, flat.data(), flat_shape.num_elements(), flat_shape.mutable_raw_data(), 0);
  return ctx.SetOutput(1, std::move(flat_shape));
}

}  // namespace

void RegisterTrainingPadAndUnflatten(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "PadAndUnflatten", {1}, PadAndUnflatten);
}

}  // namespace onnxcmp
