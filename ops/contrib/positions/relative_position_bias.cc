#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/attention/attention.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

// The bucket of a key that is `distance` after a query: near ones have buckets of their own, far
// ones share them on a logarithmic scale, those from `max_distance` on the last.
int64_t BucketOf(int64_t distance, int64_t buckets, int64_t max_distance, bool bidirectional) {
  int64_t first = 0;
  if (bidirectional) {
    buckets /= 2;
    if (distance < 0) first = buckets;
    distance = std::abs(distance);
  }
  distance = std::max<int64_t>(distance, 0);
  const int64_t exact = buckets / 2;
  if (distance < exact) return first + distance;
  // In float, as the network was trained.
  const float share = std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
                      std::log(static_cast<float>(max_distance) / static_cast<float>(exact));
  const float far = share * static_cast<float>(buckets - exact);
  return first + std::min(buckets - 1, exact + static_cast<int64_t>(std::min(far, 1e9f)));
}

absl::Status Run(KernelContext& ctx, int64_t max_distance, bool bidirectional) {
  OC_ASSIGN_OR_RETURN(const Tensor table, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(const int64_t length, ctx.ScalarInput<int64_t>(1));
  OC_ASSIGN_OR_RETURN(const int64_t keys, ctx.ScalarInput<int64_t>(2));
  if (table.rank() != 2) return BadAttentionShape("bias_table", table, "(buckets, heads)");
  const int64_t buckets = table.dim(0);
  const int64_t heads = table.dim(1);
  const int64_t exact = buckets / (bidirectional ? 4 : 2);
  if (exact < 1 || max_distance <= exact) {
    return absl::InvalidArgumentError(
        absl::StrCat(buckets, " buckets and max_distance ", max_distance,
                     " leave no bucket for near keys, or no distance for far ones"));
  }
  if (length < 0 || keys != length) {
    return absl::InvalidArgumentError(
        absl::StrCat("query_length ", length, " and key_length ", keys,
                     " are not the same, as self attention has them"));
  }
  OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(table.dtype(), {1, heads, length, length}));
  if (out.num_elements() == 0) return ctx.SetOutput(0, std::move(out));
  // The bias of a head depends on the distance alone.
  std::vector<int64_t> columns;
  for (int64_t query = 0; query < length; ++query) {
    for (int64_t key = 0; key < length; ++key) {
      columns.push_back(BucketOf(query - key, buckets, max_distance, bidirectional));
    }
  }
  // The table holds the buckets of one head in a row, whatever its shape says.
  GatherBlocks(table, heads, buckets, columns, 1, ctx.pool(), &out);
  return ctx.SetOutput(0, std::move(out));
}

// RelativePositionBias (com.microsoft 1): output[0, h, i, j] = element bucket(i - j) of head h, as
// T5 has it: of `buckets` buckets (half of them, with the keys after the query in the other half,
// if bidirectional; keys after it share bucket 0 if not) the first half are distances, the others
// grow with the logarithm of the distance up to max_distance. bias_table has the shape (buckets,
// heads), but holds its elements head by head.
Kernel RelativePositionBias(const KernelInit& node) {
  return [max_distance = node.Int("max_distance"), bidirectional = node.Flag("is_bidirectional")](
             KernelContext& ctx) { return Run(ctx, max_distance, bidirectional); };
}

}  // namespace

void RegisterContribRelativePositionBias(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "RelativePositionBias", {1}, RelativePositionBias);
}

}  // namespace onnxcmp
