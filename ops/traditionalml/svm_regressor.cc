#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/extended/domains.h"
#include "ops/traditionalml/linear.h"
#include "ops/traditionalml/post_transform.h"
#include "ops/traditionalml/svm.h"

namespace onnxcmp {
namespace {

// SVMRegressor (ai.onnx.ml 1): Y[n] = post_transform(rho + sum of coefficients[i] *
// kernel(X[n], support_vectors[i])); with one_class (and no transform), 1 where the sum is
// positive, else -1. Without support vectors the coefficients are the one vector of a linear
// kernel.
absl::StatusOr<Kernel> SVMRegressor(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const PostTransform transform,
                      ParsePostTransform(node.String("post_transform")));
  OC_ASSIGN_OR_RETURN(const SvmKernel read, ReadSvmKernel(node));
  const int64_t supports = node.Int("n_supports");
  const bool one_class = node.Flag("one_class");
  const std::vector<float> coefficients = node.Floats("coefficients");
  const std::vector<float> rho = node.Floats("rho");
  const std::vector<float> support_vectors = node.Floats("support_vectors");
  const bool linear = supports <= 0;
  if (rho.empty()) return absl::InvalidArgumentError("there is no rho");
  if (!linear && std::ssize(coefficients) != supports) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there are ", coefficients.size(), " coefficients for ", supports, " support vectors"));
  }
  const SvmKernel kernel = linear ? SvmKernel{} : read;
  const Tensor vectors = FloatTensor(linear ? coefficients : support_vectors);
  return [=, bias = rho[0]](KernelContext& ctx) -> absl::Status {
    return InClassOf(ctx.Input(0), [&]<typename S>() -> absl::Status {
      const int64_t count = linear ? 1 : supports;
      OC_ASSIGN_OR_RETURN(const Tensor kernels,
                          SvmKernels<S>(ctx, kernel, ctx.Input(0), vectors, count));
      Tensor sums = kernels;
      if (!linear) {
        OC_ASSIGN_OR_RETURN(
            sums, RowProducts<S>(ctx, kernels, FloatTensor(coefficients), 1, "coefficients"));
      }
      OC_ASSIGN_OR_RETURN(Tensor scores, ctx.Allocate(kDTypeOf<S>, {kernels.dim(0), 1}));
      S* y = scores.mutable_data<S>();
      const S* sum = sums.data<S>();
      for (int64_t n = 0; n < scores.num_elements(); ++n) {
        y[n] = sum[n] + S{bias};
        if (one_class) {
          y[n] = y[n] > 0 ? S{1} : S{-1};
        } else {
          ApplyToTargets(transform, y + n, 1);
        }
      }
      OC_ASSIGN_OR_RETURN(Tensor out, StoreTensor<S>(ctx, scores, DType::kFloat));
      return ctx.SetOutput(0, std::move(out));
    });
  };
}

}  // namespace

void RegisterMlSvmRegressor(OpRegistry& registry) {
  registry.Add(kMlDomain, "SVMRegressor", {1}, SVMRegressor);
  registry.Add(kOptimCpuDomain, "SVMRegressor", {1}, SVMRegressor);
}

}  // namespace onnxcmp
