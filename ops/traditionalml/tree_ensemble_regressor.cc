#include <cstdint>
#include <memory>
#include <utility>

#include "evaluator/kernels/op_registry.h"
#include "ops/extended/domains.h"
#include "ops/traditionalml/post_transform.h"
#include "ops/traditionalml/tree_attributes.h"
#include "ops/traditionalml/trees.h"

namespace onnxcmp {
namespace {

template <typename S>
absl::Status Run(KernelContext& ctx, const TreeEnsembleModel& model, PostTransform transform) {
  const Tensor& x = ctx.Input(0);
  OC_ASSIGN_OR_RETURN(const RowShape shape, RowsOf(x));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kFloat, {shape.rows, model.targets}));
  float* out = y.mutable_data<float>();
  OC_RETURN_IF_ERROR(RunTrees<S>(ctx, model, x, [&](int64_t row, S* scores, const unsigned char*) {
    ApplyToTargets(transform, scores, model.targets);
    std::copy(scores, scores + model.targets, out + row * model.targets);
  }));
  return ctx.SetOutput(0, std::move(y));
}

// TreeEnsembleRegressor (ai.onnx.ml 1, 3, 5): Y[n, t] = post_transform(base_values[t] + aggregate
// of the weights for target t at the leaves that row n of X gets to). AVERAGE divides by the number
// of trees. Scores are added in double if X or a number of the ensemble is double.
absl::StatusOr<Kernel> TreeEnsembleRegressor(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const PostTransform transform,
                      ParsePostTransform(node.String("post_transform")));
  OC_ASSIGN_OR_RETURN(const TreeAggregate aggregate,
                      ParseTreeAggregate(node.String("aggregate_function")));
  OC_ASSIGN_OR_RETURN(TreeArrays arrays, ReadTreeArrays(node, "target"));
  arrays.model.aggregate = aggregate;
  arrays.model.targets = node.Int("n_targets");
  OC_RETURN_IF_ERROR(arrays.model.Finish());
  auto shared = std::make_shared<const TreeArrays>(std::move(arrays));
  return [shared, transform](KernelContext& ctx) -> absl::Status {
    if (shared->is_double || ctx.Input(0).dtype() == DType::kDouble) {
      return Run<double>(ctx, shared->model, transform);
    }
    return Run<float>(ctx, shared->model, transform);
  };
}

}  // namespace

void RegisterMlTreeEnsembleRegressor(OpRegistry& registry) {
  registry.Add(kMlDomain, "TreeEnsembleRegressor", {1, 3, 5}, TreeEnsembleRegressor);
  registry.Add(kOptimCpuDomain, "TreeEnsembleRegressor", {1}, TreeEnsembleRegressor);
}

}  // namespace onnxcmp
