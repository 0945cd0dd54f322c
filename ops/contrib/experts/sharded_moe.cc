#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/contrib/experts/experts.h"

namespace onnxcmp {
namespace {

// ShardedMoE (com.microsoft 1) on one device, which has all experts: MoE without SwiGLU, with
// weights (experts, inputs, outputs).
absl::StatusOr<Kernel> ShardedMoe(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const ExpertAttributes attributes,
                      ReadExpertAttributes(node, /*knows_swiglu=*/false));
  const int64_t shards = node.Int("tensor_shards");
  const int64_t start = node.Int("local_experts_start_index");
  if (shards != 1 || start > 0) {
    return absl::UnimplementedError(absl::StrCat("tensor_shards ", shards,
                                                 " and local_experts_start_index ", start,
                                                 " need several devices; there is one"));
  }
  return [attributes](KernelContext& ctx) {
    return RunDenseExperts(ctx, attributes, /*inputs_first=*/true);
  };
}

}  // namespace

void RegisterContribShardedMoe(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "ShardedMoE", {1}, ShardedMoe);
}

}  // namespace onnxcmp
