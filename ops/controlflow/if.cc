#include <utility>
#include <vector>

#include "evaluator/kernels/op_registry.h"
#include "ops/controlflow/subgraph.h"

namespace onnxcmp {
namespace {

// If (ai.onnx 1, 11, 13, 16, 19, 21, 23, 24, 25): the outputs of then_branch or of else_branch. The
// versions differ in types, and in that the branches' shapes may differ since 11; they may for all.
absl::StatusOr<Kernel> If(const KernelInit& node) {
  const SubgraphId then_branch = node.Subgraph("then_branch");
  const SubgraphId else_branch = node.Subgraph("else_branch");
  const int outputs = node.num_outputs();
  for (const char* branch : {"then_branch", "else_branch"}) {
    OC_RETURN_IF_ERROR(CheckSubgraph(node, branch, 0, outputs));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const bool condition, ctx.ScalarInput<bool>(0));
    OC_ASSIGN_OR_RETURN(std::vector<Value> values,
                        condition ? ctx.RunSubgraph(then_branch, {}, "then_branch")
                                  : ctx.RunSubgraph(else_branch, {}, "else_branch"));
    for (int i = 0; i < outputs; ++i) {
      OC_RETURN_IF_ERROR(ctx.SetOutput(i, std::move(values[static_cast<size_t>(i)])));
    }
    return absl::OkStatus();
  };
}

}  // namespace

void RegisterIf(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "If", {1, 11, 13, 16, 19, 21, 23, 24, 25}, If);
}

}  // namespace onnxcmp
