#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status Distances(KernelContext& ctx, bool takes_root) {
  const DType dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(const Tensor a, LoadTensor<C>(ctx, ctx.Input(0)));
  OC_ASSIGN_OR_RETURN(const Tensor b, LoadTensor<C>(ctx, ctx.Input(1)));
  if (a.rank() != 2 || b.rank() != 2 || a.dim(1) != b.dim(1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("A and B must be matrices with rows of one length, not ", a.TypeString(),
                     " and ", b.TypeString()));
  }
  const int64_t rows = b.dim(0);
  const int64_t width = a.dim(1);
  OC_ASSIGN_OR_RETURN(Tensor c, ctx.Allocate(kDTypeOf<C>, {a.dim(0), rows}));
  C* out = c.mutable_data<C>();
  const int64_t grain = 1 + 32768 / (1 + std::min<int64_t>(width, 32768));
  ctx.pool().ParallelRanges(c.num_elements(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const C* x = a.data<C>() + i / rows * width;
      const C* y = b.data<C>() + i % rows * width;
      C sum = 0;
      for (int64_t k = 0; k < width; ++k) sum += (x[k] - y[k]) * (x[k] - y[k]);
      out[i] = takes_root ? std::sqrt(sum) : sum;
    }
  });
  OC_ASSIGN_OR_RETURN(c, StoreTensor<C>(ctx, c, dtype));
  return ctx.SetOutput(0, std::move(c));
}

// CDist (com.microsoft 1): C[i, j] = the distance between rows i of A and j of B, the sum of the
// squared differences or its square root. onnxruntime multiplies out (a - b)^2 and loses digits of
// small distances. The schema names more metrics than it knows.
absl::StatusOr<Kernel> CDist(const KernelInit& node) {
  const std::string metric = node.String("metric");
  if (metric != "sqeuclidean" && metric != "euclidean") {
    return absl::UnimplementedError(
        absl::StrCat("metric must be \"euclidean\" or \"sqeuclidean\", not \"", metric, "\""));
  }
  return FloatKernel(0, [takes_root = metric == "euclidean"]<typename C>(KernelContext& ctx) {
    return Distances<C>(ctx, takes_root);
  });
}

}  // namespace

void RegisterContribCDist(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "CDist", {1}, CDist);
}

}  // namespace onnxcmp
