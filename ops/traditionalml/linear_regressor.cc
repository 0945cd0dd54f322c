#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/traditionalml/linear.h"
#include "ops/traditionalml/post_transform.h"

namespace onnxcmp {
namespace {

// LinearRegressor (ai.onnx.ml 1): Y[n, t] = post_transform(X[n] . coefficients[t] + intercepts[t]).
absl::StatusOr<Kernel> LinearRegressor(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const PostTransform transform,
                      ParsePostTransform(node.String("post_transform")));
  const int64_t targets = node.Int("targets");
  if (targets < 1) return absl::InvalidArgumentError(absl::StrCat("targets is ", targets));
  const Tensor coefficients = FloatTensor(node.Floats("coefficients"));
  const std::vector<float> intercepts = node.Floats("intercepts");
  if (!intercepts.empty() && std::ssize(intercepts) != targets) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", intercepts.size(), " intercepts for ", targets, " targets"));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    return InClassOf(ctx.Input(0), [&]<typename S>() -> absl::Status {
      OC_ASSIGN_OR_RETURN(Tensor scores,
                          RowProducts<S>(ctx, ctx.Input(0), coefficients, targets, "coefficients"));
      S* row = scores.mutable_data<S>();
      for (int64_t n = 0; n < scores.dim(0); ++n, row += targets) {
        for (size_t t = 0; t < intercepts.size(); ++t) row[t] += S{intercepts[t]};
        ApplyToTargets(transform, row, targets);
      }
      OC_ASSIGN_OR_RETURN(Tensor y, StoreTensor<S>(ctx, scores, DType::kFloat));
      return ctx.SetOutput(0, std::move(y));
    });
  };
}

}  // namespace

void RegisterMlLinearRegressor(OpRegistry& registry) {
  registry.Add(kMlDomain, "LinearRegressor", {1}, LinearRegressor);
}

}  // namespace onnxcmp
