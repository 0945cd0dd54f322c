#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

// RemovePadding (com.microsoft 1): the first sequence_token_count[b] tokens of every entry b of
// (batch, sequence, hidden), one after the other. token_offset says where in the input, counted in
// tokens, they were, and then where the padding was; cumulated_seq_len where each entry begins in
// the output, and max_seq_len how long the longest is.
absl::Status RemovePadding(KernelContext& ctx) {
  OC_ASSIGN_OR_RETURN(const Tensor input, ctx.ContiguousInput(0));
  if (input.rank() != 3) return BadAttentionShape("input", input, "(batch, sequence, hidden)");
  const int64_t batch = input.dim(0);
  const int64_t sequence = input.dim(1);
  if (ctx.Input(1).shape() != Shape{batch}) {
    return BadAttentionShape("sequence_token_count", ctx.Input(1), absl::StrCat("(", batch, ")"));
  }
  if (sequence > INT32_MAX || batch > INT32_MAX / std::max<int64_t>(1, sequence)) {
    return absl::InvalidArgumentError(
        absl::StrCat(batch, " entries of ", sequence, " tokens are more than int32 counts"));
  }
  OC_ASSIGN_OR_RETURN(const std::vector<int64_t> counts, ctx.IntsInput(1));
  int64_t total = 0;
  int64_t longest = 0;
  for (int64_t count : counts) {
    if (count < 0 || count > sequence) {
      return absl::InvalidArgumentError(
          absl::StrCat("an entry has ", count, " tokens of ", sequence));
    }
    total += count;
    longest = std::max(longest, count);
  }
  const int64_t hidden = input.dim(2);
  OC_ASSIGN_OR_RETURN(Tensor packed, ctx.Allocate(input.dtype(), {total, hidden}));
  OC_ASSIGN_OR_RETURN(Tensor offsets, ctx.Allocate(DType::kInt32, {batch, sequence}));
  OC_ASSIGN_OR_RETURN(Tensor bounds, ctx.Allocate(DType::kInt32, {batch + 1}));
  auto* token = offsets.mutable_data<int32_t>();
  int32_t* padding = token + total;
  auto* bound = bounds.mutable_data<int32_t>();
  *bound = 0;
  for (int64_t b = 0; b < batch; ++b, ++bound) {
    const int64_t count = counts[static_cast<size_t>(b)];
    const Tensor tokens = Narrowed(Narrowed(input, 0, b, 1), 1, 0, count);
    CopyIntoBlock(tokens, {0, hidden, 1}, *bound * hidden, ctx.pool(), &packed);
    bound[1] = bound[0] + static_cast<int32_t>(count);
    for (int64_t s = 0; s < sequence; ++s) {
      *(s < count ? token : padding)++ = static_cast<int32_t>(b * sequence + s);
    }
  }
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(packed)));
  OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(offsets)));
  OC_RETURN_IF_ERROR(ctx.SetOutput(2, std::move(bounds)));
  return ctx.SetOutput(3, Tensor::Of<int32_t>({1}, {static_cast<int32_t>(longest)}));
}

}  // namespace

void RegisterContribRemovePadding(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "RemovePadding", {1}, RemovePadding);
}

}  // namespace onnxcmp
