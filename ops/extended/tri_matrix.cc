#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "ops/extended/domains.h"

namespace onnxcmp {
namespace {

// TriMatrix (onnx_extended.ortops.optim.cuda 1): a matrix of the shape in input 0, with csts[0]
// below the diagonal, csts[1] on it and csts[2] above.
absl::Status TriMatrix(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> shape, ctx.IntsInput(0));
  OC_ASSIGN_OR_RETURN(const Tensor constants, ctx.ContiguousInput(1));
  if (shape.size() != 2 || constants.num_elements() != 3) {
    return absl::InvalidArgumentError(absl::StrCat("a shape of ", shape.size(), " dimensions and ",
                                                   constants.num_elements(),
                                                   " constants do not make a matrix of three"));
  }
  OC_ASSIGN_OR_RETURN(Tensor matrix, ctx.Allocate(constants.dtype(), shape));
  if (matrix.num_elements() == 0) return ctx.SetOutput(0, std::move(matrix));
  const auto size = static_cast<size_t>(constants.byte_size() / 3);
  const std::byte* from = constants.raw_data();
  std::byte* to = matrix.mutable_raw_data();
  for (int64_t row = 0; row < shape[0]; ++row) {
    for (int64_t column = 0; column < shape[1]; ++column, to += size) {
      const size_t which = row > column ? 0 : row == column ? 1 : 2;
      std::memcpy(to, from + which * size, size);
    }
  }
  return ctx.SetOutput(0, std::move(matrix));
}

}  // namespace

void RegisterExtendedTriMatrix(OpRegistry& registry) {
  AddFusedKernel(registry, "TriMatrix", TriMatrix);
}

}  // namespace onnxcmp
