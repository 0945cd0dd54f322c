#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

// RestorePadding (com.microsoft 1): the inverse of RemovePadding. Token i of (tokens, hidden) goes
// to place token_offset[i] of (batch, sequence, hidden); the other places are 0.
absl::Status RestorePadding(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor input, ctx.ContiguousInput(0));
  const Tensor& places = ctx.Input(1);
  if (input.rank() != 2) return BadAttentionShape("input", input, "(tokens, hidden)");
  if (places.rank() != 2 || places.num_elements() < input.dim(0)) {
    return BadAttentionShape("token_offset", places,
                             absl::StrCat("(batch, sequence) for ", input.dim(0), " tokens"));
  }
  OC_ASSIGN_OR_RETURN(std::vector<int64_t> offsets, ctx.IntsInput(1));
  const int64_t hidden = input.dim(1);
  OC_ASSIGN_OR_RETURN(Tensor output,
                      ctx.Allocate(input.dtype(), {places.dim(0), places.dim(1), hidden}));
  FillWithZeros(&output);
  offsets.resize(static_cast<size_t>(input.dim(0)));
  for (int64_t& offset : offsets) {
    if (offset < 0 || offset >= places.num_elements()) {
      return absl::InvalidArgumentError(absl::StrCat("token_offset ", offset, " is outside of ",
                                                     places.num_elements(), " places"));
    }
    offset *= hidden;
  }
  // A source of one block would be written everywhere, which is what one token asks for.
  if (!offsets.empty() && hidden > 0) ScatterBlocks(input, offsets, hidden, &output);
  return ctx.SetOutput(0, std::move(output));
}

}  // namespace

void RegisterContribRestorePadding(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "RestorePadding", {1}, RestorePadding);
}

}  // namespace onnxcmp
